/**
 * The batch *settle*: what became of an attempt, and either the next attempt or the end of the routing. A settle holds only while
 * the message's lease is the one it was accepted under: a process that was too slow changes nothing any more.
 */
import { type Apply, defineBatch } from '../../db/batch.ts';
import { asJson, runSql, type Sql } from '../../db/sql.ts';
import type { Channel } from '../../kernel/channel.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { Status } from '../../kernel/status.ts';
import { LEASE_SECONDS } from './accept.ts';
import { LOG_CHANNEL, logPayloads } from './announce-log.ts';
import type { Attempt } from './attempt.entity.ts';
import type { Message } from './message.entity.ts';
import { ATTEMPT_COLUMNS, attemptRow } from './rows.ts';

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

/**
 * Settles a step. Answers the lease from now on (renewed where an attempt follows), or null where it did not hold any more: then
 * the outcomes of the attempts are kept, and nothing else.
 */
export const settle = defineBatch<SettleItem, string | null>(
  'settle',
  (em, items) => applySettle(em.getKysely(), items),
  {
    isOneStatement: true,
  },
);

/**
 * One statement: checks the leases and ends the routings that are over; then, whether they held or not, the outcomes of the
 * attempts; where they held, the attempts that follow and the answers to repeat; at last it tells the log's listeners.
 * The message rows are locked before the attempts, by settles and receipts alike, and in the order of their ids as far as the
 * plan keeps it; a deadlock that is left is run again.
 */
const SETTLE = `
  with held as (
    update messages m
    set status = case when r.is_over and m.status in ('pending', 'unknown') then r.status else m.status end,
        channel = coalesce(m.channel, r.channel),
        lease_until = case
          when r.is_over then null
          when r.goes_on then clock_timestamp() + make_interval(secs => $11::int)
          else m.lease_until end
    from json_to_recordset($1::json) as r(id uuid, lease text, is_over boolean, goes_on boolean, status text, channel text)
    where m.id = r.id and m.lease_until = r.lease::timestamptz and m.id between $2::uuid and $3::uuid
    returning m.id, r.lease, m.lease_until::text as renewed
  ), outcomes as (
    update attempts a
    set status = r.status, error_code = r.error_code, error_message = r.error_message, credits = r.credits,
        provider_message_id = r.provider_message_id, finished_at = r.finished_at
    from json_populate_recordset(null::attempts, $4::json) r
    where a.id = r.id and a.status in ('pending', 'unknown') and a.id between $5::uuid and $6::uuid
      and (select count(*) from held) >= 0
  ), following as (
    insert into attempts (${ATTEMPT_COLUMNS})
    select ${ATTEMPT_COLUMNS} from (
      select n.* from json_array_elements($7::json) as r(attempt)
      join held h on h.id = (r.attempt->>'message_id')::uuid and h.lease = r.attempt->>'lease'
      cross join lateral json_populate_record(null::attempts, r.attempt) n
    ) next
  ), answers as (
    update idempotency_keys k set answer = r.answer
    from json_to_recordset($8::json) as r(account_id uuid, area text, reference text, message_id uuid, lease text, answer jsonb)
    join held h on h.id = r.message_id and h.lease = r.lease
    where k.account_id = r.account_id and k.area = r.area and k.reference = r.reference and k.message_id = r.message_id
  )
  select id, lease, renewed from held
  where (select count(pg_notify($9, payload)) from json_array_elements_text($10::json) as r(payload)) >= 0`;

async function applySettle(sql: Sql, items: readonly SettleItem[]): ReturnType<Apply<SettleItem, string | null>> {
  const messages = messageRows(items);
  const outcomes = items.flatMap(item => item.settled.map(outcomeRow));
  const ids = outcomes.map(row => row.id).sort();
  const following = items.flatMap(({ next, lease }) => (next ? [{ ...attemptRow(next), lease }] : []));
  const held = await runSql<{ id: string; lease: string; renewed: string | null }>(sql, SETTLE, [
    asJson(messages),
    messages[0]?.id,
    messages.at(-1)?.id,
    asJson(outcomes),
    ids[0],
    ids.at(-1),
    asJson(following),
    asJson(items.flatMap(answerRows)),
    LOG_CHANNEL,
    JSON.stringify(logPayloads(items.flatMap(item => item.settled.map(attempt => attempt.id)))),
    LEASE_SECONDS,
  ]);
  const leases = new Map(held.map(row => [`${row.id} ${row.lease}`, row.renewed ?? row.lease]));
  return items.map(item => leases.get(leaseName(item)) ?? null);
}

/** A lease of a message. A process may hold a message twice: under the lease that it lost, and under the one it took it over with. */
function leaseName({ message, lease }: Pick<SettleItem, 'message' | 'lease'>): string {
  return `${toUuid(message.id)} ${lease}`;
}

/** One row for each lease: attempts of one message that end together come in one group, and an UPDATE takes any one of several rows. */
function messageRows(items: readonly SettleItem[]) {
  const steps = new Map<string, SettleItem>();
  for (const item of items) if (item.outcome || !steps.has(leaseName(item))) steps.set(leaseName(item), item);
  return [...steps.values()]
    .map(({ message, lease, next, outcome }) => ({
      id: toUuid(message.id),
      lease,
      is_over: outcome !== null,
      goes_on: next !== null,
      status: outcome?.status ?? null,
      channel: outcome?.channel ?? null,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function outcomeRow(attempt: Attempt) {
  return {
    id: toUuid(attempt.id),
    status: attempt.status,
    error_code: attempt.errorCode,
    error_message: attempt.errorMessage,
    credits: attempt.credits,
    provider_message_id: attempt.providerMessageId,
    finished_at: attempt.finishedAt,
  };
}

/** What a repeat of the request will be answered, where the routing is over and the message has a reference. */
function answerRows({ message, lease, outcome }: SettleItem): object[] {
  if (!outcome || message.reference === null) return [];
  return [
    {
      account_id: toUuid(message.accountId),
      area: message.area,
      reference: message.reference,
      message_id: toUuid(message.id),
      lease,
      answer: outcome.answer,
    },
  ];
}
