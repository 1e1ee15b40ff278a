/**
 * Does something with what was prepared for it in less than so many milliseconds. Of a machine that takes longer over it nothing is said:
 * it is prepared and done anew.
 */
export async function inTime<Prepared, Result>(
  ms: number,
  prepare: () => Promise<Prepared>,
  work: (prepared: Prepared) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const prepared = await prepare();
    const startedMs = performance.now();
    const result = await work(prepared);
    if (performance.now() - startedMs < ms) return result;
  }
}
