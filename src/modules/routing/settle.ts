/**
 * The batch *settle*: what became of an attempt, and either the next attempt or the end of the routing. A settle holds only while
 * the delivery's lease is the one it was accepted under: a process that was too slow changes nothing any more.
 */
import { type Apply, type Batch, defineStatementBatch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import { asJson, runSql, type Sql } from '../../db/sql.ts';
import type { Channel } from '../../kernel/channel.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { OtpStatus, Status } from '../../kernel/status.ts';
import { LOG_CHANNEL, logPayloads } from './announce-log.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import { type Delivery, LEASE_SECONDS } from './delivery.ts';
import { ATTEMPT_COLUMNS, attemptRow } from './rows.ts';

/** The end of a routing. */
export interface Outcome {
  readonly status: Status | OtpStatus;
  readonly channel: Channel | null;
  /** What a repeat of the same request is answered, and under which reference; null: the delivery has none. */
  readonly kept: { readonly reference: string; readonly answer: unknown } | null;
}

/** A step of a routing. */
export interface SettleItem {
  readonly delivery: Delivery;
  /** The lease that this process has on the delivery. */
  readonly lease: string;
  /** The attempts whose outcome is known now. */
  readonly settled: readonly ChannelAttempt[];
  /** The attempt that follows, or null. */
  readonly next: ChannelAttempt | null;
  /** The end of the routing, or null while it goes on. */
  readonly outcome: Outcome | null;
}

/** Where a kind of delivery is kept: its table, and the column of `attempts` that names it. */
export interface DeliveryTable {
  readonly table: 'messages' | 'otps';
  readonly key: 'message_id' | 'pin_id';
}

/**
 * Makes the batch of a kind, which settles a step. Answers the lease from now on (renewed where an attempt follows), or null where it did not hold any more: then
 * the outcomes of the attempts are kept, and nothing else.
 */
export function defineSettle(of: DeliveryTable): (database: Database) => Batch<SettleItem, string | null> {
  const statement = settleStatement(of);
  return defineStatementBatch<SettleItem, string | null>(`settle ${of.table}`, (sql, items) =>
    applySettle(sql, statement, items),
  );
}

/**
 * One statement: checks the leases and ends the routings that are over; then, whether they held or not, the outcomes of the
 * attempts; where they held, the attempts that follow and the answers to repeat; at last it tells the log's listeners.
 * The rows of the deliveries are locked before the attempts, by settles and receipts alike, and in the order of their ids as far as the
 * plan keeps it; a deadlock that is left is run again.
 */
const settleStatement = ({ table, key }: DeliveryTable): string => `
  with held as (
    update ${table} m
    set status = case when r.is_over and m.status in ('pending', 'unknown') then r.status else m.status end,
        channel = coalesce(m.channel, r.channel),
        lease_until = case
          when r.is_over then null
          when r.goes_on then clock_timestamp() + make_interval(secs => $11::int)
          else m.lease_until end
    from json_to_recordset($1::json) as r(id uuid, lease text, is_over boolean, goes_on boolean, status text, channel text)
    where m.id = r.id and m.lease_until = r.lease::timestamptz and m.id = any($2::uuid[]) and m.id between $3::uuid and $12::uuid
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
      join held h on h.id = (r.attempt->>'${key}')::uuid and h.lease = r.attempt->>'lease'
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

async function applySettle(
  sql: Sql,
  statement: string,
  items: readonly SettleItem[],
): ReturnType<Apply<SettleItem, string | null>> {
  const steps = stepRows(items);
  const outcomes = items.flatMap(item => item.settled.map(outcomeRow));
  const ids = outcomes.map(row => row.id).sort();
  const following = items.flatMap(({ next, lease }) => (next ? [{ ...attemptRow(next), lease }] : []));
  const held = await runSql<{ id: string; lease: string; renewed: string | null }>(sql, statement, [
    asJson(steps),
    steps.map(step => step.id),
    steps[0]?.id,
    asJson(outcomes),
    ids[0],
    ids.at(-1),
    asJson(following),
    asJson(items.flatMap(answerRows)),
    LOG_CHANNEL,
    JSON.stringify(logPayloads(items.flatMap(item => item.settled.map(attempt => attempt.id)))),
    LEASE_SECONDS,
    steps.at(-1)?.id,
  ]);
  const leases = new Map(held.map(row => [`${row.id} ${row.lease}`, row.renewed ?? row.lease]));
  return items.map(item => leases.get(leaseName(item)) ?? null);
}

/** A lease of a delivery. A process may hold one twice: under the lease that it lost, and under the one it took it over with. */
function leaseName({ delivery, lease }: Pick<SettleItem, 'delivery' | 'lease'>): string {
  return `${toUuid(delivery.id)} ${lease}`;
}

/** One row for each lease: attempts of one delivery that end together come in one group, and an UPDATE takes any one of several rows. */
function stepRows(items: readonly SettleItem[]) {
  const steps = new Map<string, SettleItem>();
  for (const item of items) if (item.outcome || !steps.has(leaseName(item))) steps.set(leaseName(item), item);
  return [...steps.values()]
    .map(({ delivery, lease, next, outcome }) => ({
      id: toUuid(delivery.id),
      lease,
      is_over: outcome !== null,
      goes_on: next !== null,
      status: outcome?.status ?? null,
      channel: outcome?.channel ?? null,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function outcomeRow(attempt: ChannelAttempt) {
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

/** What a repeat of the request will be answered, where the routing is over and the delivery has a reference. */
function answerRows({ delivery, lease, outcome }: SettleItem): object[] {
  if (!outcome?.kept) return [];
  return [
    {
      account_id: toUuid(delivery.accountId),
      area: delivery.area,
      message_id: toUuid(delivery.id),
      lease,
      ...outcome.kept,
    },
  ];
}
