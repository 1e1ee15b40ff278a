/** An estimate of the database's clock, for deadlines in statements: one that hung in a server must not run late. */
import { shared } from '../kernel/process/shared.ts';

/** The age from which the estimate is refreshed in the background, and the age from which callers wait for it. */
const REFRESH_MS = 15_000;
const STALE_MS = 60_000;

/** The clock of a database, as estimated by one process. */
export class ServerClock {
  readonly #learn: () => Promise<void>;
  /** How far the database's clock is ahead of `performance.now()`. Low by the time that the answer took. */
  #aheadMs = 0;
  #learnedMs = Number.NEGATIVE_INFINITY;

  /** @param read asks the database for its time, in milliseconds since 1970 */
  constructor(read: () => Promise<number>) {
    this.#learn = shared(async () => {
      const atMs = await read();
      this.#learnedMs = performance.now();
      this.#aheadMs = atMs - this.#learnedMs;
    });
  }

  /** The time in `ms` milliseconds, or slightly earlier, in ISO 8601. @throws what the database throws */
  async in(ms: number): Promise<string> {
    const endsAtMs = performance.now() + ms;
    const ageMs = performance.now() - this.#learnedMs;
    if (ageMs > STALE_MS) await this.#learn();
    else if (ageMs > REFRESH_MS) void this.#learn().catch(() => undefined);
    return new Date(this.#aheadMs + endsAtMs).toISOString();
  }

  /** Drops the estimate, because the clock was set or another server answers. */
  forget(): void {
    this.#learnedMs = Number.NEGATIVE_INFINITY;
  }
}
