/** The statements of balances: how one stands, and which are low. */
import { idSql, timeSql } from '../../db/statements/json.sql.ts';
import { records } from '../../db/statements/records.ts';
import { statement } from '../../db/statements/statement.ts';
import { eventCtes } from '../webhooks/events/record-events.sql.ts';
import { TODAY } from './ledger.sql.ts';

/** How a balance stands. */
export const BALANCE = statement('balance', {
  takes: { account: 'uuid' },
  gives: {
    accountId: 'text',
    /** The credits that can be spent, without those that are held. */
    credits: 'int',
    /** The credits that sends under way hold until their outcome is known. */
    held: 'int',
    /** Below so many credits the balance is low; null: it never is. */
    lowBalanceThreshold: 'int?',
    /** Since when it is low; null: it is not. */
    lowBalanceSince: 'timestamptz?',
    /** The most that sends may cost in a day (UTC); null: as much as there is. */
    dailySpendCap: 'int?',
    /** The credits that sends have cost or hold today (UTC). */
    spentToday: 'int',
  },
  sql: p => `
  select ${idSql('acc', 'id')} as "accountId", credits, held, low_balance_threshold as "lowBalanceThreshold",
    low_balance_since as "lowBalanceSince", daily_spend_cap as "dailySpendCap",
    case when spend_day = ${TODAY} then spent else 0 end as "spentToday"
  from accounts where id = ${p.account}`,
});

/** The balance now, less the sum of the newer entries. One statement reads both, since they change together. */
export const BALANCES_AFTER = statement('balances after', {
  takes: { account: 'uuid', oldest: 'uuid', ids: 'uuid[]', most: 'int' },
  gives: { id: 'uuid', balance: 'int' },
  sql: p => `
  with newer as (
    select id, credits from ledger where account_id = ${p.account} and id >= ${p.oldest} order by id desc limit ${p.most}
  ), summed as (
    select id, sum(credits) over (order by id desc) - credits as changed from newer
  )
  select s.id, (a.credits + a.held - s.changed)::int as balance from summed s join accounts a on a.id = ${p.account}
  where s.id = any(${p.ids})`,
});

/** Accounts whose balance is low and of which nobody was told. */
export const LOW_UNTOLD = statement('low untold', {
  takes: { limit: 'int' },
  gives: { id: 'uuid', credits: 'int' },
  sql: p => `select id, credits from accounts where low_balance_untold order by id limit ${p.limit}`,
});

/**
 * Writes `balance.low` for accounts whose mark `low_balance_untold` is set, and clears the mark, so that each fall is told once. An account
 * that a send has locked is waited for, not skipped: a busy account is nearly always locked.
 */
export const TELL_LOW_BALANCES = statement('tell low balances', {
  takes: { forecasts: records('account uuid, lasts float8?'), accounts: 'uuid[]' },
  gives: { id: 'uuid', credits: 'int', threshold: 'int', lasts: 'float8?' },
  sql: p => `
  with unmarked as materialized (
    select id from accounts where id = any(${p.accounts}) and low_balance_untold order by id for no key update
  ), low as (
    update accounts a set low_balance_untold = false from unmarked u join ${p.forecasts('f')} on f.account = u.id
    where a.id = u.id and a.low_balance_untold
    returning a.id as account_id, a.credits, a.low_balance_threshold as threshold, a.low_balance_since as since, f.lasts
  ), ${eventCtes('(select array_agg(id) from unmarked)::uuid[]', [
    {
      from: 'low',
      where: 'true',
      of: 'low',
      events: { 'balance.low': 'true' },
      data: `json_build_object('credits', low.credits, 'threshold', low.threshold, 'since', ${timeSql('low.since')}, 'lastsDays', round(low.lasts::numeric, 1))`,
    },
  ])}
  select account_id as id, credits, threshold, lasts from low`,
});
