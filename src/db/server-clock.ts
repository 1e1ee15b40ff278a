/** The database's clock as a process knows it: for ids and times that other processes compare, and for deadlines in statements. */
import { shared } from '../kernel/process/shared.ts';

/** How often the database is asked: so long a step of its clock, or a sleep of this machine, stays unknown. */
const LEARN_MS = 5_000;

/** The age from which callers who need a deadline wait for a new reading. */
const STALE_MS = 60_000;

/** The clock of a database, as known by one process. Steps of the process's own clock leave it alone. */
export class ServerClock {
  /** Reads it now. @throws errors of the database */
  readonly learn: () => Promise<void>;
  /** How far the database's clock is ahead of `performance.now()`. */
  #aheadMs = performance.timeOrigin;
  /** The same, low by the time that the answer took: a deadline must not be late. */
  #aheadLowMs = performance.timeOrigin;
  #learnedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  /** @param read asks the database for its time, in milliseconds since 1970 */
  constructor(read: () => Promise<number>) {
    this.learn = shared(async () => {
      const askedMs = performance.now();
      const atMs = await read();
      this.#learnedMs = performance.now();
      this.#aheadLowMs = atMs - this.#learnedMs;
      // The known time stays if it may be right, so that a slow answer moves nothing.
      this.#aheadMs = Math.min(Math.max(this.#aheadMs, this.#aheadLowMs), atMs - askedMs);
    });
  }

  /** The time, as of the last reading. */
  now(): Date {
    return new Date(this.#aheadMs + performance.now());
  }

  /** A time of the database's clock, in milliseconds since 1970, as `performance.now()` shows it. */
  localMs(atMs: number): number {
    return atMs - this.#aheadMs;
  }

  /** The time in `ms` milliseconds, or slightly earlier, in ISO 8601. @throws errors of the database */
  async in(ms: number): Promise<string> {
    const endsAtMs = performance.now() + ms;
    if (performance.now() - this.#learnedMs > STALE_MS) await this.learn();
    return new Date(this.#aheadLowMs + endsAtMs).toISOString();
  }

  /** Reads it now, and then again and again until `stop`. @throws errors of the database at first */
  async start(): Promise<void> {
    await this.learn();
    this.#timer = setInterval(() => void this.learn().catch(() => undefined), LEARN_MS).unref();
  }

  /** Reads it no more. */
  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Lets the next deadline wait for a new reading, because the clock was set or another server answers. */
  forget(): void {
    this.#learnedMs = Number.NEGATIVE_INFINITY;
  }
}
