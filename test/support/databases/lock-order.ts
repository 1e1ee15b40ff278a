/** Shows that what runs beside a transaction locks rows in its order: else each waits for the other, and one is ended. */
import type { Sql } from '../../../src/db/statements/sql.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { until } from '../processes/gateway.ts';
import type { TestServices } from '../services.ts';

/** The connections to this database that wait for a lock; those to the databases of other test files do not count. */
export const LOCK_WAITS = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** A statement of the transaction. */
export type Locking = (sql: Sql) => Promise<unknown>;

/** Locks a row of a table. @param where a condition on it, with its values */
export const lockOf =
  (table: string, where: string, values: readonly unknown[]): Locking =>
  sql =>
    runSql(sql, `select from ${table} where ${where} for no key update`, values);

/**
 * Runs `work` while a transaction holds what `first` locks, and has the transaction go on to `then` as soon as the work waits for it. Resolves when both are
 * over. @throws the error of the transaction, which is the one that is ended where both wait for each other, and that of the work
 */
export async function besideLocks(
  { database, sql }: Pick<TestServices, 'database' | 'sql'>,
  first: Locking,
  work: () => Promise<unknown>,
  then: Locking,
): Promise<void> {
  let working: Promise<unknown> = Promise.resolve();
  const holding = database.fork().transactional(async em => {
    const within = em.getKysely();
    await runSql(within, `set local deadlock_timeout = '1ms'`, []);
    await first(within);
    working = work();
    working.catch(() => undefined);
    await until('the other waits', async () => {
      const waiting = await sql(LOCK_WAITS);
      return waiting.length === 1 ? true : null;
    });
    await then(within);
  });
  const [held, worked] = await Promise.allSettled([
    holding,
    holding.then(
      () => working,
      () => working,
    ),
  ]);
  if (held.status === 'rejected') throw held.reason;
  if (worked.status === 'rejected') throw worked.reason;
}
