import { shared } from './shared.ts';

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

  /** Closes every part, the last one first. A call while that is under way waits for the same close. */
  readonly close = shared(() => this.#closeAll());

  async #closeAll(): Promise<void> {
    for (let closer = this.#list.pop(); closer; closer = this.#list.pop()) {
      try {
        await closer();
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
