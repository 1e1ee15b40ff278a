/** Closes opened parts in reverse order, even if some of them fail to close. */
export class Closers {
  readonly #list: (() => Promise<void> | void)[] = [];
  readonly #onError: (error: unknown) => void;

  /** `onError` is called for each part that failed to close. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Registers how to close a part that is open. */
  add(closer: () => Promise<void> | void): void {
    this.#list.push(closer);
  }

  /** Closes every part, the last one first. */
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
