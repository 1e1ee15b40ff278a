/** The work of autovacuum and checkpointer, for PGlite: reuses dead rows' space, cuts the WAL, prevents wraparound. */
import type { PGlite } from '@electric-sql/pglite';
import type { Database } from '../orm.ts';
import { DUE_TABLES } from './tidy-embedded.sql.ts';

/** When maintenance is due, and how much of it one run does. */
export interface TidyLimits {
  /** A table is vacuumed after so many dead or new rows, */
  readonly rows: number;
  /** plus this share of its rows. Small, since all queries wait for a vacuum. */
  readonly share: number;
  /** Larger tables are vacuumed once after each start, which resets the statistics. Bytes. */
  readonly uncountedBytes: number;
  /** A table with rows older than so many transactions is frozen. Wraparound is at two billion. */
  readonly age: number;
  /** A checkpoint is made after so many bytes of WAL. */
  readonly logBytes: number;
  /** After so long, no further table is begun. */
  readonly turnMs: number;
}

const LIMITS: TidyLimits = {
  rows: 1_000,
  share: 0.05,
  uncountedBytes: 1024 * 1024,
  age: 150_000_000,
  logBytes: 64 * 1024 * 1024,
  turnMs: 500,
};

/** The result of a run. */
interface Tidied {
  /** Vacuumed tables with their schema, in order. */
  readonly vacuumed: readonly string[];
  readonly frozen: boolean;
  readonly checkpointed: boolean;
}

interface DueTable {
  readonly name: string;
  readonly is_old: boolean;
  readonly is_changed: boolean;
}

/** PostgreSQL's template databases. Never frozen, they would age until wraparound. */
const OLD_TEMPLATES = `
  select datname from pg_database where datname in ('template0', 'template1') and age(datfrozenxid) > $1::int`;

const LOG_GROWTH = `
  select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`;

/** Vacuums the due tables, the most urgent first, and makes a checkpoint if needed. All queries wait, so a run is short. Null on a server. */
export async function tidyEmbedded(database: Database, limits: Partial<TidyLimits> = {}): Promise<Tidied | null> {
  if (database.engine.kind !== 'pglite') return null;
  const { pglite } = database.engine;
  const all = { ...LIMITS, ...limits };
  const startedMs = performance.now();
  const vacuumed: string[] = [];
  let frozen = false;
  for (const { name, is_old: isOld, is_changed: isChanged } of await dueTables(pglite, all)) {
    if (vacuumed.length > 0 && performance.now() - startedMs > all.turnMs) break;
    const options = [...(isOld ? ['freeze'] : []), ...(isChanged ? ['analyze'] : [])];
    await pglite.exec(`vacuum${options.length > 0 ? ` (${options.join(', ')})` : ''} ${name}`);
    vacuumed.push(name);
    frozen ||= isOld;
  }
  await dropOldTemplates(pglite, all.age);
  return { vacuumed, frozen, checkpointed: await cutLog(pglite, all.logBytes) };
}

async function dueTables(pglite: PGlite, { rows, share, uncountedBytes, age }: TidyLimits): Promise<DueTable[]> {
  // Statistics are otherwise flushed only once a second.
  await pglite.query('select pg_stat_force_next_flush()');
  return (await pglite.query<DueTable>(DUE_TABLES, [rows, share, uncountedBytes, age])).rows;
}

/** They are not needed, since no database is created from them, and nobody can connect to them to freeze them. */
async function dropOldTemplates(pglite: PGlite, age: number): Promise<void> {
  for (const { datname } of (await pglite.query<{ datname: string }>(OLD_TEMPLATES, [age])).rows) {
    await pglite.query('update pg_database set datistemplate = false where datname = $1', [datname]);
    await pglite.exec(`drop database if exists ${datname}`);
  }
}

async function cutLog(pglite: PGlite, logBytes: number): Promise<boolean> {
  const [log] = (await pglite.query<{ bytes: number }>(LOG_GROWTH)).rows;
  if (!log || log.bytes < logBytes) return false;
  await pglite.exec('checkpoint');
  return true;
}
