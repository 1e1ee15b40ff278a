/**
 * What an overtaken process has stored of its attempts may say more than the end that another one wrote meanwhile: that a provider took
 * what nobody knew of, or refused it. The send is raised to it, and its events are told.
 */
import type { Ctx } from '../../context.ts';
import { runSql } from '../../db/sql.ts';
import { toUuid } from '../../kernel/ids.ts';
import { BAD_STATUSES, GOOD_STATUSES, messageOutcome, otpProven } from '../webhooks/event-data.sql.ts';
import { ANNOUNCE_EVENTS, eventCtes } from '../webhooks/record-events.sql.ts';
import type { Send } from './send-kind.ts';
import type { SendTable } from './settle.ts';

const ACCOUNTS = 'array[$2::uuid]';

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

/** Heals a send that another process has ended; one whose routing goes on is ended by that process, with these attempts. */
export async function healOvertaken(ctx: Ctx, table: SendTable['table'], { id, accountId }: Send): Promise<void> {
  await ctx.services.database.prepared.transaction(async sql => {
    // Receipts lock it as well, before they look at its attempts.
    await runSql(sql, `select 1 from ${table} where id = $1 for update`, [toUuid(id)]);
    await runSql(sql, table === 'messages' ? HEAL_MESSAGE : HEAL_OTP, [toUuid(id), toUuid(accountId)]);
  });
}
