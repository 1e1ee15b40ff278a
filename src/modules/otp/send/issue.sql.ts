/** The statements of the batch *issue*. */
import { after, telling, timelyCte } from '../../../db/statements/order.sql.ts';
import { records, rowsWithout, toldIds } from '../../../db/statements/records.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { type Answer, statement } from '../../../db/statements/statement.ts';
import { HOLD_COLUMNS, holdCtes, holdingCte, isPaidOnlySql, TODAY } from '../../billing/ledger.sql.ts';
import type { Shortage } from '../../billing/shortage.ts';
import { LOG_CHANNEL } from '../../routing/announce-log.ts';
import { isSuppressedSql } from '../../suppressions/suppressions.sql.ts';
import { Otp } from '../otp.entity.ts';

/** A recipient of a send, with its limits. */
const RECIPIENTS = records(`account_id uuid, recipient text, area text, exempt boolean, cooldown int, per_hour int,
      per_day int`);

/** How long, in seconds, until a window of the recipient `r` has room for one more send, as SQL; null: it has. A day is one of 24 hours: in a zone `1 day` may have 23. */
export const windowWait = (limit: string, span: string): string =>
  `extract(epoch from (select s from unnest(r.sends) s order by s desc offset ${limit} - 1 limit 1)
    + interval '${span}' - clock_timestamp())::float8`;

/** When the cooldown of the recipient `r` in an area is over, as SQL; null: none began. One that was shortened since holds for the last send too. */
const cooldownEnd = (area: string, seconds: string): string =>
  `case when r.cooldowns ? ${area} then least((r.cooldowns->>${area})::timestamptz,
      (select max(s) from unnest(r.sends) s) + make_interval(secs => ${seconds})) end`;

/** How long each refused recipient waits: for its cooldown, else until the oldest send that is in the way leaves its window. */
export const EXPLAIN = statement('explain refusals', {
  takes: { recipients: RECIPIENTS },
  gives: { account_id: 'uuid', recipient: 'text', cooldown: 'float8?', hour: 'float8?', day: 'float8?' },
  sql: p => `
  select i.account_id, i.recipient,
    extract(epoch from ${cooldownEnd('i.area', 'i.cooldown')} - clock_timestamp())::float8 as cooldown,
    ${windowWait('i.per_hour', '1 hour')} as hour, ${windowWait('i.per_day', '24 hours')} as day
  from ${p.recipients('i')} join otp_recipients r using (account_id, recipient)`,
});

/** The columns of an OTP that are stored before anything of it is sent, but for the status and the times: the database decides them. */
const NEW_OTPS = rowsWithout(
  Otp,
  'status',
  'channel',
  'attempts',
  'resends',
  'resendAvailableAt',
  'expiresAt',
  'verifiedAt',
  'leaseUntil',
  'held',
  'heldOn',
  'createdAt',
);

/** Stamps of an array that are younger than an interval, as SQL. */
const younger = (interval: string): string =>
  `array(select s from unnest(r.sends) s where s > clock_timestamp() - interval '${interval}')`;

/**
 * Holds the credits that the balances pay, and stores each admitted send as a whole and nothing of the others. The unique index refuses where
 * another process has made a live code meanwhile (for an exempt recipient, or without a cooldown). The batch then runs it again.
 */
export const ISSUE = statement('issue otps', {
  takes: {
    /** Each once. */
    recipients: RECIPIENTS,
    otps: NEW_OTPS,
    /** Those of accounts that stop OTPs too, each with the name of its recipient, had it been erased. */
    stoppable: records('id uuid, account_id uuid, recipient text, erased text'),
    /** Places to count. */
    traffic: records('account_id uuid, place text, pin uuid'),
    /** Entries of the fraud guard. */
    notes: records(`id uuid, account_id uuid, area text, type text, recipient text, country text?, status text,
      error_code text, error_message text, pin uuid, is_refusal boolean`),
    firstResendSeconds: 'int',
    leaseSeconds: 'int',
    logged: toldIds,
    // The columns of the index of live codes once more, so that the planner takes that index.
    accounts: 'uuid[]',
    areas: 'text[]',
    numbers: 'text[]',
    holds: records(HOLD_COLUMNS),
    payingAccounts: 'uuid[]',
    by: 'timestamptz',
  },
  gives: {
    id: 'uuid',
    lease: 'text?',
    shortage: typed<Shortage | null>('text'),
    created_at: 'timestamptz?',
    expires_at: 'timestamptz?',
    resend_available_at: 'timestamptz?',
    suppressed: 'boolean',
  },
  sql: p => `
  with suppressed as materialized (
    -- Once more, so that a stop that is committed is never sent over.
    select r.id from ${p.stoppable('r')} where ${isSuppressedSql('r', 'r.erased')}
  ), new as materialized (
    -- Numbered as they are given.
    select *, row_number() over () as turn from ${p.otps('o')} where id not in (select id from suppressed)
  ), ${holdCtes(`(select * from ${p.holds('r')} where send_id not in (select id from suppressed)) h`, p.payingAccounts)}, refused as materialized (
    -- Where no channel is free, nothing of the send is stored. Before anything is counted.
    select h.send_id, h.shortage from holds h join new on new.id = h.send_id where h.shortage is not null and ${isPaidOnlySql('new')}
  ), asked as materialized (
    select * from ${p.recipients('i')}
    where exists (
      select from new o
      where o.account_id = i.account_id and o.recipient = i.recipient and o.id not in (select send_id from refused))
  ), limits as materialized (
    select account_id, min(cooldown) as cooldown, min(per_hour) as per_hour, min(per_day) as per_day from asked group by account_id
  ), admitted as (
    -- In the order of the recipients, so that no processes deadlock. An exempt one's row stays empty: it is there to be locked.
    insert into otp_recipients as r (account_id, recipient, sends, wrongs, cooldowns, updated_at)
    select account_id, recipient, case when exempt then '{}' else array[clock_timestamp()] end, '{}',
      case when exempt then '{}' else jsonb_build_object(area, clock_timestamp() + make_interval(secs => cooldown)) end,
      clock_timestamp()
    from asked order by account_id, recipient
    on conflict (account_id, recipient) do update
      set sends = ${younger('24 hours')} || excluded.sends, cooldowns = r.cooldowns || excluded.cooldowns,
          updated_at = clock_timestamp()
      where cardinality(excluded.sends) = 0 or (
        not exists (
          select from jsonb_object_keys(excluded.cooldowns) area, limits l
          where l.account_id = r.account_id and ${cooldownEnd('area', 'l.cooldown')} > clock_timestamp())
        and cardinality(${younger('1 hour')}) < (select per_hour from limits l where l.account_id = r.account_id)
        and cardinality(${younger('24 hours')}) < (select per_day from limits l where l.account_id = r.account_id))
    returning account_id, recipient
  ), sending as materialized (
    -- After the locks: what others have sent is over by then.
    select o.*, clock_timestamp() as at,
      turn < max(turn) over (partition by account_id, area, recipient) as is_overtaken
    from new o join admitted using (account_id, recipient)
    where o.id not in (select send_id from refused)
  ), cancelled as (
    update otps o set status = 'cancelled' from sending s
    where o.account_id = s.account_id and o.area = s.area and o.recipient = s.recipient and o.status in ('pending', 'sent')
      and not s.is_overtaken
      and o.account_id = any(${p.accounts}) and o.area = any(${p.areas}) and o.recipient = any(${p.numbers})
    returning o.id
  ), stored as (
    insert into otps (${NEW_OTPS.columns}, status, resend_available_at, expires_at, created_at, lease_until, held, held_on)
    select ${NEW_OTPS.columns}, case when is_overtaken then 'cancelled' else 'pending' end,
      at + make_interval(secs => ${p.firstResendSeconds}), at + make_interval(secs => expires_in), at, at + make_interval(secs => ${p.leaseSeconds}), coalesce(need, 0), case when need is not null then ${TODAY} end
    -- The unique index of live codes must see them gone.
    from sending left join (select send_id, need from holds where shortage is null) h on h.send_id = sending.id where ${after('cancelled')}
    returning id, account_id, recipient, lease_until, created_at, expires_at, resend_available_at
  ), ${holdingCte('send_id in (select id from stored)')}, counted as (
    insert into otp_traffic as t (account_id, place, hour, sent, verified)
    select t.account_id, t.place, date_trunc('hour', s.created_at), count(*), 0
    from ${p.traffic('t')} join stored s on s.id = t.pin
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, place, hour) do update set sent = t.sent + excluded.sent
  ), noted as (
    insert into attempts (id, account_id, area, type, recipient, country, status, error_code, error_message, segments, started_at,
      finished_at)
    select n.id, n.account_id, n.area, n.type, n.recipient, n.country, n.status, n.error_code, n.error_message, 0,
      clock_timestamp(), clock_timestamp()
    from ${p.notes('n')}
    where n.is_refusal or n.pin in (select id from stored)
  ), ${timelyCte('stored', p.by)}
  select s.id, s.lease_until::text as lease, s.created_at, s.expires_at, s.resend_available_at, h.shortage, false as suppressed
  from timely join stored s on is_timely left join holds h on h.send_id = s.id
  where ${telling(LOG_CHANNEL, p.logged)}
  union all
  select send_id, null, null, null, null, shortage, false from refused
  union all
  select id, null, null, null, null, null, true from suppressed`,
});

/** An OTP that was stored, or one that was refused since nothing pays for it or its recipient has stopped: without a lease and times. */
export type StoredRow = Answer<typeof ISSUE>;
