/** Brings a database's schema up to date: the migrations, then the partitions of the months ahead. */
import { Migrator } from '@mikro-orm/migrations';
import type { Database } from './orm.ts';
import { ensurePartitions } from './partitions.ts';
import { PATIENCE_MS, patiently } from './postgres/bounded-client.ts';

/** One lock for all processes that migrate, so that those which start at once wait for each other. */
const MIGRATION_LOCK = 4_820_260_002;

/** Runs the migrations that have not run yet, and makes the partitions. Answers the names of what ran. Safe to repeat and to race. */
export function migrate(database: Database): Promise<string[]> {
  return patiently(PATIENCE_MS.migration, () => bringUpToDate(database));
}

async function bringUpToDate(database: Database): Promise<string[]> {
  const unlock = await lock(database);
  try {
    const done = await new Migrator(database.orm.em).up();
    await ensurePartitions(database);
    return done.map(migration => migration.name);
  } finally {
    await unlock();
  }
}

/** A transaction that holds the lock, however long others migrate. The embedded database has one process: nobody to wait for. */
async function lock(database: Database): Promise<() => Promise<void>> {
  if (database.engine.kind === 'pglite') return async () => undefined;
  const client = await database.engine.pool.connect();
  // What fails in between is given up with its connection.
  const ask = (text: string, values: readonly unknown[] = []): Promise<unknown> =>
    client.query(text, [...values]).catch((error: unknown) => {
      client.release(true);
      throw error;
    });
  await ask('begin');
  await ask('set local statement_timeout = 0');
  await ask('set local idle_in_transaction_session_timeout = 0');
  await ask('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  return async () => {
    await ask('commit');
    client.release();
  };
}
