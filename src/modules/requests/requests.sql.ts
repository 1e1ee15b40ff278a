/** The statements of the request log. */
import { rowsWithout } from '../../db/statements/records.ts';
import { statement } from '../../db/statements/statement.ts';
import { LoggedRequest } from './logged-request.entity.ts';

const ROWS = rowsWithout(LoggedRequest);

/** Rows of the log. */
export type RequestRow = Parameters<typeof ROWS.encode>[0][number];

/** Stores requests; those that are stored already stay. A crash may lose the last ones: nobody waits for the disk. */
export const STORE_REQUESTS = statement('store requests', {
  takes: { rows: ROWS },
  sql: p => `
  with unflushed as materialized (select set_config('synchronous_commit', 'off', true))
  insert into logged_requests (${ROWS.columns})
  select r.* from ${p.rows('r')}, unflushed where unflushed is not null
  on conflict (id) do nothing`,
});

/** Deletes what is older than an id: ids hold their time. */
export const PURGE_REQUESTS = statement('purge requests', {
  takes: { before: 'uuid', limit: 'int' },
  gives: { count: 'int' },
  sql: p => `
  with over as materialized (
    select id from logged_requests where id < ${p.before} order by id limit ${p.limit} for update skip locked
  ), deleted as (
    delete from logged_requests where id in (select id from over) returning 1
  )
  select count(*)::int as count from deleted`,
});
