/**
 * Holds, and entries of the ledger, as parts of the statement that changes the state: money moves exactly when the state does (contract
 * §8). A hold is a number of its send and of its account; the ledger has an entry when credits are spent. A trigger books entries.
 */
import { UUID7_NOW, uuid7Like, uuid7Of } from '../../db/statements/uuid7.sql.ts';
import { PAID_CHANNELS } from '../../kernel/channel.ts';

/** Whether an attempt goes over a channel that costs credits. @param a SQL: the attempt */
export function isPaidSql(a: string): string {
  return `${a}.channel in (${PAID_CHANNELS.map(channel => `'${channel}'`).join(', ')})`;
}

/** Whether a send has no channel that is free. @param send SQL: the message or the OTP */
export function isPaidOnlySql(send: string): string {
  return `${send}.channels <@ '{${PAID_CHANNELS.join()}}'`;
}

/** The day (UTC) whose spend a send counts to now. */
export const TODAY = `(now() at time zone 'UTC')::date`;

/** The columns of the parameter of `records` that asks for holds. */
export const HOLD_COLUMNS = 'send_id uuid, account_id uuid, need int';

/**
 * The CTEs that decide which holds the balances have room for. `paying` locks the accounts, and must do so before the statement
 * locks anything else that others lock too: accounts come first everywhere, so nobody deadlocks. `holds` has the holds that were asked for,
 * with `shortage`: null where the hold is made, else `balance` or `daily_cap`. Of holds that come together the small go first, so
 * that one which does not fit keeps none of the others out.
 * @param asked a FROM clause named `h` with `send_id`, `account_id` and `need` (credits)
 * @param accounts the accounts of these holds, and those of holds that may be released here, of type `uuid[]`
 */
export function holdCtes(asked: string, accounts: string): string {
  return `paying as materialized (
    select id, credits, spend_day, daily_spend_cap - case when spend_day = ${TODAY} then spent else 0 end as cap_left
    from accounts where id = any(${accounts}) order by id for no key update
  ), holds as materialized (
    select *, case when upto > credits then 'balance' when upto > cap_left then 'daily_cap' end as shortage
    from (
      select h.*, p.credits, p.cap_left, sum(h.need) over (partition by h.account_id order by h.need, h.send_id) as upto
      from ${asked} join paying p on p.id = h.account_id
    ) summed
  )`;
}

/**
 * The CTE that keeps the holds which were made, and gives back those that end without being spent, in one change of each account.
 * @param isStored SQL: whether the send of a row of `holds` was stored
 * @param released a query of `account_id`, `credits` and `held_on` of holds that end; absent: none does
 */
export function holdingCte(isStored: string, released?: string): string {
  const made = `select account_id, need, 0 as back, 0 as unspent from holds where shortage is null and ${isStored}`;
  const ended = `union all select r.account_id, 0, r.credits, case when r.held_on = p.spend_day then r.credits else 0 end
      from (${released}) r join paying p on p.id = r.account_id`;
  return `holding as (
    update accounts a
    set credits = a.credits - c.need + c.back, held = a.held + c.need - c.back,
        spend_day = case when c.need > 0 then greatest(a.spend_day, ${TODAY}) else a.spend_day end,
        spent = case when c.need > 0 and ${TODAY} > coalesce(a.spend_day, '-infinity') then c.need
          when a.spend_day > ${TODAY} then a.spent - c.unspent else a.spent - c.unspent + c.need end
    from (
      select account_id, sum(need)::int as need, sum(back)::int as back, sum(unspent)::int as unspent
      from (${made} ${released === undefined ? '' : ended}) moves group by account_id
    ) c
    where a.id = c.account_id
  )`;
}

/** Spends holds of attempts that are written in the same statement, so that none is spent twice. @param held a query of `account_id`, `attempt_id`, `credits` and `held_on` */
export function capture(held: string): string {
  return `insert into ledger (account_id, id, kind, credits, held, attempt_id, spend_day, created_at)
    select h.account_id, ${uuid7Like('h.attempt_id', 't.time')}, 'capture', -h.credits, -h.credits, h.attempt_id, h.held_on, t.at
    from (${held}) h cross join ${UUID7_NOW} t`;
}

/**
 * The CTEs that charge attempts which turn out to be accepted after their hold was released. An attempt is charged once, and never
 * more than the balance holds: `owed` has the credits of each, in `pays`.
 * @param proven a FROM clause whose rows are these attempts, named `a`
 * @param accounts their accounts, of type `uuid[]`
 */
export function chargeCtes(proven: string, accounts: string): string {
  return `paying as materialized (
    select id, credits from accounts where id = any(${accounts}) order by id for no key update
  ), owed as materialized (
    select *, greatest(0, least(need, credits - (upto - need)))::int as pays
    from (
      select a.id, a.account_id, a.segments as need, p.credits, sum(a.segments) over (partition by a.account_id order by a.id) as upto
      from ${proven} join paying p on p.id = a.account_id
      -- What was not paid for was not sent.
      where ${isPaidSql('a')} and a.provider is not null and a.error_code is distinct from 'insufficient_balance'
        and not exists (select from ledger l where l.attempt_id = a.id and l.kind in ('capture', 'charge'))
    ) summed
  ), charged as (
    insert into ledger (account_id, id, kind, credits, held, attempt_id, spend_day, created_at)
    select account_id, ${uuid7Of('at')}, 'charge', -pays, 0, id, ${TODAY}, at from (select *, clock_timestamp() as at from owed) o
    on conflict do nothing
  )`;
}
