/** What is open and must be closed, whatever fails. */

/** Parts that were opened one after the other, closed in the opposite order. */
export class Closers {
  readonly #list: (() => Promise<void> | void)[] = [];
  readonly #onError: (error: unknown) => void;

  /** `onError` is told of each part that did not close. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Keeps what closes a part that is open now. */
  add(closer: () => Promise<void> | void): void {
    this.#list.push(closer);
  }

  /** Closes all of it, the last one first. */
  async close(): Promise<void> {
    for (const closer of this.#list.splice(0).reverse()) {
      try {
        await closer();
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
