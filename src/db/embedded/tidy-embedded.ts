/**
 * Does for PGlite, which has no background processes, what autovacuum and the checkpointer do on a server: reuse the
 * space of dead rows, truncate the WAL, and prevent transaction id wraparound.
 */
import type { PGlite } from '@electric-sql/pglite';
import type { Database } from '../orm.ts';

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

/** What a run did. */
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

/** Parameters: rows, share, uncountedBytes, age. A table's TOAST table is counted and vacuumed with it. */
const DUE_TABLES = `
  select name, is_old, is_changed from (
    select format('%I.%I', n.nspname, c.relname) as name,
      greatest(age(c.relfrozenxid), age(t.relfrozenxid)) > $4::int as is_old,
      coalesce(s.n_mod_since_analyze, 0) >= allowed.rows as is_changed,
      (greatest(s.n_dead_tup, s.n_ins_since_vacuum, ts.n_dead_tup) + 1) / (allowed.rows + 1) as due,
      s.last_vacuum is null and pg_table_size(c.oid) >= $3::bigint as is_uncounted
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral (select $1::float8 + $2::float8 * greatest(c.reltuples, 0) as rows) allowed
    left join pg_class t on t.oid = c.reltoastrelid
    left join pg_stat_all_tables s on s.relid = c.oid
    left join pg_stat_all_tables ts on ts.relid = c.reltoastrelid
    where c.relkind in ('r', 'm') and c.relpersistence <> 't'
  ) tables
  where is_old or is_uncounted or due >= 1
  order by is_old desc, due desc nulls last, name`;

/** PostgreSQL's template databases. Never frozen, they would age until wraparound. */
const OLD_TEMPLATES = `
  select datname from pg_database where datname in ('template0', 'template1') and age(datfrozenxid) > $1::int`;

const LOG_GROWTH = `
  select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`;

/**
 * One run: vacuums the tables that are due, the most urgent first, then makes a checkpoint if needed. All queries wait
 * meanwhile, so a run is short and the next one continues. Null on a server, which does this itself.
 */
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
