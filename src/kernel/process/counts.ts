/** Counts by keys, each up to a bound. */
export class Counts {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts one more. @returns a function that counts it no more, to be called once; null: the bound is reached */
  enter(key: string): (() => void) | null {
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#most) return null;
    this.#counts.set(key, count + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }
}
