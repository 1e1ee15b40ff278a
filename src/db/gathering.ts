/**
 * Lets the next group of a batch wait until it is as large as those before it, or for a moment. The cost of a statement is for the most part
 * the same for two rows and for twenty. Among callers who wait, one that comes alone waits for nobody.
 */

/** How long a group waits for more, and for how many at least. */
export interface Patience {
  /** The longest that it waits. */
  readonly waitMs: number;
  /** A group waits for so many, however small the groups before it were. */
  readonly atLeast: number;
}

/** Somebody waits for each of them. */
const SOON: Patience = { waitMs: 3, atLeast: 0 };

/** How fast it is forgotten how large groups were: what remains after each smaller one. */
const REMAINS = 0.9;

/** The group of a batch that is next. */
export class Gathering {
  readonly #sizeMax: number;
  readonly #patience: Patience;
  #size = 0;
  #expected = 0;
  #full: (() => void) | null = null;

  /** @param sizeMax the most that one group takes; the others wait for the next one */
  constructor(sizeMax: number, patience = SOON) {
    this.#sizeMax = sizeMax;
    this.#patience = patience;
    this.#expected = patience.atLeast;
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
    const timer = setTimeout(resolve, this.#patience.waitMs);
    await promise;
    clearTimeout(timer);
    this.#full = null;
  }

  /** Tells that those who wait are a group now. */
  close(): void {
    const size = Math.min(this.#size, this.#sizeMax);
    this.#expected = Math.max(size, Math.floor(this.#expected * REMAINS), this.#patience.atLeast);
    this.#size -= size;
  }
}
