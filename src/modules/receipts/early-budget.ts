/**
 * How many receipts of unknown attempts may wait, by connection: neither a stranger who has the address nor a faulty provider can fill the queue.
 * Waiting receipts are counted once in a while. Between two counts a process adds those that it lets in itself.
 */
import type { Receipt } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import type { Database } from '../../db/orm.ts';
import { perDatabase } from '../../db/per-database.ts';
import { statement } from '../../db/statements/statement.ts';

/** The most that may wait by one connection: about 100 a second for the 15 minutes that they wait. */
export const WAITING_MAX = 100_000;

/** The least time between two counts. */
const COUNT_MS = 5_000;

/** Early receipts that cause a count: fewer are no danger. */
const COUNT_AFTER = 1_000;

/** The least time between two warnings that receipts of a connection were dropped. */
const WARN_MS = 60_000;

/** A job may hold receipts of several connections that came together. All count for the first one, most often the one with the most. */
const COUNT_EARLY = statement('count early receipts', {
  gives: { connection_id: 'text?', waiting: 'int' },
  sql: () => `
  select data #>> '{receipts,0,connectionId}' as connection_id, sum(jsonb_array_length(data -> 'receipts'))::int as waiting
  from pgboss.job where name = 'early-receipts' and state < 'active' group by 1`,
});

/** The early receipts that may wait; the others are dropped, as the log and a metric tell. Waits for no database, and never fails. */
export function withinBudget(ctx: Ctx, early: readonly Receipt[]): readonly Receipt[] {
  return budgetOf(ctx.services.database).admit(ctx, early);
}

const budgetOf = perDatabase(database => new EarlyBudget(database));

class EarlyBudget {
  readonly #database: Database;
  /** How many wait by each connection, as far as this process knows. */
  #waiting = new Map<string, number>();
  /** How many it has let in since the last count began. */
  #admitted = new Map<string, number>();
  #newcomers = 0;
  #isCounting = false;
  #countsAtMs = 0;
  readonly #warnsAtMs = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  admit(ctx: Ctx, early: readonly Receipt[]): readonly Receipt[] {
    const admitted = early.filter(receipt => {
      const key = receipt.connectionId ?? '';
      if ((this.#waiting.get(key) ?? 0) >= WAITING_MAX) {
        this.#drop(ctx, receipt);
        return false;
      }
      for (const counts of [this.#waiting, this.#admitted]) counts.set(key, (counts.get(key) ?? 0) + 1);
      return true;
    });
    this.#newcomers += early.length;
    const isDue = this.#newcomers >= COUNT_AFTER || admitted.length < early.length;
    if (isDue && !this.#isCounting && performance.now() >= this.#countsAtMs) void this.#count();
    return admitted;
  }

  /** Counts what waits. The former numbers stay if that fails, with all that this process has let in since. */
  async #count(): Promise<void> {
    this.#isCounting = true;
    this.#admitted = new Map();
    this.#newcomers = 0;
    try {
      const rows = await COUNT_EARLY.run(this.#database.sql());
      this.#waiting = new Map(rows.map(({ connection_id, waiting }) => [connection_id ?? '', waiting]));
      for (const [key, count] of this.#admitted) this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + count);
    } catch {
      // Whoever stores receipts is told that the database is away.
    }
    this.#countsAtMs = performance.now() + COUNT_MS;
    this.#isCounting = false;
  }

  #drop({ log, services: { metrics } }: Ctx, { connectionId, provider }: Receipt): void {
    metrics.receipts.inc({ provider, result: 'dropped' });
    const nowMs = performance.now();
    const key = connectionId ?? '';
    if (nowMs < (this.#warnsAtMs.get(key) ?? 0)) return;
    this.#warnsAtMs.set(key, nowMs + WARN_MS);
    log.warn(
      { connectionId, waitingMax: WAITING_MAX },
      'receipts of attempts that nobody knows are dropped: too many wait already',
    );
  }
}
