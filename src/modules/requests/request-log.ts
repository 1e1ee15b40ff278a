/**
 * The request log of a process: notes wait in memory, and are stored by one statement each second or each 500. An account has a quota of each minute
 * for refused requests, and one for accepted ones. Requests beyond it become one row with their number, so that a flood costs little.
 */
import { isUnavailable, type Sql } from '../../db/statements/sql.ts';
import { newId } from '../../kernel/ids.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { type RequestRow, STORE_REQUESTS } from './requests.sql.ts';

/** How long a note waits at most while the database answers, in milliseconds. */
const STORE_EVERY_MS = 1_000;

/** How many are stored by one statement. */
const ROWS_AT_ONCE = 500;

/** How many wait in memory: about 2 MiB. Accepted ones leave room for refused ones. */
const WAITING_MAX = { refused: 5_000, accepted: 4_000 } as const;

/** How long a quota lasts, in milliseconds. */
const MINUTE_MS = 60_000;

/** How many requests of an account are kept in a minute by this process, and of all that are nobody's. */
export const PARTS = { refused: 120, accepted: 600, ofNobody: 60 } as const;

/** The facts of one request. */
export type RequestNote = Omit<RequestRow, 'id' | 'accountId' | 'leftOut'>;

/** The refused or the accepted requests of an account in the present minute. */
interface Part {
  kept: number;
  /** The first request that was left out. */
  first: RequestRow | null;
  leftOut: number;
}

interface RequestLogParts {
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
  readonly #shares = { refused: new Map<string | null, Part>(), accepted: new Map<string | null, Part>() };
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
    const kind = isRefused ? 'refused' : 'accepted';
    const share = this.#shareOf(kind, accountId);
    const most = accountId === null ? PARTS.ofNobody : PARTS[kind];
    const isKept = share.kept < most && this.#waiting.length < WAITING_MAX[kind];
    if (!isKept) this.#parts.metrics.requestsLeftOut.inc();
    if (isKept) share.kept += 1;
    else if (share.first) share.leftOut += 1;
    if (!isKept && share.first) return;
    const row = { id: newId('rql'), accountId, leftOut: 0, ...describe() };
    if (isKept) this.#waiting.push(row);
    else share.first = row;
    if (this.#waiting.length >= ROWS_AT_ONCE) void this.store();
    else this.#wake();
  }

  /** Stores the waiting notes, and begins a new minute where one is over. Never fails: while the database is away, notes wait on. */
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

  #shareOf(kind: 'refused' | 'accepted', accountId: string | null): Part {
    let share = this.#shares[kind].get(accountId);
    if (!share) {
      share = { kept: 0, first: null, leftOut: 0 };
      this.#shares[kind].set(accountId, share);
    }
    return share;
  }

  #allShares(): Part[] {
    return Object.values(this.#shares).flatMap(shares => [...shares.values()]);
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
    if (this.#waiting.length > 0 || this.#allShares().some(({ first }) => first !== null)) this.#wake();
  }

  /** While the database is away a minute does not end, so that no account fills the memory. */
  #turnMinute(): void {
    if (this.#now() - this.#minuteMs >= MINUTE_MS && this.#waiting.length < ROWS_AT_ONCE) this.#endMinute();
  }

  /** The first that was left out of each account and kind is stored in the place of all. */
  #endMinute(): void {
    this.#minuteMs = this.#now();
    for (const { first, leftOut } of this.#allShares()) if (first) this.#waiting.push({ ...first, leftOut });
    for (const shares of Object.values(this.#shares)) shares.clear();
  }
}
