/** The parts of other statements that begin and end waits, and ask for them. */
import { records } from '../../../db/statements/records.ts';
import { CHANNEL_FACTS, CHANNELS } from '../../../kernel/channel.ts';
import { rankOf } from '../receipts/status-rank.sql.ts';

/** The waits that a settle begins. */
export const WAITS = records('send_id uuid, account_id uuid, lease text, attempt_id uuid, wanted text, seconds int');

/** The CTEs of a settle that begin waits and end those that are over. @param waits a FROM clause of `WAITS` named `w` @param leased the sends that it settles */
export const waitCtes = (table: string, waits: string, leased: string): string => `waiting as (
    insert into follow_ups (send_id, account_id, kind, attempt_id, wanted, due_at)
    select w.send_id, w.account_id, '${table}', w.attempt_id, w.wanted, clock_timestamp() + make_interval(secs => w.seconds)
    from ${waits} join ${leased} s on s.id = w.send_id and s.lease = w.lease where s.is_over and s.waits
    on conflict (send_id) do update
      set attempt_id = excluded.attempt_id, wanted = excluded.wanted, due_at = excluded.due_at, is_taken = false
  ), followed as (
    delete from follow_ups where send_id in (select id from ${leased} where follows and is_over and not waits)
  )`;

/** Whether a send waits, or is followed up. @param send SQL of its uuid */
export const hasFollowUp = (send: string): string => `exists (select from follow_ups f where f.send_id = ${send})`;

/**
 * Whether an attempt has reached the wanted status, or the best that its channel reports. @param attempt SQL of a row with `channel` and `status`
 * @param wanted SQL of the status that its send wants
 */
export const hasReached = (attempt: string, wanted: string): string => {
  const bests = CHANNELS.map(channel => `when '${channel}' then ${rankOf(`'${CHANNEL_FACTS[channel].reports}'`)}`);
  return `${rankOf(`${attempt}.status`)} >= least(${rankOf(wanted)}, case ${attempt}.channel ${bests.join(' ')} end)`;
};
