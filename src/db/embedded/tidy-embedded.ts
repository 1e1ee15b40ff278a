/**
 * The order of the embedded database: what a server's own processes do beside its connections (autovacuum, checkpointer), and one
 * process alone does not. Without it what rows leave behind is never used again, the log is never cut, and after two billion
 * transactions nothing can be written.
 */
import type { PGlite } from '@electric-sql/pglite';
import type { Database } from '../orm.ts';

/** When something is due, and how much of it is done in one turn. */
export interface TidyLimits {
  /** A table is vacuumed when so many of its rows are dead or new since the last time, */
  readonly rows: number;
  /** and this share of its rows besides. Small, since everybody waits for a vacuum, and it takes as long as it finds work. */
  readonly share: number;
  /** Larger tables are vacuumed once after each start, which forgets what was counted. Bytes. */
  readonly uncountedBytes: number;
  /** A table whose oldest row is so many transactions old is frozen. The end is at two billion. */
  readonly age: number;
  /** The log is cut when it has grown by so many bytes. */
  readonly logBytes: number;
  /** No other table is begun after so long. */
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

/** What a turn did. */
export interface Tidied {
  /** The tables that were vacuumed, with their schema, in turn. */
  readonly vacuumed: readonly string[];
  readonly frozen: boolean;
  readonly checkpointed: boolean;
}

interface DueTable {
  readonly name: string;
  readonly is_old: boolean;
  readonly is_changed: boolean;
}

/** Its parameters are rows, share, uncountedBytes and age. What a table keeps apart (TOAST) is vacuumed and counted with it. */
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

/** The databases beside ours that PostgreSQL comes with. They are as old as they were made, and that is the age of the whole. */
const OLD_TEMPLATES = `
  select datname from pg_database where datname in ('template0', 'template1') and age(datfrozenxid) > $1::int`;

const LOG_GROWTH = `
  select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`;

/**
 * One turn: vacuums the tables that are due, the most urgent first, and cuts the log. Each statement holds up everybody, so there
 * are few; the next turn goes on. On a server, which does it by itself, nothing is done: null.
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
  // What was counted is told to others once a second only.
  await pglite.query('select pg_stat_force_next_flush()');
  return (await pglite.query<DueTable>(DUE_TABLES, [rows, share, uncountedBytes, age])).rows;
}

/** No other database is ever made from them, and nobody can connect to them to freeze them. */
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
