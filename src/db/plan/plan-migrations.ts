/** `migrate --plan`: the locks of pending migrations, and how long they last. Nothing is changed. */
import type { Migration } from '@mikro-orm/migrations';
import { migrations } from '../migrations.ts';
import type { Database } from '../orm.ts';
import { runSql } from '../statements/sql.ts';
import { type Lock, type Locking, lockOf, type Work } from './lock-of.ts';

/** One statement of a pending migration. */
export interface PlannedStatement {
  readonly migration: string;
  readonly statement: string;
  /** Null: none that is there already. */
  readonly table: string | null;
  /** The work of others that waits until the end of the migrations. */
  readonly lock: Lock;
  readonly work: Work;
  /** As PostgreSQL estimates; null where it has never counted, or the table is none that is there. */
  readonly rows: number | null;
}

/** The plan of a database that may be behind; empty where it is up to date. A new database has nothing to lock. */
export async function planMigrations(database: Database): Promise<PlannedStatement[]> {
  const done = await doneMigrations(database);
  const planned: PlannedStatement[] = [];
  for (const { name, statement } of await statementsOf(database, done)) {
    const locking = lockOf(statement);
    if (locking.lock === 'none') continue;
    const found = await findTable(database, locking);
    // Made by these migrations themselves: nobody else knows it yet.
    if (found === null && locking.lock !== 'unknown') continue;
    planned.push({
      migration: name,
      statement: statement.replaceAll(/\s+/g, ' ').trim(),
      table: found?.name ?? null,
      lock: locking.lock,
      work: locking.work,
      rows: found?.rows ?? null,
    });
  }
  return planned;
}

async function doneMigrations(database: Database): Promise<ReadonlySet<string>> {
  const [table] = await runSql<{ found: string | null }>(
    database.sql(),
    `select to_regclass('migrations')::text as found`,
    [],
  );
  if (table?.found == null) return new Set();
  const rows = await runSql<{ name: string }>(database.sql(), 'select name from migrations', []);
  return new Set(rows.map(({ name }) => name));
}

async function statementsOf({ orm }: Database, done: ReadonlySet<string>) {
  const found: { readonly name: string; readonly statement: string }[] = [];
  for (const { name, class: Pending } of migrations) {
    if (done.has(name)) continue;
    const migration: Migration = new Pending(orm.em.getDriver(), orm.config) as Migration;
    await migration.up();
    for (const query of migration.getQueries()) found.push({ name, statement: String(query) });
  }
  return found;
}

const TABLE_OF_INDEX = 'select indrelid::regclass::text as name from pg_index where indexrelid = to_regclass($1)';
const TABLE = 'select to_regclass($1)::text as name';
/** -1 stands for a table that was never counted. */
const ROWS = `select case when bool_or(reltuples < 0) then null else sum(reltuples) end::float8 as rows from pg_class
  where relkind = 'r' and (oid = to_regclass($1) or oid in (select relid from pg_partition_tree(to_regclass($1))))`;

async function findTable(database: Database, { table, isIndex }: Locking) {
  if (table === null) return null;
  const [found] = await runSql<{ name: string | null }>(database.sql(), isIndex ? TABLE_OF_INDEX : TABLE, [table]);
  if (found?.name == null) return null;
  const [estimate] = await runSql<{ rows: number | null }>(database.sql(), ROWS, [found.name]);
  return { name: found.name, rows: estimate?.rows ?? null };
}
