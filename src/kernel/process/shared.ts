/** Runs `run` once for all who ask while that is under way. */
export function shared<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | null = null;
  return () => {
    underWay ??= run().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
