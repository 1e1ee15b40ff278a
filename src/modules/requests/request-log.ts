/**
 * The request log of a process: what is noted waits in memory, and is stored by one statement each second or each 500. A flood costs a
 * count: an account has a part of each minute, and what is beyond is told by a number.
 */
import { isUnavailable, type Sql } from '../../db/statements/sql.ts';
import { newId } from '../../kernel/ids.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { RequestRow } from './requests.sql.ts';
import { STORE_REQUESTS } from './requests.sql.ts';

/** How long a note waits at most while the database answers, in milliseconds. */
const STORE_EVERY_MS = 1_000;

/** How many are stored by one statement. */
const ROWS_AT_ONCE = 500;

/** How many wait in memory: about 2 MiB. */
const WAITING_MAX = 5_000;

/** How long a part lasts, in milliseconds. */
const MINUTE_MS = 60_000;

/** How many requests of an account are kept in a minute by this process, and of all that are nobody's. */
export const PARTS = { refused: 120, accepted: 600, ofNobody: 60 } as const;

/** What is noted of a request. */
export type RequestNote = Omit<RequestRow, 'id' | 'accountId' | 'leftOut'>;

/** What an account has had of the present minute. */
interface Part {
  refused: number;
  accepted: number;
  /** The first request that was left out. */
  first: RequestRow | null;
  leftOut: number;
}

/** What a request log is built from. */
export interface RequestLogParts {
  readonly database: { sql(): Sql };
  readonly metrics: Pick<Metrics, 'requestsLeftOut'>;
  readonly log: Pick<Logger, 'warn'>;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

/** The request log of a process. */
export class RequestLog {
  readonly #parts: RequestLogParts;
  readonly #now: () => number;
  readonly #shares = new Map<string | null, Part>();
  #waiting: RequestRow[] = [];
  #timer: NodeJS.Timeout | null = null;
  #minuteMs: number;
  #storing: Promise<void> | null = null;

  constructor(parts: RequestLogParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#minuteMs = this.#now();
  }

  /** Notes a request of an account; null: of nobody who is known. `describe` is called only where it is kept. */
  note(accountId: string | null, isRefused: boolean, describe: () => RequestNote): void {
    this.#turnMinute();
    const share = this.#shareOf(accountId);
    const most = accountId === null ? PARTS.ofNobody : isRefused ? PARTS.refused : PARTS.accepted;
    const kind = isRefused ? 'refused' : 'accepted';
    const isKept = share[kind] < most && this.#waiting.length < WAITING_MAX;
    if (!isKept) this.#parts.metrics.requestsLeftOut.inc();
    if (isKept) share[kind] += 1;
    else if (share.first) share.leftOut += 1;
    if (!isKept && share.first) return;
    const row = { id: newId('rql'), accountId, leftOut: 0, ...describe() };
    if (isKept) this.#waiting.push(row);
    else share.first = row;
    if (this.#waiting.length >= ROWS_AT_ONCE) void this.store();
    else this.#wake();
  }

  /** Stores what waits, and begins a new minute where one is over. It never fails: what cannot be stored now waits on. */
  async store(): Promise<void> {
    while (this.#storing) await this.#storing;
    this.#storing = this.#storeAll().finally(() => {
      this.#storing = null;
    });
    await this.#storing;
  }

  /** Stores what waits, and how much was left out. */
  async close(): Promise<void> {
    await this.#storing;
    this.#endMinute();
    await this.store();
    if (this.#timer) clearTimeout(this.#timer);
  }

  #shareOf(accountId: string | null): Part {
    let share = this.#shares.get(accountId);
    if (!share) {
      share = { refused: 0, accepted: 0, first: null, leftOut: 0 };
      this.#shares.set(accountId, share);
    }
    return share;
  }

  #wake(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.store();
    }, STORE_EVERY_MS);
    this.#timer.unref();
  }

  async #storeAll(): Promise<void> {
    this.#turnMinute();
    while (this.#waiting.length > 0) {
      const rows = this.#waiting.splice(0, ROWS_AT_ONCE);
      try {
        await STORE_REQUESTS.run(this.#parts.database.sql(), { rows });
      } catch (error) {
        if (isUnavailable(error)) this.#waiting.unshift(...rows);
        else this.#parts.log.warn({ err: error, requests: rows.length }, 'requests could not be stored in their log');
        break;
      }
    }
    if (this.#waiting.length > 0 || [...this.#shares.values()].some(({ first }) => first !== null)) this.#wake();
  }

  /** While the database is away a minute does not end, so that no account fills the memory. */
  #turnMinute(): void {
    if (this.#now() - this.#minuteMs >= MINUTE_MS && this.#waiting.length < ROWS_AT_ONCE) this.#endMinute();
  }

  /** The first that was left out of each account is stored in the place of all. */
  #endMinute(): void {
    this.#minuteMs = this.#now();
    for (const { first, leftOut } of this.#shares.values()) if (first) this.#waiting.push({ ...first, leftOut });
    this.#shares.clear();
  }
}
