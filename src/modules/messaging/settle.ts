/**
 * The batch *settle*: what became of an attempt, and either the next attempt or the end of the routing. A settle holds only while
 * the message's lease is the one it was accepted under: a process that was too slow changes nothing any more.
 */
import { type Apply, defineBatch } from '../../db/batch.ts';
import { asJson, runSql, type Sql } from '../../db/sql.ts';
import type { Channel } from '../../kernel/channel.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { Status } from '../../kernel/status.ts';
import { LOG_CHANNEL, logPayloads } from './announce-log.ts';
import type { Attempt } from './attempt.entity.ts';
import type { Message } from './message.entity.ts';
import { attemptRow, INSERT_ATTEMPTS } from './rows.ts';

/** The end of a routing. */
export interface Outcome {
  readonly status: Status;
  readonly channel: Channel | null;
  /** What a repeat of the same request is answered; stored where the message has a reference. */
  readonly answer: unknown;
}

/** A step of a routing. */
export interface SettleItem {
  readonly message: Message;
  /** The lease that this process has on the message. */
  readonly lease: string;
  /** The attempts whose outcome is known now. */
  readonly settled: readonly Attempt[];
  /** The attempt that follows, or null. */
  readonly next: Attempt | null;
  /** The end of the routing, or null while it goes on. */
  readonly outcome: Outcome | null;
}

/** Settles a step. Answers whether the lease still held; where it did not, the attempt's outcome is kept and nothing else. */
export const settle = defineBatch<SettleItem, boolean>('settle', (em, items) => applySettle(em.getKysely(), items));

async function applySettle(sql: Sql, items: readonly SettleItem[]): ReturnType<Apply<SettleItem, boolean>> {
  const held = await updateMessages(sql, items);
  const isHeld = (item: SettleItem): boolean => held.has(leaseName(item));
  const settled = items.flatMap(item => item.settled);
  if (settled.length > 0) await updateAttempts(sql, settled);
  const next = items.flatMap(item => (item.next && isHeld(item) ? [attemptRow(item.next)] : []));
  if (next.length > 0) await runSql(sql, INSERT_ATTEMPTS, [asJson(next)]);
  await storeAnswers(sql, items.filter(isHeld));
  for (const payload of logPayloads(settled.map(attempt => attempt.id))) {
    await runSql(sql, 'select pg_notify($1, $2)', [LOG_CHANNEL, payload]);
  }
  return items.map(isHeld);
}

/** A lease of a message. A process may hold a message twice: under the lease that it lost, and under the one it took it over with. */
function leaseName({ message, lease }: Pick<SettleItem, 'message' | 'lease'>): string {
  return `${toUuid(message.id)} ${lease}`;
}

/**
 * Checks the leases and ends the routings that are over; answers the leases that held. The message rows are locked first, by
 * settles and receipts alike, and in the order of their ids as far as the plan keeps it; a deadlock that is left is run again.
 */
async function updateMessages(sql: Sql, items: readonly SettleItem[]): Promise<Set<string>> {
  // Attempts of one message that end together come in one group, and an UPDATE takes any one of several rows: the end goes first.
  const steps = new Map<string, SettleItem>();
  for (const item of items) if (item.outcome || !steps.has(leaseName(item))) steps.set(leaseName(item), item);
  const rows = [...steps.values()]
    .map(({ message, lease, outcome }) => ({
      id: toUuid(message.id),
      lease,
      is_over: outcome !== null,
      status: outcome?.status ?? null,
      channel: outcome?.channel ?? null,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const updated = await runSql<{ id: string; lease: string }>(
    sql,
    `update messages m
     set status = case when r.is_over and m.status in ('pending', 'unknown') then r.status else m.status end,
         channel = coalesce(m.channel, r.channel),
         lease_until = case when r.is_over then null else m.lease_until end
     from json_to_recordset($1::json) as r(id uuid, lease text, is_over boolean, status text, channel text)
     where m.id = r.id and m.lease_until = r.lease::timestamptz and m.id between $2::uuid and $3::uuid
     returning m.id, r.lease`,
    [asJson(rows), rows[0]?.id, rows.at(-1)?.id],
  );
  return new Set(updated.map(row => `${row.id} ${row.lease}`));
}

async function updateAttempts(sql: Sql, attempts: readonly Attempt[]): Promise<void> {
  const rows = attempts.map(attempt => ({
    id: toUuid(attempt.id),
    status: attempt.status,
    error_code: attempt.errorCode,
    error_message: attempt.errorMessage,
    credits: attempt.credits,
    provider_message_id: attempt.providerMessageId,
    finished_at: attempt.finishedAt,
  }));
  const ids = rows.map(row => row.id).sort();
  await runSql(
    sql,
    `update attempts a
     set status = r.status, error_code = r.error_code, error_message = r.error_message, credits = r.credits,
         provider_message_id = r.provider_message_id, finished_at = r.finished_at
     from json_populate_recordset(null::attempts, $1::json) r
     where a.id = r.id and a.status in ('pending', 'unknown') and a.id between $2::uuid and $3::uuid`,
    [asJson(rows), ids[0], ids.at(-1)],
  );
}

async function storeAnswers(sql: Sql, items: readonly SettleItem[]): Promise<void> {
  const rows = items.flatMap(({ message, outcome }) =>
    outcome && message.reference !== null
      ? [
          {
            account_id: toUuid(message.accountId),
            area: message.area,
            reference: message.reference,
            message_id: toUuid(message.id),
            answer: outcome.answer,
          },
        ]
      : [],
  );
  if (rows.length === 0) return;
  await runSql(
    sql,
    `update idempotency_keys k set answer = r.answer
     from json_populate_recordset(null::idempotency_keys, $1::json) r
     where k.account_id = r.account_id and k.area = r.area and k.reference = r.reference and k.message_id = r.message_id`,
    [asJson(rows)],
  );
}
