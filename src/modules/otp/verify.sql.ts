/**
 * The statement of the batch *verify*. The guesses of a group are taken in their order, as if they came one after another:
 *
 * - `aimed` finds the pin of each guess, or the decoy where the account and area have no such pin; `held` locks those rows, in
 *   their order, and reads them as they are now.
 * - `tried` are the guesses; a candidate is one that its pin has room for: it is live, attempts are left, no right one came before.
 * - `by_address` and `by_recipient` are the budgets of wrong codes, the address first, so that who is out of budget takes nothing
 *   from the recipient's. Each is one upsert a subject, which appends as many stamps as fit. A right code takes none, but needs
 *   room: past the limit no guess is looked at.
 * - `judged` says which were evaluated; `ended` and `changed` count them, and consume, block or expire the pins; `logged` and
 *   `traffic` keep what became of them.
 *
 * Near its end a budget may turn down a guess because of an earlier one of the same group that was turned down elsewhere; it never
 * lets one through too many. Parameters: guesses, exempt recipients, the log's channel and its payloads.
 */

/** Stands for every pin that the caller does not have; the migration made its row. */
const DECOY = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** A budget: what it counts by, the column of the guess that holds its limit, how long a wrong code counts. */
interface Budget {
  readonly name: 'address' | 'recipient';
  readonly subject: string;
  readonly limit: string;
  readonly span: string;
}

/** The CTEs of a budget over the guesses of `from`; the last, `fit_…`, says of each whether it fits, and else for how long not. */
const budget = ({ name, subject, limit, span }: Budget, from: string): string => `
  claims_${name} as materialized (
    select t.ord, t.account_id, ${subject} as subject, ${limit} as room, t.is_right,
      count(*) filter (where not t.is_right) over (partition by t.account_id, ${subject} order by t.ord
        rows between unbounded preceding and 1 preceding) as wrong_before
    from ${from} t
  ), limits_${name} as materialized (
    select account_id, max(room) as room from claims_${name} group by account_id
  ), by_${name} as (
    insert into otp_budgets as b (account_id, subject, times, admitted, updated_at)
    select account_id, subject, array_fill(at, array[wrong]), wrong, at
    from (select account_id, subject, least(count(*) filter (where not is_right), max(room))::int as wrong
          from claims_${name} group by account_id, subject) s, clock
    order by account_id, subject
    on conflict (account_id, subject) do update
      set (times, admitted, updated_at) = (
        select kept || array_fill(at, array[fitting]), fitting, at
        from (select at, kept, least(excluded.admitted, greatest(l.room - cardinality(kept), 0)) as fitting
              from (select at, array(select s from unnest(b.times) s where s > at - ${span}) as kept from clock) k
              join limits_${name} l on l.account_id = b.account_id) f)
    returning b.account_id, b.subject, b.admitted, b.times
  ), fit_${name} as materialized (
    select c.ord, c.wrong_before < b.admitted + c.room - cardinality(b.times) as fits,
      extract(epoch from (select s from unnest(b.times) s order by s desc offset c.room - 1 limit 1) + ${span} - at)::float8 as wait
    from claims_${name} c join by_${name} b using (account_id, subject) cross join clock
  )`;

/** See the head of the file. */
export const VERIFY = `
  with clock as materialized (
    select clock_timestamp() as at
  ), guesses as materialized (
    select * from json_to_recordset($1::json) as g(ord int, log_id uuid, pin uuid, account_id uuid, area text, macs jsonb,
      address text, per_address int, per_recipient int)
  ), aimed as materialized (
    select g.ord, g.log_id, g.macs, g.address, g.per_address, g.per_recipient, coalesce(o.id, ${DECOY}) as pin
    from guesses g left join otps o on o.id = g.pin and o.account_id = g.account_id and o.area = g.area
  ), held as materialized (
    select o.* from otps o where o.id in (select pin from aimed) order by o.id for update
  ), compared as materialized (
    select a.*, h.account_id, h.recipient, h.attempts_max - h.attempts as room,
      h.status in ('pending', 'sent') and h.expires_at > at as is_live,
      coalesce(a.macs->>h.key_id = h.code_mac, false) as is_right,
      h.recipient = any($2::text[]) as is_exempt
    from aimed a join held h on h.id = a.pin cross join clock
  ), tried as materialized (
    select c.*, is_live and row_number() over (partition by pin order by ord) <= room
        and not coalesce(bool_or(is_right) over (partition by pin order by ord
          rows between unbounded preceding and 1 preceding), false) as is_candidate
    from compared c
  ), candidates as materialized (
    select * from tried where is_candidate
  ), ${budget({ name: 'address', subject: 't.address', limit: 't.per_address', span: `interval '5 minutes'` }, 'candidates')}
  , counted as materialized (
    select c.* from candidates c join fit_address f using (ord) where f.fits and not c.is_exempt
  ), ${budget({ name: 'recipient', subject: `'r:' || t.recipient`, limit: 't.per_recipient', span: `interval '24 hours'` }, 'counted')}
  , judged as materialized (
    select t.*, t.is_candidate and coalesce(a.fits, true) and coalesce(r.fits, true) as is_evaluated,
      greatest(case when not a.fits then a.wait end, case when not r.fits then r.wait end) as wait
    from tried t left join fit_address a using (ord) left join fit_recipient r using (ord)
  ), ended as materialized (
    select h.id, s.tried, s.is_won, case
        when s.is_won then 'verified'
        when h.status not in ('pending', 'sent') then h.status
        when h.expires_at <= at then 'expired'
        when h.attempts + s.tried >= h.attempts_max then 'blocked'
        else h.status end as status
    from held h cross join clock
    join (select pin, count(*) filter (where is_evaluated)::int as tried, bool_or(is_evaluated and is_right) as is_won
          from judged group by pin) s on s.pin = h.id
  ), changed as (
    update otps o set attempts = o.attempts + e.tried, status = e.status, verified_at = case when e.is_won then at else o.verified_at end
    from ended e cross join clock where o.id = e.id and (e.tried > 0 or o.status <> e.status)
  ), verdicts as materialized (
    select j.ord, j.log_id, j.pin, j.wait, case
        when j.is_evaluated and j.is_right then 'verified'
        when j.is_evaluated then 'incorrect'
        when e.status = 'verified' then 'already_verified'
        when e.status = 'blocked' then 'blocked'
        when e.status = 'cancelled' then 'cancelled'
        when e.status in ('expired', 'failed') then 'expired'
        else 'limited' end as kind,
      j.room - count(*) filter (where j.is_evaluated) over (partition by j.pin order by j.ord) as remaining
    from judged j join ended e on e.id = j.pin
  ), logged as (
    insert into attempts (id, account_id, area, type, pin_id, channel, recipient, country, status, error_code, error_message,
      segments, started_at, finished_at)
    select v.log_id, h.account_id, h.area, w.type, h.id, h.channel, h.recipient, h.country, w.status, w.error_code,
      w.error_message, 0, h.created_at, at
    from verdicts v join held h on h.id = v.pin cross join clock
    join (values
      ('verified', 'otp_verified', 'verified', null, null),
      ('incorrect', 'otp_incorrect', 'failed', 'otp_incorrect', 'The code was wrong.'),
      ('expired', 'otp_expired', 'expired', 'otp_expired', 'The code was given after its time.'),
      ('cancelled', 'otp_expired', 'expired', 'otp_cancelled', 'A newer code had been sent.'),
      ('blocked', 'otp_blocked', 'blocked', 'otp_blocked', 'Too many wrong codes had been given.'),
      ('limited', 'otp_blocked', 'blocked', 'rate_limited', 'Too many wrong codes for this recipient or from this address.')
    ) as w(kind, type, status, error_code, error_message) on w.kind = v.kind
  ), traffic as (
    insert into otp_traffic as t (account_id, place, hour, sent, verified)
    select h.account_id, p.place, date_trunc('hour', h.created_at), 0, count(*)
    from ended e join held h on h.id = e.id
    cross join lateral (values (h.country), ('+' || left(h.recipient, -4))) p(place)
    where e.is_won and p.place is not null and not h.recipient = any($2::text[])
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, place, hour) do update set verified = t.verified + excluded.verified
  )
  select v.ord, case when v.pin = ${DECOY} then 'not_found' else v.kind end as kind, v.remaining::int, v.wait as retry_after,
    case when v.kind = 'verified' then to_jsonb(h) || jsonb_build_object(
      'status', 'verified', 'verified_at', at, 'attempts', h.attempts_max - v.remaining) end as otp
  from verdicts v join held h on h.id = v.pin cross join clock
  where (select count(pg_notify($3, payload)) from json_array_elements_text($4::json) as r(payload)) >= 0`;
