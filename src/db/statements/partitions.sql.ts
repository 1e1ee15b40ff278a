/** The statement that finds partitions whose time is over. */
import { statement } from './statement.ts';

/** The partitions of tables whose rows are all older than so many days, the oldest first. The end of a name is its month. */
export const OVER_PARTITIONS = statement('over partitions', {
  takes: { tables: 'text[]', days: 'int' },
  gives: { name: 'text' },
  sql: p => `
  select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
  where p.relname = any(${p.tables}) and c.relname ~ '_p[0-9]{6}$'
    and to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' <= now() at time zone 'UTC' - make_interval(days => ${p.days})
  order by right(c.relname, 6), c.relname`,
});
