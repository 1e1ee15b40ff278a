/** The statements of the verb *record receipts*. */
import { IDS_MAX } from '../../../db/statements/id-payloads.ts';
import { RANGED_IDS } from '../../../db/statements/ranged-ids.ts';
import { records } from '../../../db/statements/records.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import { uuid7FloorOf } from '../../../db/statements/uuid7.sql.ts';
import type { Status } from '../../../kernel/status.ts';
import { chargeCtes, isPaidSql } from '../../billing/ledger.sql.ts';
import {
  attemptEvents,
  BAD_STATUSES,
  GOOD_STATUSES,
  messageOutcome,
  otpProven,
  otpUndelivered,
} from '../../webhooks/events/event-data.sql.ts';
import { eventCtes } from '../../webhooks/events/record-events.sql.ts';
import { LOG_CHANNEL } from '../announce-log.ts';
import { hasFollowUp } from '../follow-ups/waits.sql.ts';
import { keepBefore, keptId, LATE_CTE } from './late-attempts.sql.ts';
import { hasItsId } from './parts.sql.ts';
import { rankOf } from './status-rank.sql.ts';

/** Statuses, best first: a message shows the best of its attempts. */
const BEST_FIRST: readonly Status[] = ['read', 'delivered', 'sent', 'pending', 'unknown', 'expired', 'failed'];

/** Statuses that prove that the provider took the message, whatever was believed before. */
const PROOFS = `('delivered', 'read')`;

/** Whether a receipt changed what was told of a row until now: that it succeeded, that it failed, or neither. */
const isNews = (row: string): string =>
  `(case when ${row}.status in ${GOOD_STATUSES} then not ${row}.was_accepted else not ${row}.was_bad end)`;

/**
 * Whether an attempt `a` went by the connection that a receipt `r` came by; the sandbox is none. A receipt of a part
 * matches no attempt: where `gatherParts` missed a part that was stored just now, the next recording finds it.
 */
const SENT_BY = `a.provider = r.provider and a.connection_id is not distinct from r.connection_id and (r.connection_id is null
      or not exists (select from attempt_parts t where t.connection_id = r.connection_id and t.part_id = r.provider_message_id
        and ${hasItsId('t')}))`;

/** Tells those who follow the log, when the transaction commits, which attempts the CTE `raised` has changed; a condition that is always true. */
const tellingRaised = `(select count(pg_notify('${LOG_CHANNEL}', ids)) from (
    select string_agg(id::text, ',') as ids from (select id, row_number() over () / ${IDS_MAX} as part from raised) r group by part) told) >= 0`;

/** The attempt with the provider's id of a receipt. An id that a provider gives again (its counter began anew) is that of the newest. */
const newestWith = (receipt: string): string =>
  `select a.id, a.status from attempts a where a.provider_message_id = ${receipt}.provider_message_id and ${SENT_BY} order by a.id desc limit 1`;

/**
 * Raises accepted attempts that have arrived, the usual receipt, and answers them. No charge, wait or event follows from it, and the order of others does not
 * matter, so nothing is locked first.
 */
export const CONFIRM = statement('confirm arrivals', {
  takes: {
    receipts: records(
      'provider text, connection_id uuid?, provider_message_id text, attempt_id uuid?, status text, pricing json',
    ),
  },
  gives: {
    provider: 'text',
    connection_id: 'uuid?',
    provider_message_id: 'text',
    /** The attempt that the receipt names. */
    attempt_id: 'uuid?',
    country: 'text?',
    send_id: 'uuid?',
  },
  sql: p => `
  with reported as materialized (
    select * from ${p.receipts('r')}
  ), found as materialized (
    -- One row of each, as an UPDATE takes any of several. In order: another process may have the next receipts of the same attempts.
    select distinct on (id) * from (
      select a.id, r.status, r.pricing, r.provider_message_id, r.attempt_id, a.status as was_status
      from reported r cross join lateral (${newestWith('r')}) a where r.attempt_id is null
      union all
      select a.id, r.status, r.pricing, r.provider_message_id, r.attempt_id, a.status as was_status from reported r
      join attempts a on a.id = r.attempt_id and ${SENT_BY} where a.provider_message_id is not null
    ) r order by id, ${rankOf('status')} desc
  ), raised as (
    update attempts a set status = f.status, reported_at = clock_timestamp(),
        delivered_at = case when a.status = 'delivered' then a.reported_at end, pricing = coalesce(f.pricing::jsonb, a.pricing)
    from found f
    -- Whom another overtakes is looked at once more, by those who lock.
    where a.id = f.id and a.status = f.was_status and a.status in ('sent', 'delivered')
      and not ${hasFollowUp('coalesce(a.message_id, a.pin_id)')} and ${rankOf('f.status')} > ${rankOf('a.status')}
    returning a.id, a.account_id, a.message_id, a.pin_id, a.status, a.provider, a.connection_id, f.provider_message_id, f.attempt_id, a.country,
      f.was_status, a.error_code as was_error_code, a.credits as was_credits, true as was_left, a.finished_at as was_finished_at
  ), ${LATE_CTE}, lifted as (
    update messages m set status = n.status
    from (select distinct on (message_id) message_id, status from raised order by message_id, ${rankOf('status')} desc) n
    where m.id = n.message_id and ${rankOf('n.status')} > ${rankOf('m.status')}
  )
  select provider, connection_id, provider_message_id, attempt_id, country, coalesce(message_id, pin_id) as send_id from raised where ${tellingRaised}`,
});

/** Finds the attempts that receipts are about. */
export const FIND_ATTEMPTS = statement('find attempts', {
  takes: { receipts: records('provider text, connection_id uuid?, provider_message_id text, attempt_id uuid?') },
  gives: {
    id: 'uuid',
    account_id: 'uuid',
    message_id: 'uuid?',
    pin_id: 'uuid?',
    provider: 'text',
    connection_id: 'uuid?',
    provider_message_id: 'text',
    /** The attempt that the receipt names. */
    attempt_id: 'uuid?',
    country: 'text?',
    status: typed<Status>('text'),
    /** Whether it was not accepted so far, though it would cost something. */
    may_owe: 'boolean',
    /** Whether the provider's id of it is known; else the receipt brings it. */
    has_id: 'boolean',
  },
  sql: p => `
  select a.id, a.account_id, a.message_id, a.pin_id, a.provider, a.connection_id, r.provider_message_id, r.attempt_id, a.country, a.status,
    ${isPaidSql('a')} and a.status not in ${GOOD_STATUSES} as may_owe, a.provider_message_id is not null as has_id
  from (
    select r.*, a.id from ${p.receipts('r')} cross join lateral (${newestWith('r')}) a
    where r.attempt_id is null or not exists (select from attempts a where a.id = r.attempt_id and ${SENT_BY})
    union all
    -- An attempt is named by its own id where the provider repeats no id of its own, or where its answer with one never came: it was given up, or
    -- refused by a gateway that sent the text all the same.
    select r.*, a.id from ${p.receipts('r')} join attempts a on a.id = r.attempt_id and ${SENT_BY}
    where a.provider_message_id is not null or a.status in ('unknown', 'failed', 'expired')
  ) r join attempts a on a.id = r.id`,
});

/**
 * Raises attempts. A good status clears the error of a bad one that it corrects; a bad one keeps what was known unless it tells
 * more. An attempt that was not accepted costs nothing until a receipt proves that it was (contract §4): then it is charged, once.
 */
export const RAISE_ATTEMPTS = statement('raise attempts', {
  takes: {
    reported: records(`id uuid, provider_message_id text, status text, is_bad boolean, has_error boolean,
      error_code text?, error_message text?, public_message text?, pricing json`),
    lowestId: 'uuid?',
    highestId: 'uuid?',
    accounts: 'uuid[]',
    /** Of attempts that may be charged. */
    owingAccounts: 'uuid[]',
  },
  gives: {
    id: 'uuid',
    was_accepted: 'boolean',
    /** Whether its send waits for what it reaches. Asked under the lock: a settle may begin a wait while a receipt is on its way. */
    is_awaited: 'boolean',
  },
  sql: p => `
  with reported as materialized (
    select * from ${p.reported('x')}
  ), old as materialized (
    -- A settle that lost its lease may change them still.
    select id, status in ${GOOD_STATUSES} as was_accepted, status in ${BAD_STATUSES} as was_bad,
      ${keepBefore('attempts')}
    from attempts
    where id in (select id from reported) and id between ${p.lowestId} and ${p.highestId} order by id for update
  ), ${chargeCtes(
    `(
    select t.* from old join reported r using (id) join attempts t on t.id = old.id and t.id between ${p.lowestId} and ${p.highestId}
    where not old.was_accepted and r.status in ${PROOFS} and ${isPaidSql('t')}
  ) a`,
    p.owingAccounts,
  )}, raised as (
    update attempts a
    set status = r.status,
        error_code = case when r.is_bad and not r.has_error then a.error_code else r.error_code end,
        error_message = case when r.is_bad and not r.has_error then a.error_message
          -- Words of the provider would stay for good in an attempt whose texts are blanked already, or whose recipient is erased.
          when a.recipient = '' or a.id <= (select until from blanked where name = 'attempts') then r.public_message else r.error_message end,
        credits = coalesce((select pays from owed where owed.id = a.id), a.credits),
        provider_message_id = ${keptId('coalesce(a.provider_message_id, r.provider_message_id)')},
        ended_as = case when a.reported_at is null and a.status <> 'sent' then a.status else a.ended_as end,
        reported_at = clock_timestamp(),
        delivered_at = case when a.status = 'delivered' then a.reported_at else a.delivered_at end,
        pricing = coalesce(r.pricing::jsonb, a.pricing)
    from reported r join old using (id)
    where a.id = r.id and a.id between ${p.lowestId} and ${p.highestId} and ${rankOf('r.status')} > ${rankOf('a.status')}
    returning a.*, old.was_accepted, old.was_bad, old.was_status, old.was_error_code, old.was_credits, old.was_left, old.was_finished_at
  ), ${LATE_CTE}, ${eventCtes(p.accounts, [attemptEvents('raised', 'raised', isNews('raised'))])}
  select id, was_accepted, ${hasFollowUp('coalesce(raised.message_id, raised.pin_id)')} as is_awaited from raised where ${tellingRaised}`,
});

/**
 * Raises messages to the best of their attempts. While a routing goes on (its lease is set), it names the channel itself.
 * The exception is an attempt that was accepted after all, against what the routing was told.
 */
export const RAISE_MESSAGES = statement('raise messages', {
  takes: { ...RANGED_IDS, turnedOut: 'json', accounts: 'uuid[]' },
  gives: { count: 'int' },
  sql: p => `
  with proven as (
    select message_id, channel, id in (select value::uuid from json_array_elements_text(${p.turnedOut})) as turned_out
    from attempts
    where message_id = any(${p.ids}) and status in ${PROOFS}
  ), best as (
    -- One look into the index for each message, whatever the planner believes about a table that has just grown.
    select value as id, (
      select a.status from attempts a where a.message_id = value
      order by array_position(array[${BEST_FIRST.map(status => `'${status}'`).join(', ')}], a.status) limit 1) as status
    from unnest(${p.ids}) value
  ), raised as (
    update messages m
    set status = case when ${rankOf('best.status')} > ${rankOf('m.status')}
            -- Of a routing that goes on others are under way, and its end asks the attempts.
            and (m.lease_until is null and not ${hasFollowUp('m.id')} or best.status not in ${BAD_STATUSES}) then best.status else m.status end,
        channel = coalesce(m.channel, (
          select p.channel from proven p
          where p.message_id = m.id and (p.turned_out or m.lease_until is null)
          order by array_position(m.channels, p.channel) limit 1))
    from best join messages old on old.id = best.id and old.id between ${p.lowestId} and ${p.highestId}
    where m.id = best.id and m.id between ${p.lowestId} and ${p.highestId}
    returning m.*, old.status in ${GOOD_STATUSES} as was_accepted, old.status in ${BAD_STATUSES} as was_bad
  ), ${eventCtes(p.accounts, [
    // A routing that goes on tells its end itself.
    messageOutcome(
      'raised',
      'raised',
      `raised.lease_until is null and not ${hasFollowUp('raised.id')} and ${isNews('raised')}`,
      '(select t.* from attempts t where t.message_id = raised.id) a',
    ),
  ])}
  select count(*)::int as count from raised`,
});

/** Raises OTPs that were thought to have failed and have arrived after all: their codes can be verified, where no newer one took their place. */
export const RAISE_OTPS = statement('raise otps', {
  takes: { attempts: 'json', accounts: 'uuid[]' },
  gives: { count: 'int' },
  sql: p => `
  with arrived as (
    select distinct on (a.pin_id) a.pin_id, a.channel, old.channel is null as was_unknown, old.account_id, old.area, old.recipient,
      old.position
    from attempts a join otps old on old.id = a.pin_id
    where a.id in (select value::uuid from json_array_elements_text(${p.attempts})) and a.status in ${PROOFS}
    order by a.pin_id, a.id
  ), proven as (
    update otps o
    set channel = coalesce(o.channel, a.channel),
        status = case when o.status = 'failed' and not exists (
          select from otps newer where newer.account_id = o.account_id and newer.area = o.area
            and newer.recipient = o.recipient and newer.status in ('pending', 'sent')) and (o.expires_at <= clock_timestamp() or not exists (
          -- One that went out later took its place, whatever became of it. Its attempts are found by their recipient.
          select from attempts later
          where later.account_id = o.account_id and later.recipient = o.recipient and later.id > (select ${uuid7FloorOf(`o.created_at - interval '1 minute'`)})
            and (select newer.area = o.area and newer.position > o.position and newer.status <> 'failed' from otps newer
              where newer.id = later.pin_id)
          union all
          -- The attempts of one under way are stored at its end.
          select from otps newer where newer.lease_until is not null and newer.account_id = o.account_id and newer.area = o.area
            and newer.recipient = o.recipient and newer.position > o.position and newer.status <> 'failed')) and not exists (
          select from arrived newer where newer.account_id = o.account_id and newer.area = o.area
            and newer.recipient = o.recipient and newer.position > o.position) then 'sent' else o.status end
    from arrived a where o.id = a.pin_id
    returning o.*, a.was_unknown
  ), ${eventCtes(p.accounts, [
    // A routing that goes on tells its end itself.
    otpProven('proven', 'proven', `proven.was_unknown and proven.lease_until is null and proven.status <> 'failed'`),
  ])}
  select count(*)::int as count from proven`,
});

/**
 * Tells `otp.failed` of OTPs whose last good attempt is among `attempts`, which receipts have just taken back. A routing that goes on tells its end itself.
 * The status stays: a provider may be wrong, and a recipient who has the code may use it.
 */
export const TELL_UNDELIVERED_OTPS = statement('tell undelivered otps', {
  takes: { ...RANGED_IDS, attempts: 'uuid[]', accounts: 'uuid[]' },
  gives: { count: 'int' },
  sql: p => `
  with undelivered as (
    select o.* from otps o
    cross join lateral (
      select bool_or(a.id = any(${p.attempts})) and bool_and(a.status in ${BAD_STATUSES}) as is_news from attempts a
      where a.pin_id = o.id and a.type = 'otp_attempt' and a.resend = o.resends) n
    where n.is_news and o.id = any(${p.ids}) and o.id between ${p.lowestId} and ${p.highestId}
      and o.status in ('sent', 'expired') and o.lease_until is null and not ${hasFollowUp('o.id')}
  ), ${eventCtes(p.accounts, [otpUndelivered('undelivered')])}
  select count(*)::int as count from undelivered`,
});
