/**
 * Entries of the ledger, as a part of the statement that changes the state: money moves exactly when the state does (contract §8). A
 * trigger books them, one change of a balance for each account and statement.
 */
import { UUID7 } from '../../db/statements/uuid7.sql.ts';
import type { LedgerKind } from './ledger-entry.entity.ts';

/** The day (UTC) that what is spent now counts to. */
const TODAY = `(now() at time zone 'UTC')::date`;

/** The columns that the queries below fill. */
const LEDGER_COLUMNS = 'account_id, id, kind, credits, held, attempt_id, spend_day, created_at';

/** Writes the entries of these queries. One that is there already stays as it is: nothing is held, captured or released twice. */
export function bookEntries(...queries: readonly string[]): string {
  return `insert into ledger (${LEDGER_COLUMNS}) ${queries.join(' union all ')} on conflict do nothing`;
}

/** What a hold is asked for with: a parameter of `records` with these columns, and more where a statement needs them. */
export const HOLD_COLUMNS = 'attempt_id uuid, send_id uuid, account_id uuid, need int';

/**
 * The CTEs that decide which holds the balances have room for. `paying` locks the accounts, and must do so before the statement
 * locks anything else that others lock too: accounts come first everywhere, so nobody deadlocks. `holds` has the holds that were asked for,
 * with `shortage`: null where the hold is made, else `balance` or `daily_cap`. Of holds that come together the small go first, so
 * that one which does not fit keeps none of the others out.
 * @param asked a FROM clause named `h` with `attempt_id`, `send_id`, `account_id` and `need` (credits)
 * @param accounts the accounts of these holds, and those of holds that may be released here, of type `uuid[]`
 */
export function holdCtes(asked: string, accounts: string): string {
  return `paying as materialized (
    select id, credits, daily_spend_cap - case when spend_day = ${TODAY} then spent else 0 end as cap_left
    from accounts where id = any(${accounts}) order by id for no key update
  ), holds as materialized (
    select *, case when upto > credits then 'balance' when upto > cap_left then 'daily_cap' end as shortage
    from (
      select h.*, p.credits, p.cap_left, sum(h.need) over (partition by h.account_id order by h.need, h.send_id) as upto
      from ${asked} join paying p on p.id = h.account_id
    ) summed
  )`;
}

/** The entries of the holds that are made. @param isStored SQL: whether the send of a row of `holds` was accepted */
export function holdEntries(isStored: string): string {
  return entry('hold', {
    from: `holds where shortage is null and ${isStored}`,
    account: 'account_id',
    attempt: 'attempt_id',
    credits: '-need',
    held: 'need',
    day: TODAY,
  });
}

/**
 * The entries of an attempt `a`: its hold, with the day that it counts to, and what else there is. An aggregate, so that the index is
 * looked into for each attempt: a join would be planned for a ledger as small as it once was.
 */
const ENTRIES_OF_ATTEMPT = `
  select max(held) filter (where kind = 'hold') as hold, max(spend_day) filter (where kind = 'hold') as spend_day,
    coalesce(bool_or(kind = 'release') and not bool_or(kind = 'charge'), false) as may_be_charged
  from ledger where attempt_id = a.id`;

/**
 * The entries that end the holds of attempts whose outcome became known: captured where the provider accepted, else released.
 * @param attempts a FROM clause whose rows are these attempts, named `a`
 * @param isAccepted SQL
 */
export function endEntries(attempts: string, isAccepted: string): string {
  return `select a.account_id, ${UUID7}, case when ${isAccepted} then 'capture' else 'release' end,
      case when ${isAccepted} then 0 else l.hold end, -l.hold, a.id, case when not ${isAccepted} then l.spend_day end, clock_timestamp()
    from ${attempts} cross join lateral (${ENTRIES_OF_ATTEMPT}) l where a.channel = 'sms' and l.hold is not null`;
}

/**
 * The CTEs that charge attempts which turn out to be accepted after their hold was released. An attempt is charged once, and never
 * more than the balance holds: `owed` has what each pays, in `pays`.
 * @param proven a FROM clause whose rows are these attempts, named `a`
 * @param accounts their accounts, of type `uuid[]`
 */
export function chargeCtes(proven: string, accounts: string): string {
  return `paying as materialized (
    select id, credits from accounts where id = any(${accounts}) order by id for no key update
  ), owed as materialized (
    select *, greatest(0, least(need, credits - (upto - need)))::int as pays
    from (
      select a.id, a.account_id, l.hold as need, p.credits, sum(l.hold) over (partition by a.account_id order by a.id) as upto
      from ${proven} join paying p on p.id = a.account_id cross join lateral (${ENTRIES_OF_ATTEMPT}) l
      where l.may_be_charged
    ) summed
  ), charged as (
    ${bookEntries(entry('charge', { from: 'owed', account: 'account_id', attempt: 'id', credits: '-pays', held: '0', day: TODAY }))}
  )`;
}

function entry(
  kind: LedgerKind,
  of: {
    readonly from: string;
    readonly account: string;
    readonly attempt: string;
    readonly credits: string;
    readonly held: string;
    readonly day: string;
  },
): string {
  return `select ${of.account}, ${UUID7}, '${kind}', ${of.credits}, ${of.held}, ${of.attempt}, ${of.day}, clock_timestamp() from ${of.from}`;
}
