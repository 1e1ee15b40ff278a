/** The questions of PGlite's upkeep, to the engine itself and not to the pool. */

/** Parameters: rows, share, uncountedBytes, age. A table's TOAST table is counted and vacuumed with it. */
export const DUE_TABLES = `
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
