/** What receipts mean for the messages and OTPs of the attempts that they raised. Part of the verb *record receipts*. */
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { STATUS_RANK, type Status } from '../../kernel/status.ts';
import { BAD_STATUSES, GOOD_STATUSES, messageOutcome, otpProven } from '../webhooks/events/event-data.sql.ts';
import { ANNOUNCE_EVENTS, eventCtes } from '../webhooks/events/record-events.sql.ts';

/** Which status of its attempts a message shows: the best that is true of any of them. */
const BEST_FIRST: readonly Status[] = ['read', 'delivered', 'sent', 'pending', 'unknown', 'expired', 'failed'];

/** Statuses that prove that the provider took the message, whatever was believed before. */
export const PROOFS = `('delivered', 'read')`;

/** A routing that goes on tells its end itself. */
const PROVEN_LATE = `proven.was_unknown and proven.lease_until is null and proven.status <> 'failed'`;

/** An OTP that was thought to have failed has arrived after all: its code can be verified, where no newer one took its place. */
export async function raiseOtps(sql: Sql, attemptIds: readonly string[], accounts: readonly string[]): Promise<void> {
  await runSql(
    sql,
    `with arrived as (
       select distinct on (a.pin_id) a.pin_id, a.channel, old.channel is null as was_unknown
       from attempts a join otps old on old.id = a.pin_id
       where a.id in (select value::uuid from json_array_elements_text($1::json)) and a.status in ${PROOFS}
       order by a.pin_id, a.id
     ), proven as (
       update otps o
       set channel = coalesce(o.channel, a.channel),
           status = case when o.status = 'failed' and not exists (
             select from otps newer where newer.account_id = o.account_id and newer.area = o.area
               and newer.recipient = o.recipient and newer.status in ('pending', 'sent')) then 'sent' else o.status end
       from arrived a where o.id = a.pin_id
       returning o.*, a.was_unknown
     ), ${eventCtes('$2::uuid[]', [otpProven('proven', 'proven', PROVEN_LATE)])}
     select count(*) from proven where ${ANNOUNCE_EVENTS}`,
    [JSON.stringify(attemptIds), accounts],
  );
}

/**
 * Raises messages to the best of their attempts. The channel is the routing's to name while it goes on (the lease is set), but
 * for an attempt that turned out to be accepted against what the routing was told.
 */
export async function raiseMessages(
  sql: Sql,
  ids: readonly string[],
  turnedOut: readonly string[],
  accounts: readonly string[],
): Promise<void> {
  await runSql(
    sql,
    `with proven as (
       select message_id, channel, id in (select value::uuid from json_array_elements_text($4::json)) as turned_out
       from attempts
       where message_id in (select value::uuid from json_array_elements_text($1::json)) and status in ${PROOFS}
     ), best as (
       -- One look into the index for each message, whatever the planner believes about a table that has just grown.
       select value::uuid as id, (
         select a.status from attempts a where a.message_id = value::uuid
         order by array_position(array[${BEST_FIRST.map(status => `'${status}'`).join(', ')}], a.status) limit 1) as status
       from json_array_elements_text($1::json)
     ), raised as (
       update messages m
       set status = case when ${rankSql('best.status')} > ${rankSql('m.status')} then best.status else m.status end,
           channel = coalesce(m.channel, (
             select p.channel from proven p
             where p.message_id = m.id and (p.turned_out or m.lease_until is null)
             order by array_position(m.channels, p.channel) limit 1))
       from best join messages old on old.id = best.id and old.id between $2::uuid and $3::uuid
       where m.id = best.id and m.id between $2::uuid and $3::uuid
       returning m.*, old.status in ${GOOD_STATUSES} as was_accepted, old.status in ${BAD_STATUSES} as was_bad
     ), ${eventCtes('$5::uuid[]', [messageOutcome('raised', 'raised', MESSAGE_NEWS, MESSAGE_ATTEMPTS)])}
     select count(*) from raised where ${ANNOUNCE_EVENTS}`,
    [JSON.stringify(ids), ids[0], ids.at(-1), JSON.stringify(turnedOut), accounts],
  );
}

/** Whether a receipt changed what was told of a row of `raised` until now: that it succeeded, that it failed, or neither. */
export const IS_NEWS = (row: string): string =>
  `(case when ${row}.status in ${GOOD_STATUSES} then not ${row}.was_accepted else not ${row}.was_bad end)`;

/** A routing that goes on tells its end itself. */
const MESSAGE_NEWS = `raised.lease_until is null and ${IS_NEWS('raised')}`;

const MESSAGE_ATTEMPTS = '(select t.* from attempts t where t.message_id = raised.id) a';

/** The rank of a status column, as SQL. */
export function rankSql(column: string): string {
  const cases = Object.entries(STATUS_RANK).map(([status, rank]) => `when '${status}' then ${rank}`);
  return `(case ${column} ${cases.join(' ')} end)`;
}
