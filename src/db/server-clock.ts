/**
 * What a process knows of the database's clock. A statement that must take effect soon or never carries a bound in that clock: one
 * that lay in the buffers of a server which hung changes nothing when the server comes to it.
 */

/** How old what is known may be before it is learned anew beside the work, and before the work waits for it, in milliseconds. */
const REFRESH_MS = 15_000;
const STALE_MS = 60_000;

/** The clock of a database, as one process knows it. */
export class ServerClock {
  readonly #read: () => Promise<number>;
  /** The least by which the database's clock is ahead of `performance.now()`: its answer was on the way for a while. */
  #aheadMs = 0;
  #learnedMs = Number.NEGATIVE_INFINITY;
  #learning: Promise<void> | null = null;

  /** @param read asks the database for its time, in milliseconds since 1970 */
  constructor(read: () => Promise<number>) {
    this.#read = read;
  }

  /** The time in `ms` milliseconds, or a little earlier, in ISO 8601. @throws what the database throws that cannot be asked. */
  async in(ms: number): Promise<string> {
    const endsAtMs = performance.now() + ms;
    const ageMs = performance.now() - this.#learnedMs;
    if (ageMs > STALE_MS) await this.#learn();
    else if (ageMs > REFRESH_MS) void this.#learn().catch(() => undefined);
    return new Date(this.#aheadMs + endsAtMs).toISOString();
  }

  /** What is known may be wrong: it was set, or another server answers. */
  forget(): void {
    this.#learnedMs = Number.NEGATIVE_INFINITY;
  }

  #learn(): Promise<void> {
    this.#learning ??= this.#ask().finally(() => {
      this.#learning = null;
    });
    return this.#learning;
  }

  async #ask(): Promise<void> {
    const atMs = await this.#read();
    const now = performance.now();
    this.#aheadMs = atMs - now;
    this.#learnedMs = now;
  }
}
