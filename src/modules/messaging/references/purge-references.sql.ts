/** The statement of the verb *purge references*. */
import { statement } from '../../../db/statements/statement.ts';

/** Deletes references that are over. One that a send is taking over at the same time is left to it. */
export const PURGE_REFERENCES = statement('purge references', {
  takes: { limit: 'int' },
  gives: { count: 'int' },
  sql: p => `
  with expired as (
    select account_id, area, reference from idempotency_keys
    where expires_at <= now() order by expires_at limit ${p.limit} for update skip locked
  ), deleted as (
    delete from idempotency_keys k using expired e
    where k.account_id = e.account_id and k.area = e.area and k.reference = e.reference
    returning 1
  )
  select count(*)::int as count from deleted`,
});
