/** The statements of balances: how one stands, and which are low. */
import { timeSql } from '../../db/statements/json.sql.ts';
import { statement } from '../../db/statements/statement.ts';
import { eventCtes } from '../webhooks/events/record-events.sql.ts';
import { TODAY } from './ledger.sql.ts';

/** How a balance stands. */
export const BALANCE = statement('balance', {
  takes: { account: 'uuid' },
  gives: {
    id: 'uuid',
    credits: 'int',
    low_balance_threshold: 'int?',
    daily_spend_cap: 'int?',
    low_balance_since: 'timestamptz?',
    spent_today: 'int',
    held: 'int',
  },
  sql: p => `
  select id, credits, held, low_balance_threshold, daily_spend_cap, low_balance_since,
    case when spend_day = ${TODAY} then spent else 0 end as spent_today
  from accounts where id = ${p.account}`,
});

/**
 * The mark of an account says that its balance is low and nobody was told; the statement takes it away as it writes the event, so each fall is told once,
 * by whichever worker comes first. It waits for an account that a send has in hand instead of passing it over: a busy account
 * nearly always is.
 */
export const TELL_LOW_BALANCES = statement('tell low balances', {
  takes: { limit: 'int' },
  gives: { id: 'uuid', credits: 'int', threshold: 'int' },
  sql: p => `
  with unmarked as materialized (
    select id from accounts where low_balance_untold order by id limit ${p.limit} for no key update
  ), low as (
    update accounts a set low_balance_untold = false from unmarked u
    where a.id = u.id and a.low_balance_untold
    returning a.id as account_id, a.credits, a.low_balance_threshold as threshold, a.low_balance_since as since
  ), ${eventCtes('(select array_agg(id) from unmarked)::uuid[]', [
    {
      from: 'low',
      where: 'true',
      of: 'low',
      events: { 'balance.low': 'true' },
      data: `json_build_object('credits', low.credits, 'threshold', low.threshold, 'since', ${timeSql('low.since')})`,
    },
  ])}
  select account_id as id, credits, threshold from low`,
});
