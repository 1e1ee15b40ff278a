/** The statement of the batch *verify* that knows every outcome. */
import { after, telling } from '../../../db/statements/order.sql.ts';
import { records, toldIds } from '../../../db/statements/records.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { type Answer, statement } from '../../../db/statements/statement.ts';
import { sentenceOf } from '../../../kernel/attempt-errors.ts';
import { LOG_CHANNEL } from '../../routing/announce-log.ts';
import { otpVerdicts } from '../../webhooks/events/event-data.sql.ts';
import { eventCtes } from '../../webhooks/events/record-events.sql.ts';
import { PREFIX_CUT } from '../limits/fraud.policy.ts';
import type { OtpJson } from '../otp-row.ts';

/** Stands for every pin that the caller does not have, and for its account; the migration made its rows. */
export const DECOY_ID = '00000000-0000-0000-0000-000000000000';

/** The same, as SQL. */
export const DECOY = `'${DECOY_ID}'::uuid`;

/** The stamps of a budget that still count, as SQL. None of the decoy's: else unknown pins would be answered sooner one day. */
export const kept = (stamps: string, accountId: string, span: string): string =>
  `array(select s from unnest(${stamps}) s where s > at - interval '${span}' and ${accountId} <> ${DECOY})`;

/** When the budget has room for one more, in seconds; never null, nor longer than its window, though another process may have set a stamp. */
const wait = (stamps: string, limit: string, span: string): string =>
  `least(extract(epoch from interval '${span}'), coalesce(extract(epoch from
        (select s from unnest(${stamps}) s order by s desc offset ${limit} - 1 limit 1) + interval '${span}' - at), 1))::float8`;

/** How many wrong guesses of the same budget come before each, as SQL. */
const wrongBefore = (budget: string): string =>
  `count(*) filter (where not is_right) over (partition by ${budget} order by ord rows between unbounded preceding and 1 preceding)`;

/** The verdicts, for their events. */
const VERDICTS = `verdicts v join pins h on h.id = v.pin join ended e on e.id = v.pin cross join clock`;

/** The parameters that both statements take. */
export const GUESSES = {
  guesses: records(`ord int, log_id uuid, pin uuid, account_id uuid, area text, macs jsonb, address text?,
      per_address int, per_recipient int, per_account int, is_account_limited boolean`),
  exemptRecipients: 'text[]',
  /** Those of the guesses and the decoy, so that the planner takes the index, whatever it believes about the table. */
  pins: 'uuid[]',
  accounts: 'uuid[]',
  logged: toldIds,
} as const;

/** The parameters of `GUESSES` as they stand in a statement. */
interface PlacedGuesses {
  guesses(alias: string): string;
  readonly pins: string;
}

/**
 * The CTEs with which both statements begin. Pins and recipients of the guesses are locked, in the order of a send, before anything is compared.
 * Whoever guesses at the same ones next sees the outcome.
 */
export const lockingCtes = (p: PlacedGuesses): string => `clock as materialized (
    select clock_timestamp() as at
  ), guesses as materialized (
    select * from ${p.guesses('g')}
  ), aimed as materialized (
    select g.ord, g.log_id, g.macs, g.address, g.per_address, g.per_recipient, g.per_account, g.is_account_limited, coalesce(o.id, ${DECOY}) as pin,
      coalesce(o.account_id, ${DECOY}) as account_id, coalesce(o.recipient, '') as recipient
    from guesses g
    left join otps o on o.id = g.pin and o.account_id = g.account_id and o.area = g.area and o.id = any(${p.pins})
  ), recipients as materialized (
    select r.account_id, r.recipient, ${kept('r.wrongs', 'r.account_id', '24 hours')} as kept
    from (select distinct account_id, recipient from aimed) a join otp_recipients r using (account_id, recipient)
    cross join clock order by r.account_id, r.recipient for update of r
  ), pins as materialized (
    select o.* from otps o where o.id in (select pin from aimed) and o.id = any(${p.pins}) and ${after('recipients')}
    order by o.id for update
  )`;

/** The CTE `traffic`: counts codes that were verified, for the fraud guard. @param won a FROM clause with these OTPs as `h` */
export const trafficCte = (won: string, exemptRecipients: string): string => `traffic as (
    insert into otp_traffic as t (account_id, place, hour, sent, verified)
    select h.account_id, p.place, date_trunc('hour', h.created_at), 0, count(*)
    from ${won}
    cross join lateral (values (h.country), ('+' || left(h.recipient, -${PREFIX_CUT}))) p(place)
    where p.place is not null and not h.recipient = any(${exemptRecipients})
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, place, hour) do update set verified = t.verified + excluded.verified
  )`;

/** The columns of a log entry that are taken from its pin, the row `h`. */
export const ENTRY_OF_PIN = {
  columns: 'account_id, area, pin_id, channel, recipient, country, started_at',
  values: 'h.account_id, h.area, h.id, h.channel, h.recipient, h.country, h.created_at',
} as const;

/**
 * Takes the guesses of a group in their order, as if they came one after another, and locks rows in the order of a send. A guess without
 * room only because of earlier ones that a budget refused is asked `again`, without an entry. No budget lets one through too many.
 */
export const VERIFY = statement('verify otps', {
  takes: GUESSES,
  gives: {
    ord: 'int',
    kind: typed<
      | 'verified'
      | 'incorrect'
      | 'limited'
      | 'blocked'
      | 'already_verified'
      | 'expired'
      | 'cancelled'
      | 'keyless'
      | 'not_found'
      | 'again'
    >('text'),
    remaining: 'int',
    retry_after: 'float8?',
    budget: typed<'address' | 'recipient' | 'account'>('text'),
    is_alarm: 'boolean',
    otp: typed<OtpJson | null>('jsonb'),
  },
  sql: p => `
  with ${lockingCtes(p)}, compared as materialized (
    select a.*, h.attempts_max - h.attempts as room, h.status in ('pending', 'sent') and h.expires_at > at as is_current,
      a.macs ? h.key_id or h.id = ${DECOY} as has_key,
      coalesce(a.macs->>h.key_id = h.code_mac, false) as is_right, a.recipient = any(${p.exemptRecipients}) as is_exempt
    from aimed a join pins h on h.id = a.pin cross join clock
  ), tried as materialized (
    -- A candidate is a guess that its pin has room for. One whose key is lost cannot be compared, so nothing of it is counted.
    select c.*, is_current and has_key and row_number() over (partition by pin order by ord) <= room
        and not coalesce(bool_or(is_right) over (partition by pin order by ord
          rows between unbounded preceding and 1 preceding), false) as is_candidate
    from compared c
  ), from_addresses as materialized (
    -- The budgets of wrong codes: address, recipient, account. Who is out of one takes nothing from those after it, so that one address,
    -- or guesses at one recipient, cannot use up the account. A right code takes none, but needs room.
    select ord, account_id, address, per_address as room, is_right, ${wrongBefore('account_id, address')} as wrong_before
    from tried where is_candidate and address is not null
  ), rooms as materialized (
    select account_id, max(room) as room from from_addresses group by account_id
  ), addresses as (
    insert into otp_addresses as b (account_id, address, wrongs, admitted, updated_at)
    select account_id, address, array_fill(at, array[wrong]), wrong, at
    from (select account_id, address, least(count(*) filter (where not is_right), max(room))::int as wrong
          from from_addresses group by account_id, address) s, clock
    order by account_id, address
    on conflict (account_id, address) do update
      set (wrongs, admitted, updated_at) = (
        select kept || array_fill(at, array[fitting]), fitting, at
        from (select at, kept, least(excluded.admitted, greatest(r.room - cardinality(kept), 0)) as fitting
              from (select at, ${kept('b.wrongs', 'b.account_id', '5 minutes')} as kept from clock) k
              join rooms r on r.account_id = b.account_id) f)
    returning b.account_id, b.address, b.admitted, b.wrongs
  ), fit_address as materialized (
    select c.ord, c.wrong_before < b.admitted + c.room - cardinality(b.wrongs) as fits,
      ${wait('b.wrongs', 'c.room', '5 minutes')} as wait
    from from_addresses c join addresses b using (account_id, address) cross join clock
  ), to_recipients as materialized (
    select t.ord, t.account_id, t.recipient, t.is_right, t.per_recipient as room,
      ${wrongBefore('t.account_id, t.recipient')} as wrong_before
    from tried t left join fit_address f using (ord) where t.is_candidate and coalesce(f.fits, true) and not t.is_exempt
  ), fit_recipient as materialized (
    -- Without its row, which it has as long as its pins live, a recipient has no room. Without a wait it is asked again: room that was left
    -- may be taken by none of the earlier ones, since the account may refuse them.
    select c.ord, coalesce(c.wrong_before < left_over, false) as fits,
      case when left_over > 0 then null else ${wait('r.kept', 'c.room', '24 hours')} end as wait
    from to_recipients c left join recipients r using (account_id, recipient) cross join clock
    cross join lateral (select c.room - cardinality(r.kept) as left_over) l
  ), of_accounts as materialized (
    select t.ord, t.account_id, t.is_right, t.per_account as room, t.is_account_limited, ${wrongBefore('t.account_id')} as wrong_before
    from tried t left join fit_address a using (ord) left join fit_recipient r using (ord)
    where t.is_candidate and coalesce(a.fits, true) and coalesce(r.fits, true)
  ), account_budgets as (
    -- Who finds it full sets the alarm off, once in a minute: of the account's guesses in this group the last one tells.
    insert into otp_accounts as b (account_id, wrongs, admitted, alarmed_at)
    select account_id, array_fill(at, array[wrong]), wrong, case when wrong >= room and account_id <> ${DECOY} then at end
    from (select account_id, least(count(*) filter (where not is_right), max(room))::int as wrong, max(room) as room
          from of_accounts group by account_id) s, clock
    order by account_id
    on conflict (account_id) do update
      set (wrongs, admitted, alarmed_at) = (
        select kept || array_fill(at, array[fitting]), fitting, case
            when cardinality(kept) + fitting >= room and coalesce(b.alarmed_at <= at - interval '1 minute', true)
              and b.account_id <> ${DECOY} then at
            else b.alarmed_at end
        from (select at, kept, room, least(excluded.admitted, greatest(room - cardinality(kept), 0)) as fitting
              from (select at, ${kept('b.wrongs', 'b.account_id', '1 minute')} as kept,
                      (select max(room) from of_accounts o where o.account_id = b.account_id) as room from clock) k) f)
    returning b.account_id, b.admitted, b.wrongs, b.alarmed_at
  ), fit_account as materialized (
    -- Without a limit its stamps serve the alarm alone.
    select c.ord, not c.is_account_limited or c.wrong_before < b.admitted + c.room - cardinality(b.wrongs) as fits,
      ${wait('b.wrongs', 'c.room', '1 minute')} as wait,
      coalesce(b.alarmed_at = at, false) and c.ord = max(c.ord) over (partition by account_id) as is_alarm
    from of_accounts c join account_budgets b using (account_id) cross join clock
  ), budgeted as materialized (
    select t.*, t.is_candidate and coalesce(a.fits, true) and coalesce(r.fits, true) and coalesce(c.fits, true) as is_evaluated,
      case when not a.fits then a.wait when not r.fits then r.wait else c.wait end as wait,
      case when not a.fits then 'address' when not r.fits then 'recipient' else 'account' end as budget,
      coalesce(c.is_alarm, false) as is_alarm
    from tried t left join fit_address a using (ord) left join fit_recipient r using (ord) left join fit_account c using (ord)
  ), spent as (
    update otp_recipients o set wrongs = r.kept || array_fill(at, array[s.wrong])
    from (select account_id, recipient, count(*)::int as wrong from budgeted
          where is_evaluated and not is_right and not is_exempt group by account_id, recipient) s
    join recipients r using (account_id, recipient) cross join clock
    where o.account_id = s.account_id and o.recipient = s.recipient
  ), ended as materialized (
    select h.id, s.tried, s.is_won, case
        when s.is_won then 'verified'
        when h.status not in ('pending', 'sent') then h.status
        when h.expires_at <= at then 'expired'
        when h.attempts + s.tried >= h.attempts_max then 'blocked'
        else h.status end as status
    from pins h cross join clock
    join (select pin, count(*) filter (where is_evaluated)::int as tried, bool_or(is_evaluated and is_right) as is_won
          from budgeted group by pin) s on s.pin = h.id
  ), changed as (
    update otps o set attempts = o.attempts + e.tried, status = e.status,
      verified_at = case when e.is_won then at else o.verified_at end
    from ended e cross join clock where o.id = e.id and o.id = any(${p.pins}) and (e.tried > 0 or o.status <> e.status)
  ), verdicts as materialized (
    select j.ord, j.log_id, j.pin, j.wait, j.budget, j.is_alarm, case
        when j.is_evaluated and j.is_right then 'verified'
        when j.is_evaluated then 'incorrect'
        when e.status = 'verified' then 'already_verified'
        when e.status = 'blocked' then 'blocked'
        when e.status = 'cancelled' then 'cancelled'
        when e.status in ('expired', 'failed') then 'expired'
        when not j.has_key then 'keyless'
        when j.wait is null then 'again'
        else 'limited' end as kind,
      j.room - count(*) filter (where j.is_evaluated) over (partition by j.pin order by j.ord) as remaining
    from budgeted j join ended e on e.id = j.pin
  ), logged as (
    insert into attempts (id, ${ENTRY_OF_PIN.columns}, type, status, error_code, error_message, segments, finished_at)
    select v.log_id, ${ENTRY_OF_PIN.values}, w.type, w.status, w.error_code, w.error_message, 0, at
    from verdicts v join pins h on h.id = v.pin cross join clock
    join (values
      ('verified', 'otp_verified', 'verified', null, null),
      ('incorrect', 'otp_incorrect', 'failed', 'otp_incorrect', '${sentenceOf('otp_incorrect')}'),
      ('expired', 'otp_expired', 'expired', 'otp_expired', '${sentenceOf('otp_expired')}'),
      ('cancelled', 'otp_expired', 'expired', 'otp_cancelled', '${sentenceOf('otp_cancelled')}'),
      ('blocked', 'otp_blocked', 'blocked', 'otp_blocked', '${sentenceOf('otp_blocked')}'),
      ('keyless', 'otp_expired', 'expired', 'otp_key_unknown', '${sentenceOf('otp_key_unknown')}'),
      ('limited', 'otp_blocked', 'blocked', 'rate_limited', '${sentenceOf('rate_limited')}')
    ) as w(kind, type, status, error_code, error_message) on w.kind = v.kind
  ), ${trafficCte('ended e join pins h on h.id = e.id and e.is_won', p.exemptRecipients)}, ${eventCtes(p.accounts, [{ ...otpVerdicts(VERDICTS), order: 'v.ord' }])}
  select v.ord, case when v.pin = ${DECOY} then 'not_found' else v.kind end as kind, v.remaining::int, v.wait as retry_after, v.budget, v.is_alarm,
    case when v.kind = 'verified' then to_jsonb(h) || jsonb_build_object(
      'status', 'verified', 'verified_at', at, 'attempts', h.attempts_max - v.remaining) end as otp
  from verdicts v join pins h on h.id = v.pin cross join clock
  where ${telling(LOG_CHANNEL, p.logged)}`,
});

/** The answer of the statement on one guess. */
export type VerdictRow = Answer<typeof VERIFY>;
