/**
 * What an overtaken process knows of its attempts may say more than the end that another one wrote meanwhile: that a provider took
 * what nobody knew of, or refused it. The attempts and the send are raised to it, what was accepted is charged, and its events are told.
 */
import type { Ctx } from '../../context.ts';
import { idPayloads } from '../../db/statements/id-payloads.ts';
import { asJson, runSql } from '../../db/statements/sql.ts';
import { toUuid } from '../../kernel/ids.ts';
import { chargeCtes } from '../billing/ledger.sql.ts';
import {
  BAD_STATUSES,
  GOOD_STATUSES,
  messageOutcome,
  otpProven,
  smsEvents,
} from '../webhooks/events/event-data.sql.ts';
import { ANNOUNCE_EVENTS, eventCtes } from '../webhooks/events/record-events.sql.ts';
import { LOG_CHANNEL } from './announce-log.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import { outcomeRow } from './rows.ts';
import type { Send } from './send.ts';
import type { SendTable } from './settle.ts';

const ACCOUNTS = 'array[$2::uuid]';

/** Attempts that were given up as `unknown`, and of which one who was overtaken knows more. */
const RAISE_ATTEMPTS = `
  with known as materialized (
    select * from json_populate_recordset(null::attempts, $1::json) where status <> 'unknown'
  ), ${chargeCtes(
    `(select t.* from attempts t join known k using (id) where t.status = 'unknown' and k.status in ${GOOD_STATUSES}) a`,
    ACCOUNTS,
  )}, raised as (
    update attempts a
    set status = k.status, error_code = k.error_code, error_message = k.error_message, finished_at = k.finished_at,
        provider_message_id = k.provider_message_id, credits = coalesce((select pays from owed where owed.id = a.id), k.credits)
    from known k where a.id = k.id and a.status = 'unknown'
    returning a.*
  ), ${eventCtes(ACCOUNTS, [smsEvents('raised', 'raised')])}
  select count(*) from raised
  where (select count(pg_notify($3, payload)) from json_array_elements_text($4::json) as r(payload)) >= 0 and ${ANNOUNCE_EVENTS}`;

/** One that is `unknown` though every attempt is known: it was sent if any was accepted, and failed if none was. */
const HEAL_MESSAGE = `
  with known as (
    select case when bool_or(status in ${GOOD_STATUSES}) then 'sent' when bool_and(status in ${BAD_STATUSES}) then 'failed' end as status,
      (array_agg(channel) filter (where status in ${GOOD_STATUSES}))[1] as channel
    from attempts where message_id = $1
  ), healed as (
    update messages m set status = k.status, channel = coalesce(m.channel, k.channel)
    from known k where m.id = $1 and m.lease_until is null and m.status = 'unknown' and k.status is not null
    returning m.*
  ), ${eventCtes(ACCOUNTS, [
    messageOutcome('healed', 'healed', 'true', '(select t.* from attempts t where t.message_id = healed.id) a'),
  ])}
  select count(*) from healed where ${ANNOUNCE_EVENTS}`;

/** One that can be verified though nobody knew whether it arrived: a provider had taken it. */
const HEAL_OTP = `
  with healed as (
    update otps o set channel = a.channel
    from (select pin_id, resend, min(channel) as channel from attempts
      where pin_id = $1 and status in ${GOOD_STATUSES} group by pin_id, resend) a
    where o.id = $1 and a.resend = o.resends and o.lease_until is null and o.channel is null and o.status <> 'failed'
    returning o.*
  ), ${eventCtes(ACCOUNTS, [otpProven('healed', 'healed', 'true')])}
  select count(*) from healed where ${ANNOUNCE_EVENTS}`;

/**
 * Heals a send that another process has ended; one whose routing goes on is ended by that process, with these attempts.
 * @param known the attempts whose outcome the overtaken process knows
 */
export async function healOvertaken(
  ctx: Ctx,
  table: SendTable['table'],
  { id, accountId }: Send,
  known: readonly ChannelAttempt[],
): Promise<void> {
  await ctx.services.database.prepared.transaction(async sql => {
    // As everywhere the account comes first; receipts lock the send as well, before they look at its attempts.
    await runSql(sql, 'select 1 from accounts where id = $1 for no key update', [toUuid(accountId)]);
    await runSql(sql, `select 1 from ${table} where id = $1 for update`, [toUuid(id)]);
    await runSql(sql, RAISE_ATTEMPTS, [
      asJson(known.map(outcomeRow)),
      toUuid(accountId),
      LOG_CHANNEL,
      JSON.stringify(idPayloads(known.map(attempt => attempt.id))),
    ]);
    await runSql(sql, table === 'messages' ? HEAL_MESSAGE : HEAL_OTP, [toUuid(id), toUuid(accountId)]);
  });
}
