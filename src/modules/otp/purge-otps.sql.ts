/** The statements that end and forget OTPs. A row that a send or a verify has in hand is left to the next run. */
import { definePurge } from '../../db/statements/purge.sql.ts';
import { statement } from '../../db/statements/statement.ts';
import { DECOY } from './verify/verify.sql.ts';

/** Ends live OTPs whose time is over, by the index of live OTPs: no other one leaves out the day of OTPs that are over. */
export const EXPIRE_OTPS = statement('expire otps', {
  takes: { limit: 'int' },
  gives: { count: 'int' },
  sql: p => `
  with over as (
    select id from otps where status in ('pending', 'sent') and expires_at <= now() limit ${p.limit} for update skip locked
  ), expired as (
    update otps o set status = 'expired' from over where o.id = over.id returning 1
  )
  select count(*)::int as count from expired`,
});

/** The purges of OTPs and of their limits. A recipient counts for 24 hours, the sends of an address for one, its wrong codes for five minutes, a place for 14 days. */
export const PURGES = [
  definePurge('otps', 'id', `expires_at < now() - interval '24 hours' and id <> ${DECOY} and lease_until is null`),
  definePurge(
    'otp_recipients',
    'account_id, recipient',
    `updated_at < now() - interval '26 hours' and account_id <> ${DECOY}`,
  ),
  definePurge('otp_addresses', 'account_id, address', `updated_at < now() - interval '1 hour'`),
  definePurge('otp_send_addresses', 'account_id, address', `updated_at < now() - interval '2 hours'`),
  definePurge('otp_traffic', 'account_id, place, hour', `hour < now() - interval '15 days'`),
];

/** Old enough that nothing of its verify is under way. */
const DECOY_LOG_KEPT = `interval '5 minutes'`;

/** Up to the id that ends the chunk: a range of the index of accounts, in whatever partitions there are. */
export const PURGE_DECOY_LOG = statement('purge log of the decoy', {
  takes: { limit: 'int' },
  gives: { count: 'int' },
  sql: p => `
  with bounds as materialized (
    select id from attempts where account_id = ${DECOY} and finished_at < now() - ${DECOY_LOG_KEPT} order by id limit ${p.limit}
  ), deleted as (
    delete from attempts
    where account_id = ${DECOY} and finished_at < now() - ${DECOY_LOG_KEPT}
      and id <= (select id from bounds order by id desc limit 1)
    returning 1
  )
  select count(*)::int as count from deleted`,
});

/** Its guesses are counted like those at any other, and would run out after two billion. */
export const RESET_DECOY = statement('reset decoy', {
  sql: () => `update otps set attempts = 0
    where id in (select id from otps where id = ${DECOY} and attempts > 0 for update skip locked)`,
});
