/** Migrates the schema of a database, then makes the partitions of the next months. */
import { Migrator } from '@mikro-orm/migrations';
import { type Database, openDatabase } from './orm.ts';
import { ensurePartitions } from './partitions.ts';
import { PATIENCE_MS, patiently } from './postgres/bounded-client.ts';

/** One advisory lock, so that processes which start together migrate in turn. */
const MIGRATION_LOCK = 4_820_260_002;

/** Runs the pending migrations and makes the partitions. Answers the names of what ran. Safe to repeat and to race. */
export async function migrate(database: Database): Promise<string[]> {
  const { engine } = database;
  if (engine.kind === 'pglite' || engine.direct === null)
    return patiently(PATIENCE_MS.migration, () => bringUpToDate(database));
  // Of a small pool behind a pooler the lock would have the only connection.
  const direct = await openDatabase(engine.direct, []);
  try {
    return await migrate(direct);
  } finally {
    await direct.close();
  }
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

/** Holds the lock in a transaction of its own. PGlite has one process, so it needs none. */
async function lock(database: Database): Promise<() => Promise<void>> {
  if (database.engine.kind === 'pglite') return async () => undefined;
  const client = await database.engine.pool.connect();
  // A failed connection is dropped, which releases the lock.
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
