/**
 * Lets the next group of a batch wait until it is as large as those before it, or for a moment: what a statement costs is for the most part
 * the same for two rows and for twenty. Who comes alone waits for nobody.
 */

/** The longest that a group waits for more. */
const WAIT_MS = 3;

/** How fast it is forgotten how large groups were: what remains after each smaller one. */
const REMAINS = 0.9;

/** The group of a batch that is next. */
export class Gathering {
  readonly #sizeMax: number;
  #size = 0;
  #expected = 0;
  #full: (() => void) | null = null;

  /** @param sizeMax the most that one group takes; the others wait for the next one */
  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  /** Notes one more that waits for the group. */
  add(): void {
    this.#size += 1;
    if (this.#size >= this.#expected) this.#full?.();
  }

  /** Resolves when the group is as large as is expected, or after a moment; then `close` must follow. */
  async gathered(): Promise<void> {
    if (this.#size >= this.#expected) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#full = resolve;
    const timer = setTimeout(resolve, WAIT_MS);
    await promise;
    clearTimeout(timer);
    this.#full = null;
  }

  /** Tells that those who wait are a group now. */
  close(): void {
    const size = Math.min(this.#size, this.#sizeMax);
    this.#expected = Math.max(size, Math.floor(this.#expected * REMAINS));
    this.#size -= size;
  }
}
