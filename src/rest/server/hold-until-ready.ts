/** For a gateway that must listen before it can answer: its address is known once it listens, and some of the start needs it. */

type Answer<Args extends unknown[]> = (...args: Args) => Response | Promise<Response>;

/** Holds what comes before `open` is called; then `answer` gets it, like everything after it. */
export function holdUntilReady<Args extends unknown[]>(answer: Answer<Args>): { fetch: Answer<Args>; open(): void } {
  const opened = Promise.withResolvers<void>();
  return { fetch: (...args) => opened.promise.then(() => answer(...args)), open: () => opened.resolve() };
}
