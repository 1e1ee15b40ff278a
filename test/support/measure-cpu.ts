/** Runs some work, and answers its result with the CPU time of this process in milliseconds: a busy machine does not lengthen it. */
export async function measureCpu<Result>(
  work: () => Result,
): Promise<{ readonly result: Awaited<Result>; readonly cpuMs: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1_000 };
}
