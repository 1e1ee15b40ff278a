/** The statements that take sends whose routing was left, and heal those whose end was written by a process that knew less than another. */
import { telling } from '../../../db/statements/order.sql.ts';
import { toldIds } from '../../../db/statements/records.ts';
import { statement } from '../../../db/statements/statement.ts';
import { chargeCtes } from '../../billing/ledger.sql.ts';
import {
  BAD_STATUSES,
  GOOD_STATUSES,
  messageOutcome,
  otpProven,
  smsEvents,
} from '../../webhooks/events/event-data.sql.ts';
import { eventCtes } from '../../webhooks/events/record-events.sql.ts';
import { LOG_CHANNEL } from '../announce-log.ts';
import { OUTCOMES } from '../rows.ts';
import type { SendTable } from '../settle.sql.ts';

const takeOverdue = (table: SendTable['table']) =>
  statement(`take overdue ${table}`, {
    takes: { leaseSeconds: 'int', limit: 'int', but: 'uuid[]', by: 'timestamptz' },
    gives: { id: 'uuid', lease: 'text' },
    sql: p => `
    update ${table} set lease_until = clock_timestamp() + make_interval(secs => ${p.leaseSeconds})
    where id in (
      select id from ${table} where lease_until < now() and id <> all(${p.but}) and (select in_time(${p.by}))
      order by lease_until limit ${p.limit} for update skip locked)
    returning id, lease_until::text as lease`,
  });

/** Takes those whose lease is over, but for those that this process has to finish itself. */
export const TAKE_OVERDUE = { messages: takeOverdue('messages'), otps: takeOverdue('otps') };

const takeUnfinished = (table: SendTable['table'], key: SendTable['key']) =>
  statement(`take unfinished ${table}`, {
    takes: { leaseSeconds: 'int', ids: 'uuid[]', attempts: 'uuid[]', by: 'timestamptz' },
    gives: { id: 'uuid', lease: 'text' },
    sql: p => `
    update ${table} t set lease_until = clock_timestamp() + make_interval(secs => ${p.leaseSeconds})
    where (select in_time(${p.by})) and t.id = any(${p.ids}) and t.lease_until is not null and exists (
      select from attempts a where a.id = any(${p.attempts}) and a.${key} = t.id and a.status = 'pending')
    returning t.id, t.lease_until::text as lease`,
  });

/** Takes those of which an attempt is still as a process left it: nobody else has gone on with them. */
export const TAKE_UNFINISHED = {
  messages: takeUnfinished('messages', 'message_id'),
  otps: takeUnfinished('otps', 'pin_id'),
};

/** Raises the attempts that were given up as `unknown`, and of which one who was overtaken knows more. */
export const RAISE_UNKNOWN = statement('raise unknown attempts', {
  takes: { known: OUTCOMES, account: 'uuid', logged: toldIds },
  gives: { count: 'int' },
  sql: p => `
  with known as materialized (
    select * from ${p.known('r')} where status <> 'unknown'
  ), ${chargeCtes(
    `(select t.* from attempts t join known k using (id) where t.status = 'unknown' and k.status in ${GOOD_STATUSES}) a`,
    `array[${p.account}]`,
  )}, raised as (
    update attempts a
    set status = k.status, error_code = k.error_code, error_message = k.error_message, finished_at = k.finished_at,
        provider_message_id = k.provider_message_id, credits = coalesce((select pays from owed where owed.id = a.id), k.credits)
    from known k where a.id = k.id and a.status = 'unknown'
    returning a.*
  ), ${eventCtes(`array[${p.account}]`, [smsEvents('raised', 'raised')])}
  select count(*)::int as count from raised where ${telling(LOG_CHANNEL, p.logged)}`,
});

/** Heals a message that is `unknown` though every attempt is known: it was sent if any was accepted, and failed if none was. */
export const HEAL_MESSAGE = statement('heal message', {
  takes: { id: 'uuid', account: 'uuid' },
  gives: { count: 'int' },
  sql: p => `
  with known as (
    select case when bool_or(status in ${GOOD_STATUSES}) then 'sent' when bool_and(status in ${BAD_STATUSES}) then 'failed' end as status,
      (array_agg(channel) filter (where status in ${GOOD_STATUSES}))[1] as channel
    from attempts where message_id = ${p.id}
  ), healed as (
    update messages m set status = k.status, channel = coalesce(m.channel, k.channel)
    from known k where m.id = ${p.id} and m.lease_until is null and m.status = 'unknown' and k.status is not null
    returning m.*
  ), ${eventCtes(`array[${p.account}]`, [
    messageOutcome('healed', 'healed', 'true', '(select t.* from attempts t where t.message_id = healed.id) a'),
  ])}
  select count(*)::int as count from healed`,
});

/** Heals an OTP that can be verified though nobody knew whether it arrived: a provider had taken it. */
export const HEAL_OTP = statement('heal otp', {
  takes: { id: 'uuid', account: 'uuid' },
  gives: { count: 'int' },
  sql: p => `
  with healed as (
    update otps o set channel = a.channel
    from (select pin_id, resend, min(channel) as channel from attempts
      where pin_id = ${p.id} and status in ${GOOD_STATUSES} group by pin_id, resend) a
    where o.id = ${p.id} and a.resend = o.resends and o.lease_until is null and o.channel is null and o.status <> 'failed'
    returning o.*
  ), ${eventCtes(`array[${p.account}]`, [otpProven('healed', 'healed', 'true')])}
  select count(*)::int as count from healed`,
});
