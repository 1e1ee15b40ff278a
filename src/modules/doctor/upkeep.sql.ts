/** The statements of how a PostgreSQL is kept. */
import { statement } from '../../db/statements/statement.ts';

/** Tables with many dead rows, the worst first. */
export const FIND_BLOAT = statement('find bloat', {
  takes: { rows: 'int' },
  gives: { name: 'text', dead: 'float8', percent: 'float8', vacuumed: 'timestamptz?' },
  sql: p => `
  select relname::text as name, n_dead_tup::float8 as dead, round(100.0 * n_dead_tup / greatest(n_live_tup, 1))::float8 as percent,
    greatest(last_vacuum, last_autovacuum) as vacuumed
  from pg_stat_user_tables where n_dead_tup > ${p.rows} and n_dead_tup > 0.4 * n_live_tup order by n_dead_tup desc limit 5`,
});

/** Indexes that nothing has read since the statistics began and the server started, where both are a week ago. Those of constraints serve by being there. */
export const FIND_UNUSED = statement('find unused indexes', {
  takes: { bytes: 'int', days: 'int' },
  gives: { name: 'text', mib: 'float8' },
  sql: p => `
  select s.indexrelname::text as name, round(pg_relation_size(s.indexrelid) / 1048576.0)::float8 as mib
  from pg_stat_user_indexes s join pg_index i on i.indexrelid = s.indexrelid
  where s.idx_scan = 0 and not i.indisunique and not i.indisexclusion and pg_relation_size(s.indexrelid) > ${p.bytes}
    and greatest((select stats_reset from pg_stat_database where datname = current_database()), pg_postmaster_start_time())
      <= now() - make_interval(days => ${p.days})
  order by pg_relation_size(s.indexrelid) desc limit 5`,
});

/** Large tables that are often read whole: an index is missing. */
export const FIND_READ_WHOLE = statement('find tables that are read whole', {
  takes: { rows: 'int', scans: 'int' },
  gives: { name: 'text', scans: 'float8' },
  sql: p => `
  select relname::text as name, seq_scan::float8 as scans from pg_stat_user_tables
  where n_live_tup > ${p.rows} and seq_scan > ${p.scans} and seq_tup_read > seq_scan * n_live_tup / 2 order by seq_tup_read desc limit 5`,
});

/** Indexes that were not made to their end: each write keeps them, and no read uses them. */
export const FIND_INVALID = statement('find invalid indexes', {
  gives: { name: 'text' },
  sql: () => `
  select c.relname::text as name from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
  where not i.indisvalid and c.relkind = 'i' and n.nspname not like 'pg\\_%'
    and not exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) order by 1 limit 5`,
});

/** The oldest transaction of the server that has lasted so long. Another user's is seen by a role with `pg_read_all_stats`. */
export const FIND_OLDEST = statement('find the oldest transaction', {
  takes: { seconds: 'int' },
  gives: { pid: 'int', application: 'text', state: 'text', seconds: 'float8' },
  sql: p => `
  select pid, application_name as application, coalesce(state, 'unknown') as state, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
  from pg_stat_activity
  where xact_start < clock_timestamp() - make_interval(secs => ${p.seconds}) and backend_type = 'client backend' and pid <> pg_backend_pid()
  order by xact_start limit 1`,
});

/** Transactions of two phases that were prepared so long ago: they hold their locks over restarts. */
export const FIND_PREPARED = statement('find prepared transactions', {
  takes: { seconds: 'int' },
  gives: { name: 'text' },
  sql: p => `
  select gid as name from pg_prepared_xacts
  where database = current_database() and prepared < clock_timestamp() - make_interval(secs => ${p.seconds}) order by prepared limit 5`,
});

/** Replication slots that nobody reads, with the log that is kept for them. */
export const FIND_SLOTS = statement('find idle slots', {
  takes: { bytes: 'int' },
  gives: { name: 'text', mib: 'float8' },
  sql: p => `
  select slot_name::text as name, round(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) / 1048576.0)::float8 as mib
  from pg_replication_slots where not active and pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) > ${p.bytes} order by restart_lsn limit 5`,
});

/** The age of the oldest transaction number of the server, in millions. */
export const READ_XID_AGE = statement('read the age of transaction numbers', {
  gives: { millions: 'float8' },
  sql: () => 'select round(max(age(datfrozenxid)) / 1e6)::float8 as millions from pg_database',
});

/** The tables by month that have no partition for a day ahead. */
export const FIND_UNPARTITIONED = statement('find tables without a next partition', {
  takes: { suffix: 'text' },
  gives: { name: 'text' },
  sql: p => `
  select c.relname::text as name from pg_partitioned_table t join pg_class c on c.oid = t.partrelid
  where c.relnamespace = current_schema()::regnamespace and exists (select from pg_inherits where inhparent = c.oid)
    and not exists (
      select from pg_inherits i join pg_class part on part.oid = i.inhrelid
      where i.inhparent = c.oid and part.relname = c.relname || ${p.suffix}) order by 1`,
});
