/** The statements of the job that purges sandbox messages. */
import { statement } from '../../db/statements/statement.ts';

/** Deletes what has a lower id. */
export const PURGE_OLD = statement('purge old sandbox messages', {
  takes: { before: 'uuid', limit: 'int' },
  gives: { count: 'int' },
  sql: p => deleting(`select id from sandbox_messages where id < ${p.before} order by id limit ${p.limit}`),
});

/** Deletes what an account has beyond the newest. */
export const PURGE_BEYOND = statement('purge sandbox messages of a crowded account', {
  takes: { account: 'uuid', oldestKept: 'uuid', limit: 'int' },
  gives: { count: 'int' },
  sql: p =>
    deleting(
      `select id from sandbox_messages where account_id = ${p.account} and id < ${p.oldestKept} order by id limit ${p.limit}`,
    ),
});

function deleting(ids: string): string {
  return `
  with deleted as (delete from sandbox_messages where id in (${ids}) returning 1)
  select count(*)::int as count from deleted`;
}

/** The accounts with more than they may keep, each with the oldest id of what stays. Jumps from account to account in the index. */
export const FIND_CROWDED = statement('find crowded sandbox accounts', {
  takes: { kept: 'int' },
  gives: { account_id: 'uuid', oldest_kept: 'uuid' },
  sql: p => `
  with recursive owners as (
    (select account_id from sandbox_messages order by account_id limit 1)
    union all
    select (select s.account_id from sandbox_messages s where s.account_id > o.account_id order by s.account_id limit 1)
    from owners o where o.account_id is not null
  )
  select o.account_id, kept.id as oldest_kept
  from owners o
  cross join lateral (
    select s.id from sandbox_messages s where s.account_id = o.account_id order by s.id desc offset ${p.kept} - 1 limit 1
  ) kept`,
});
