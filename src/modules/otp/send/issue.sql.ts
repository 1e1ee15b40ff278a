/**
 * The statement of the batch *issue*. It makes the holds that the balances have room for; locks the recipients and counts the sends that have room, ends their older codes, and stores
 * the new ones with their attempts: all of it for the admitted, nothing for the others.
 *
 * - What only SMS could carry and the balance does not pay for is `refused` before anything is counted.
 * - `admitted` is one conditional upsert for each recipient, in their order, so that two processes wait for each other instead of
 *   deadlocking. The row of an exempt recipient stays empty: it is there to be locked, and `excluded` tells which one it is.
 * - The cancelled are counted before the new are stored: the unique index of live codes must see them gone.
 * - Where another process has made a live code since the statement began (only an exempt recipient, or an account without a
 *   cooldown, lets it), that index refuses it, and the batch runs it again.
 *
 * Parameters: recipients, each once; OTPs; attempts; places to count; entries of the fraud guard, `is_refusal` where the send goes no
 * further; seconds to the first resend, seconds of the lease; the log's channel and payloads; the accounts, areas and recipients
 * (so that the planner takes the index of live codes); the holds that are asked for, and their accounts; by when all of it has happened.
 */
import { bookEntries, holdCtes, holdEntries } from '../../billing/ledger.sql.ts';
import { ATTEMPT_COLUMNS } from '../../routing/rows.ts';
import { OTP_COLUMNS } from '../otp-row.ts';

/** The recipients of a statement, as its first parameter. */
export const ASKED = `json_to_recordset($1::json)
  as i(account_id uuid, recipient text, area text, exempt boolean, cooldown int, per_hour int, per_day int)`;

/** Stamps of an array that are younger than an interval, as SQL. */
const younger = (interval: string): string =>
  `array(select s from unnest(r.sends) s where s > clock_timestamp() - interval '${interval}')`;

const ASKED_HOLDS =
  'json_to_recordset($13::json) as h(attempt_id uuid, send_id uuid, account_id uuid, need int, is_only boolean)';

/** See the head of the file. */
export const ISSUE = `
  with ${holdCtes(ASKED_HOLDS, '$14::uuid[]')}, refused as materialized (
    select send_id, shortage from judged where shortage is not null and is_only
  ), asked as materialized (
    select * from ${ASKED}
    where exists (
      select from json_populate_recordset(null::otps, $2::json) o
      where o.account_id = i.account_id and o.recipient = i.recipient and o.id not in (select send_id from refused))
  ), limits as materialized (
    select account_id, min(per_hour) as per_hour, min(per_day) as per_day from asked group by account_id
  ), admitted as (
    insert into otp_recipients as r (account_id, recipient, sends, wrongs, cooldowns, updated_at)
    select account_id, recipient, case when exempt then '{}' else array[clock_timestamp()] end, '{}',
      case when exempt then '{}' else jsonb_build_object(area, clock_timestamp() + make_interval(secs => cooldown)) end,
      clock_timestamp()
    from asked order by account_id, recipient
    on conflict (account_id, recipient) do update
      set sends = ${younger('1 day')} || excluded.sends, cooldowns = r.cooldowns || excluded.cooldowns,
          updated_at = clock_timestamp()
      where cardinality(excluded.sends) = 0 or (
        not exists (
          select from jsonb_object_keys(excluded.cooldowns) area where (r.cooldowns->>area)::timestamptz > clock_timestamp())
        and cardinality(${younger('1 hour')}) < (select per_hour from limits l where l.account_id = r.account_id)
        and cardinality(${younger('1 day')}) < (select per_day from limits l where l.account_id = r.account_id))
    returning account_id, recipient
  ), sending as materialized (
    -- After the locks: what others have sent is over by then.
    select o.*, clock_timestamp() as at from json_populate_recordset(null::otps, $2::json) o
    join admitted using (account_id, recipient)
    where o.id not in (select send_id from refused)
  ), cancelled as (
    update otps o set status = 'cancelled' from sending s
    where o.account_id = s.account_id and o.area = s.area and o.recipient = s.recipient and o.status in ('pending', 'sent')
      and s.status = 'pending'
      and o.account_id = any($10::uuid[]) and o.area = any($11::text[]) and o.recipient = any($12::text[])
    returning o.id
  ), stored as (
    insert into otps (${OTP_COLUMNS}, resend_available_at, expires_at, created_at, lease_until)
    select ${OTP_COLUMNS}, at + make_interval(secs => $6::int), at + make_interval(secs => expires_in), at,
      at + make_interval(secs => $7::int)
    from sending where (select count(*) from cancelled) >= 0
    returning id, account_id, recipient, lease_until, created_at, expires_at, resend_available_at
  ), made as (
    insert into attempts (${ATTEMPT_COLUMNS})
    select ${ATTEMPT_COLUMNS} from json_populate_recordset(null::attempts, $3::json)
    where pin_id in (select id from stored)
  ), booked as (
    ${bookEntries(holdEntries('send_id in (select id from stored)'))}
  ), counted as (
    insert into otp_traffic as t (account_id, place, hour, sent, verified)
    select p.account_id, p.place, date_trunc('hour', s.created_at), count(*), 0
    from json_to_recordset($4::json) as p(account_id uuid, place text, pin uuid) join stored s on s.id = p.pin
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, place, hour) do update set sent = t.sent + excluded.sent
  ), noted as (
    insert into attempts (id, account_id, area, type, recipient, country, status, error_code, error_message, segments, started_at,
      finished_at)
    select n.id, n.account_id, n.area, n.type, n.recipient, n.country, n.status, n.error_code, n.error_message, 0,
      clock_timestamp(), clock_timestamp()
    from json_to_recordset($5::json) as n(id uuid, account_id uuid, area text, type text, recipient text, country text,
      status text, error_code text, error_message text, pin uuid, is_refusal boolean)
    where n.is_refusal or n.pin in (select id from stored)
  ), timely as materialized (
    select in_time($15::timestamptz) as is_timely from (select count(*) from stored) s
  )
  select s.id, s.lease_until::text as lease, s.created_at, s.expires_at, s.resend_available_at, j.shortage
  from timely join stored s on is_timely left join judged j on j.send_id = s.id
  where (select count(pg_notify($8, payload)) from json_array_elements_text($9::json) as r(payload)) >= 0
  union all
  select send_id, null, null, null, null, shortage from refused`;
