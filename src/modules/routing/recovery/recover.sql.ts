/** The statements that take sends whose routing was left, and heal those whose end was written by a process that knew less than another. */
import { telling } from '../../../db/statements/order.sql.ts';
import { toldIds } from '../../../db/statements/records.ts';
import { statement } from '../../../db/statements/statement.ts';
import { sentenceOf } from '../../../kernel/attempt-errors.ts';
import { LEAST_UUID } from '../../../kernel/ids.ts';
import { chargeCtes } from '../../billing/ledger.sql.ts';
import {
  attemptEvents,
  BAD_STATUSES,
  GOOD_STATUSES,
  messageOutcome,
  otpProven,
} from '../../webhooks/events/event-data.sql.ts';
import { eventCtes } from '../../webhooks/events/record-events.sql.ts';
import { LOG_CHANNEL } from '../announce-log.ts';
import { keepBefore, keptId, LATE_CTE } from '../receipts/late-attempts.sql.ts';
import { OUTCOMES } from '../rows.ts';
import type { SendTable } from '../settle.sql.ts';

const takeUnfinished = (table: SendTable['table']) =>
  statement(`take unfinished ${table}`, {
    takes: { leaseSeconds: 'int', ids: 'uuid[]', attempts: 'uuid[]', by: 'timestamptz' },
    gives: { id: 'uuid', lease: 'text' },
    sql: p => `
    update ${table} t set lease_until = clock_timestamp() + make_interval(secs => ${p.leaseSeconds})
    where (select in_time(${p.by})) and t.id = any(${p.ids}) and t.lease_until is not null and exists (
      select from json_array_elements(t.under_way::json) u where (u->>0)::uuid = any(${p.attempts}))
    returning t.id, t.lease_until::text as lease`,
  });

/** Takes the sends of which an attempt is still under way as a process left it: nobody else has gone on with them. */
export const TAKE_UNFINISHED = { messages: takeUnfinished('messages'), otps: takeUnfinished('otps') };

const TAKES_OVERDUE = { leaseSeconds: 'int', limit: 'int', but: 'uuid[]', by: 'timestamptz' } as const;

/** Takes OTPs whose lease is over, but for those that this process has to finish itself. */
export const TAKE_OVERDUE_OTPS = statement('take overdue otps', {
  takes: TAKES_OVERDUE,
  gives: { id: 'uuid', lease: 'text' },
  sql: p => `
  update otps set lease_until = clock_timestamp() + make_interval(secs => ${p.leaseSeconds})
  where id in (
    select id from otps where lease_until < now() and id <> all(${p.but}) and (select in_time(${p.by}))
    order by lease_until limit ${p.limit} for update skip locked)
  returning id, lease_until::text as lease`,
});

/** How many messages one look passes by, so that it is short however far back a mark is. */
export const LOOK_SIZE = 50_000;

/** No message below it is under way, as SQL. */
const LOWEST_MARK = '(select oldest from routing_marks order by oldest limit 1)';

/** The same, where no process may have a mark. */
export const FIRST_UNDER_WAY = `coalesce(${LOWEST_MARK}, '${LEAST_UUID}')`;

/** A process that was not heard of for so long accepts nothing any more: what it has begun was committed, or never will be. */
const GONE_AFTER = `interval '1 minute'`;

/**
 * Sets the mark of this process to the oldest message under way, whoever routes it, or being accepted by this process. One that is far back
 * goes forward by as many messages as one look passes by. Marks of processes that are gone are forgotten: what they began is in this look or
 * after it.
 */
export const SET_MARK = statement('set mark', {
  takes: { process: 'uuid', oldestBegun: 'uuid', lookSize: 'int' },
  gives: { oldest: 'uuid' },
  sql: p => `
  with seen as materialized (
    select id, lease_until is not null as is_under_way from messages
    where id >= (select least(${LOWEST_MARK}, ${p.oldestBegun})) order by id limit ${p.lookSize}
  ), gone as (
    delete from routing_marks where process in (
      select process from routing_marks where seen_at < now() - ${GONE_AFTER} and process <> ${p.process}
      for update skip locked)
  )
  insert into routing_marks (process, oldest, seen_at)
  select ${p.process}, least(${p.oldestBegun}, coalesce(
    (select id from seen where is_under_way order by id limit 1),
    case when (select count(*) from seen) = ${p.lookSize} then (select id from seen order by id desc limit 1) end)), clock_timestamp()
  on conflict (process) do update set oldest = excluded.oldest, seen_at = excluded.seen_at
  returning oldest`,
});

/**
 * Takes messages whose lease is over, but for those that this process has to finish itself. They are found by their ids, from the lowest
 * mark on: an index of the leases would be written with every change. Answers, without a lease, where to look on.
 */
export const TAKE_OVERDUE_MESSAGES = statement('take overdue messages', {
  takes: { ...TAKES_OVERDUE, from: 'uuid?', lookSize: 'int' },
  gives: { id: 'uuid', lease: 'text?' },
  sql: p => `
  with seen as materialized (
    select id, lease_until from messages
    where id >= (select coalesce(${p.from}, ${LOWEST_MARK})) order by id limit ${p.lookSize}
  ), taken as (
    update messages set lease_until = clock_timestamp() + make_interval(secs => ${p.leaseSeconds})
    where id in (
      select m.id from messages m where m.id in (select id from seen where lease_until < now()) and m.lease_until < now()
        and m.id <> all(${p.but}) and (select in_time(${p.by}))
      order by m.id limit ${p.limit} for update skip locked)
    returning id, lease_until::text as lease
  )
  select id, lease from taken
  union all
  select max_id, null from (select id as max_id from seen order by id desc limit 1) last
  where (select count(*) from seen) = ${p.lookSize}`,
});

/** Raises the attempts that were given up as `unknown`, and of which one who was overtaken knows more. */
export const RAISE_UNKNOWN = statement('raise unknown attempts', {
  takes: { known: OUTCOMES, accounts: 'uuid[]', logged: toldIds },
  gives: { count: 'int' },
  sql: p => `
  with known as materialized (
    select * from ${p.known('r')}
  ), ${chargeCtes(
    `(select t.* from attempts t join known k using (id) where t.status = 'unknown' and k.status in ${GOOD_STATUSES}) a`,
    p.accounts,
  )}, old as materialized (
    select a.id, ${keepBefore('a')} from attempts a join known k using (id) where a.status = 'unknown' order by a.id for update of a
  ), raised as (
    update attempts a
    set status = k.status, error_code = k.error_code, finished_at = k.finished_at,
        -- Words of the provider may repeat the number.
        error_message = case when a.recipient = '' and k.error_message is not null then '${sentenceOf(null)}' else k.error_message end,
        provider_message_id = ${keptId('k.provider_message_id')}, credits = coalesce((select pays from owed where owed.id = a.id), k.credits)
    from known k join old using (id) where a.id = k.id and a.status = 'unknown'
    returning a.*, old.was_status, old.was_error_code, old.was_credits, old.was_left, old.was_finished_at
  ), ${LATE_CTE}, ${eventCtes(p.accounts, [attemptEvents('raised', 'raised')])}
  select count(*)::int as count from raised where ${telling(LOG_CHANNEL, p.logged)}`,
});

/** The ids of those of these attempts that are stored. */
export const STORED_ATTEMPTS = statement('stored attempts', {
  takes: { ids: 'uuid[]' },
  gives: { id: 'uuid' },
  sql: p => `select id from attempts where id = any(${p.ids})`,
});

/** Heals messages that are `unknown` though every attempt is known: one was sent if any was accepted, and failed if none was. */
export const HEAL_MESSAGES = statement('heal messages', {
  takes: { ids: 'uuid[]', accounts: 'uuid[]' },
  gives: { count: 'int' },
  sql: p => `
  with known as (
    select message_id, case when bool_or(status in ${GOOD_STATUSES}) then 'sent' when bool_and(status in ${BAD_STATUSES}) then 'failed' end as status,
      (array_agg(channel) filter (where status in ${GOOD_STATUSES}))[1] as channel
    from attempts where message_id = any(${p.ids}) group by message_id
  ), healed as (
    update messages m set status = k.status, channel = coalesce(m.channel, k.channel)
    from known k where m.id = k.message_id and m.lease_until is null and m.status = 'unknown' and k.status is not null
    returning m.*
  ), ${eventCtes(p.accounts, [
    messageOutcome('healed', 'healed', 'true', '(select t.* from attempts t where t.message_id = healed.id) a'),
  ])}
  select count(*)::int as count from healed`,
});

/** Heals OTPs that can be verified though nobody knew whether they arrived: a provider had taken them. */
export const HEAL_OTPS = statement('heal otps', {
  takes: { ids: 'uuid[]', accounts: 'uuid[]' },
  gives: { count: 'int' },
  sql: p => `
  with healed as (
    update otps o set channel = a.channel
    from (select pin_id, resend, min(channel) as channel from attempts
      where pin_id = any(${p.ids}) and status in ${GOOD_STATUSES} group by pin_id, resend) a
    where o.id = a.pin_id and a.resend = o.resends and o.lease_until is null and o.channel is null and o.status <> 'failed'
    returning o.*
  ), ${eventCtes(p.accounts, [otpProven('healed', 'healed', 'true')])}
  select count(*)::int as count from healed`,
});
