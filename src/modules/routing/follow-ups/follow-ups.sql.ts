/**
 * The statements of waits. One conditional change of the row decides between receipt and timer. A receipt deletes a row that is not taken; the timer takes
 * one that is due. Both lock the send first, as the settle does.
 */
import { RANGED_IDS } from '../../../db/statements/ranged-ids.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import type { SuccessStatus } from '../../../kernel/status.ts';
import { BAD_STATUSES, messageRouted } from '../../webhooks/events/event-data.sql.ts';
import { eventCtes } from '../../webhooks/events/record-events.sql.ts';
import type { SendTable } from '../settle.sql.ts';
import { hasReached } from './waits.sql.ts';

const findDue = (table: SendTable['table']) =>
  statement(`find due ${table}`, {
    takes: { but: 'uuid[]', limit: 'int' },
    gives: { send_id: 'uuid' },
    sql: p => `
  select f.send_id from follow_ups f join ${table} t on t.id = f.send_id
  where f.kind = '${table}' and f.due_at <= now() and f.send_id <> all(${p.but}) and (t.lease_until is null or t.lease_until < now())
  order by f.due_at limit ${p.limit}`,
  });

/** The sends whose wait is due and that nobody has in hand, but for those that this process has to finish itself. */
export const FIND_DUE = { messages: findDue('messages'), otps: findDue('otps') };

const takeDue = (table: SendTable['table']) =>
  statement(`take due ${table}`, {
    takes: { ...RANGED_IDS, leaseSeconds: 'int', by: 'timestamptz' },
    gives: { id: 'uuid', lease: 'text' },
    sql: p => `
  with locked as materialized (
    select id from ${table}
    where id = any(${p.ids}) and id between ${p.lowestId} and ${p.highestId} and (lease_until is null or lease_until < now())
      and (select in_time(${p.by}))
    order by id for update skip locked
  ), taken as (
    update follow_ups f set is_taken = true, due_at = clock_timestamp() + make_interval(secs => ${p.leaseSeconds})
    where f.send_id in (select id from locked) and f.due_at <= now()
    returning f.send_id
  )
  update ${table} t set lease_until = clock_timestamp() + make_interval(secs => ${p.leaseSeconds})
  where t.id in (select send_id from taken) and t.id = any(${p.ids}) and t.id between ${p.lowestId} and ${p.highestId}
  returning t.id, t.lease_until::text as lease`,
  });

/** Takes what is due still, under a lease, but for sends that others have in hand. The wait of a process that dies is due again when its lease is over. */
export const TAKE_DUE = { messages: takeDue('messages'), otps: takeDue('otps') };

/** The times that run for sends, but for codes that cannot be verified any more, or will not by then. */
export const FIND_WAITS = statement('find waits', {
  takes: { ids: 'uuid[]' },
  gives: { sendId: 'uuid', attemptId: 'uuid', wanted: typed<SuccessStatus>('text'), secondsLeft: 'float8' },
  sql: p => `
  select f.send_id as "sendId", f.attempt_id as "attemptId", f.wanted,
    extract(epoch from f.due_at - clock_timestamp())::float8 as "secondsLeft"
  from follow_ups f left join otps o on o.id = f.send_id
  where f.send_id = any(${p.ids}) and not f.is_taken
    and (o.id is null or (o.status in ('pending', 'sent') and o.expires_at > f.due_at))`,
});

/** The attempt that had its time, of a send that is followed up; no row: it is not. */
export const FIND_FOLLOW_UP = statement('find follow-up', {
  takes: { id: 'uuid' },
  gives: { attempt_id: 'uuid' },
  sql: p => `select attempt_id from follow_ups where send_id = ${p.id}`,
});

/** The status that the send of an attempt `a` wants: that of the wait is what its newest attempt can report. */
const WANTED_BY = `coalesce((select success_status from messages where id = a.message_id), (select success_status from otps where id = a.pin_id))`;

/** `message.routed` of messages `m` whose waits end. @param waits a join of their waits */
const routed = (waits: string) =>
  messageRouted(`messages m join ${waits}`, 'm', 'true', '(select t.* from attempts t where t.message_id = m.id) a');

/**
 * Ends the waits of sends of which an attempt has reached the wanted status, and tells that their messages are routed. A wait for an attempt that failed is
 * due at once. The sends are locked. Answers how many have ended.
 */
export const END_WAITS = statement('end waits', {
  takes: {
    /** Of the attempts. */
    ...RANGED_IDS,
    messages: 'uuid[]',
    lowestMessage: 'uuid?',
    highestMessage: 'uuid?',
    accounts: 'uuid[]',
  },
  gives: { count: 'int' },
  sql: p => `
  with reached as materialized (
    select f.send_id, a.status, f.attempt_id = a.id as is_last, ${hasReached('a', WANTED_BY)} as has_reached
    from attempts a join follow_ups f on f.send_id = coalesce(a.message_id, a.pin_id)
    where a.id = any(${p.ids}) and a.id between ${p.lowestId} and ${p.highestId} and not f.is_taken
  ), over as (
    delete from follow_ups f using reached r
    where f.send_id = r.send_id and not f.is_taken and r.has_reached
    returning f.send_id
  ), hurried as (
    update follow_ups f set due_at = clock_timestamp() from reached r
    where f.send_id = r.send_id and r.is_last and not f.is_taken and r.status in ${BAD_STATUSES} and f.due_at > clock_timestamp()
  ), ${eventCtes(p.accounts, [
    routed(
      `over on over.send_id = m.id and m.id = any(${p.messages}) and m.id between ${p.lowestMessage} and ${p.highestMessage}`,
    ),
  ])}
  select count(*)::int as count from over`,
});

/** Tells that the messages of waits are routed; the caller deletes the waits next. The sends are locked. Answers how many wait. */
export const TELL_ROUTED = statement('tell routed', {
  takes: { sends: 'uuid[]', accounts: 'uuid[]' },
  gives: { count: 'int' },
  sql: p => `
  with waiting as materialized (
    select send_id from follow_ups where send_id = any(${p.sends})
  ), ${eventCtes(p.accounts, [routed(`waiting w on w.send_id = m.id and m.id = any(${p.sends})`)])}
  select count(*)::int as count from waiting`,
});
