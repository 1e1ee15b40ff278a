/**
 * The batch *settle*: what became of an attempt, and either the next attempt or the end of the routing. A settle holds only while
 * the send's lease is the one it was accepted under: a process that was too slow changes nothing any more.
 */
import { type Apply, type Batch, defineStatementBatch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import { idPayloads } from '../../db/statements/id-payloads.ts';
import { asJson, runSql, type Sql } from '../../db/statements/sql.ts';
import type { Channel } from '../../kernel/channel.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { OtpStatus, Status } from '../../kernel/status.ts';
import { ACCOUNTS_LOCKED, bookEntries, endEntries, holdCtes, holdEntries } from '../billing/ledger.sql.ts';
import type { Shortage } from '../billing/shortage.ts';
import { GOOD_STATUSES, smsEvents } from '../webhooks/events/event-data.sql.ts';
import { ANNOUNCE_EVENTS, type EventSource, eventCtes } from '../webhooks/events/record-events.sql.ts';
import { LOG_CHANNEL } from './announce-log.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import { ATTEMPT_COLUMNS, attemptRow, holdRows, outcomeRow } from './rows.ts';
import { LEASE_SECONDS, type Send } from './send.ts';

/** The end of a routing. */
export interface Outcome {
  readonly status: Status | OtpStatus;
  readonly channel: Channel | null;
  /** What a repeat of the same request is answered, and under which reference; null: the send has none. */
  readonly kept: { readonly reference: string; readonly answer: unknown } | null;
}

/** A step of a routing. */
export interface SettleItem {
  readonly send: Send;
  /** The lease that this process has on the send. */
  readonly lease: string;
  /** The attempts whose outcome is known now. */
  readonly settled: readonly ChannelAttempt[];
  /** The attempt that follows, or null. */
  readonly next: ChannelAttempt | null;
  /** The end of the routing, or null while it goes on. */
  readonly outcome: Outcome | null;
}

/** A step that was settled. */
export interface Settled {
  /** The lease from now on: renewed where an attempt follows. */
  readonly lease: string;
  /** Why the SMS attempt that follows cannot be paid; null: it is held, or none follows. */
  readonly shortage: Shortage | null;
}

/** Where a kind of send is kept: its table, and the column of `attempts` that names it. */
export interface SendTable {
  readonly table: 'messages' | 'otps';
  readonly key: 'message_id' | 'pin_id';
  /**
   * What the end of a routing tells webhooks. The rows of `held` are the sends with `is_over`, and the outcome of the routing
   * in `end_status` and `end_channel`.
   * @param attemptsOf the attempts of a row of `held` as they are now, as a FROM clause that names them `a`
   */
  events(attemptsOf: string): readonly EventSource[];
}

/**
 * Makes the batch of a kind, which settles a step. Answers null where the lease did not hold any more: then the outcomes of attempts that
 * nobody knew one of are kept, and nothing else.
 */
export function defineSettle(of: SendTable): (database: Database) => Batch<SettleItem, Settled | null> {
  const statement = settleStatement(of);
  return defineStatementBatch<SettleItem, Settled | null>(`settle ${of.table}`, (sql, items) =>
    applySettle(sql, statement, items),
  );
}

/**
 * One statement: checks the leases and ends the routings that are over; then, whether they held or not, the outcomes of the
 * attempts, and with them the ends of their holds; where they held, the attempts that follow, with their holds, and the answers to
 * repeat; the events of all this; at last it tells who listens. An attempt that was given up as `unknown` is not touched here: its
 * hold is released, and what an overtaken process knows of it is for `healOvertaken`.
 * Accounts are locked first, then the sends, then the attempts, by settles and receipts alike, and in the order of their ids as far as
 * the plan keeps it; a deadlock that is left is run again.
 */
const settleStatement = ({ table, key, events }: SendTable): string => `
  with ${holdCtes(ASKED_HOLDS, '$15::uuid[]')}, held as (
    update ${table} m
    set status = case when r.is_over and m.status in ('pending', 'unknown') then r.end_status else m.status end,
        channel = coalesce(m.channel, r.end_channel),
        lease_until = case
          when r.is_over then null
          when r.goes_on then clock_timestamp() + make_interval(secs => $11::int)
          else m.lease_until end
    from (
      -- Unless it ends with what a provider took just now, the attempts are asked: a receipt may have taken one back since, or a
      -- process that was overtaken may have stored that a provider took it.
      select s.*,
        case when s.is_fresh then s.channel when found is not null then coalesce(s.channel, found) end as end_channel,
        case when s.is_fresh then s.status when found is not null then 'sent' when s.channel is not null then 'failed'
          else s.status end as end_status
      from json_to_recordset($1::json) as s(id uuid, lease text, is_over boolean, goes_on boolean, is_fresh boolean,
        status text, channel text, resend int)
      cross join lateral (select case when s.is_over and not s.is_fresh then (
        select a.channel from attempts a
        where a.${key} = s.id and a.resend is not distinct from s.resend and a.status in ${GOOD_STATUSES} limit 1) end as found) l
    ) r
    where m.id = r.id and m.lease_until = r.lease::timestamptz and m.id = any($2::uuid[]) and m.id between $3::uuid and $12::uuid
      and ${ACCOUNTS_LOCKED}
    returning m.*, r.lease, m.lease_until::text as renewed, r.is_over, r.end_status, r.end_channel
  ), outcomes as (
    update attempts a
    set status = r.status, error_code = r.error_code, error_message = r.error_message, credits = r.credits,
        provider_message_id = r.provider_message_id, finished_at = r.finished_at
    from json_populate_recordset(null::attempts, $4::json) r
    where a.id = r.id and a.status = 'pending' and a.id between $5::uuid and $6::uuid
      and (select count(*) from held) >= 0
    returning a.*
  ), following as (
    insert into attempts (${ATTEMPT_COLUMNS})
    select ${ATTEMPT_COLUMNS} from (
      select n.* from json_array_elements($7::json) as r(attempt)
      join held h on h.id = (r.attempt->>'${key}')::uuid and h.lease = r.attempt->>'lease'
      cross join lateral json_populate_record(null::attempts, r.attempt) n
    ) next
    returning id
  ), booked as (
    ${bookEntries(
      endEntries('outcomes a', `a.status in ${GOOD_STATUSES}`),
      holdEntries('attempt_id in (select id from following)'),
    )}
  ), answers as (
    update idempotency_keys k set answer = r.answer
    from json_to_recordset($8::json) as r(account_id uuid, area text, reference text, message_id uuid, lease text, answer jsonb)
    join held h on h.id = r.message_id and h.lease = r.lease
    where k.account_id = r.account_id and k.area = r.area and k.reference = r.reference and k.message_id = r.message_id
  ), ${eventCtes('$13::uuid[]', [smsEvents('outcomes', 'outcomes'), ...events(attemptsOf(key))])}
  select held.id, held.lease, held.renewed, j.shortage from held left join judged j on j.send_id = held.id
  where (select count(pg_notify($9, payload)) from json_array_elements_text($10::json) as r(payload)) >= 0
    and ${ANNOUNCE_EVENTS}`;

const ASKED_HOLDS = 'json_to_recordset($14::json) as h(attempt_id uuid, send_id uuid, account_id uuid, need int)';

/** The attempts of a row of `held`: those that this statement changes as it leaves them. */
const attemptsOf = (key: SendTable['key']): string => `(
    select t.* from attempts t where t.${key} = held.id and not exists (select from outcomes o where o.id = t.id)
    union all
    select o.* from outcomes o where o.${key} = held.id
  ) a`;

async function applySettle(
  sql: Sql,
  statement: string,
  items: readonly SettleItem[],
): ReturnType<Apply<SettleItem, Settled | null>> {
  const steps = stepRows(items);
  const outcomes = items.flatMap(item => item.settled.map(outcomeRow));
  const ids = outcomes.map(row => row.id).sort();
  const following = items.flatMap(({ next, lease }) => (next ? [{ ...attemptRow(next), lease }] : []));
  const held = await runSql<{ id: string; lease: string; renewed: string | null; shortage: Shortage | null }>(
    sql,
    statement,
    [
      asJson(steps),
      steps.map(step => step.id),
      steps[0]?.id,
      asJson(outcomes),
      ids[0],
      ids.at(-1),
      asJson(following),
      asJson(items.flatMap(answerRows)),
      LOG_CHANNEL,
      JSON.stringify(idPayloads(items.flatMap(item => item.settled.map(attempt => attempt.id)))),
      LEASE_SECONDS,
      steps.at(-1)?.id,
      [...new Set(items.map(({ send }) => toUuid(send.accountId)))],
      asJson(items.flatMap(({ send, next }) => (next ? holdRows([next], { send_id: toUuid(send.id) }) : []))),
      [...new Set(items.filter(changesBalance).map(({ send }) => toUuid(send.accountId)))],
    ],
  );
  const settled = new Map(
    held.map(({ id, lease, renewed, shortage }) => [`${id} ${lease}`, { lease: renewed ?? lease, shortage }]),
  );
  return items.map(item => settled.get(leaseName(item)) ?? null);
}

/** Whether a step gives credits back or holds some. A capture does neither. */
function changesBalance({ settled, next }: SettleItem): boolean {
  return next?.channel === 'sms' || settled.some(({ channel, status }) => channel === 'sms' && status !== 'sent');
}

/** A lease of a send. A process may hold one twice: under the lease that it lost, and under the one it took it over with. */
function leaseName({ send, lease }: Pick<SettleItem, 'send' | 'lease'>): string {
  return `${toUuid(send.id)} ${lease}`;
}

/** One row for each lease: attempts of one send that end together come in one group, and an UPDATE takes any one of several rows. */
function stepRows(items: readonly SettleItem[]) {
  const steps = new Map<string, SettleItem>();
  const fresh = new Set<string>();
  for (const item of items) {
    if (item.outcome || !steps.has(leaseName(item))) steps.set(leaseName(item), item);
    if (item.settled.some(attempt => attempt.status === 'sent')) fresh.add(leaseName(item));
  }
  return [...steps]
    .map(([name, { send, lease, settled, next, outcome }]) => ({
      id: toUuid(send.id),
      lease,
      is_over: outcome !== null,
      goes_on: next !== null,
      is_fresh: fresh.has(name),
      status: outcome?.status ?? null,
      channel: outcome?.channel ?? null,
      resend: settled[0]?.resend ?? null,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What a repeat of the request will be answered, where the routing is over and the send has a reference. */
function answerRows({ send, lease, outcome }: SettleItem): object[] {
  if (!outcome?.kept) return [];
  return [
    {
      account_id: toUuid(send.accountId),
      area: send.area,
      message_id: toUuid(send.id),
      lease,
      ...outcome.kept,
    },
  ];
}
