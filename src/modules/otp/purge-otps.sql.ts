/** The statements that end and forget OTPs. A row that a send or a verify has in hand is left to the next run. */
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

/** What one table need not keep, by the database's clock. */
interface Rule {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: string;
  readonly isOver: string;
}

/**
 * A recipient is counted for 24 hours, and its wrong codes come within an hour of the send that wrote its time; an address is counted
 * for five minutes. An older row is as good as none, and so is a bucket that is full. The fraud guard looks 14 days back.
 */
const RULES: readonly Rule[] = [
  { table: 'otps', key: 'id', isOver: `expires_at < now() - interval '24 hours' and id <> ${DECOY}` },
  {
    table: 'otp_recipients',
    key: 'account_id, recipient',
    isOver: `updated_at < now() - interval '26 hours' and account_id <> ${DECOY}`,
  },
  { table: 'otp_addresses', key: 'account_id, address', isOver: `updated_at < now() - interval '1 hour'` },
  { table: 'otp_traffic', key: 'account_id, place, hour', isOver: `hour < now() - interval '15 days'` },
  { table: 'request_buckets', key: 'token_id, kind', isOver: `full_at < now() - interval '1 day'` },
];

/** Old enough that nothing of its verify is under way. */
const DECOY_LOG_KEPT = `interval '5 minutes'`;

/** Deletes what is over, table by table. */
export const PURGES = RULES.map(({ table, key, isOver }) =>
  statement(`purge ${table}`, {
    takes: { limit: 'int' },
    gives: { count: 'int' },
    sql: p => `
    with over as materialized (
      select ${key} from ${table} where ${isOver} limit ${p.limit} for update skip locked
    ), deleted as (
      delete from ${table} where (${key}) in (select ${key} from over) returning 1
    )
    select count(*)::int as count from deleted`,
  }),
);

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
