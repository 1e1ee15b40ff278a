/** Purges: they change many rows in statements that are short, so that nobody waits for their locks long. */

/** How many rows one statement changes. */
const CHUNK_SIZE = 5_000;

/** Runs a statement until it finds less than a whole chunk, and answers how many rows it changed in all. Each chunk is a commit of its own. */
export async function inChunks(
  run: (limit: number) => Promise<{ readonly count: number } | undefined>,
): Promise<number> {
  for (let total = 0; ; ) {
    const { count } = (await run(CHUNK_SIZE)) ?? { count: 0 };
    total += count;
    if (count < CHUNK_SIZE) return total;
  }
}
