/**
 * The batch *settle*: what became of an attempt, and either the next attempt or the end of the routing. A settle holds only while
 * the send's lease is the one it was accepted under: a process that was too slow changes nothing any more.
 */
import { type Apply, type Batch, defineStatementBatch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import type { Channel } from '../../kernel/channel.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { OtpStatus, Status } from '../../kernel/status.ts';
import type { Shortage } from '../billing/shortage.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import { holdRows, NEW_ATTEMPTS } from './rows.ts';
import { LEASE_SECONDS, type Send } from './send.ts';
import { type SendTable, settleStatement } from './settle.sql.ts';

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

async function applySettle(
  sql: Sql,
  statement: ReturnType<typeof settleStatement>,
  items: readonly SettleItem[],
): ReturnType<Apply<SettleItem, Settled | null>> {
  const steps = stepRows(items);
  const outcomes = items.flatMap(item => item.settled);
  const attemptIds = outcomes.map(({ id }) => toUuid(id)).sort();
  const rows = await statement.run(sql, {
    steps,
    ids: steps.map(step => step.id),
    lowestId: steps[0]?.id ?? null,
    highestId: steps.at(-1)?.id ?? null,
    outcomes,
    lowestAttempt: attemptIds[0] ?? null,
    highestAttempt: attemptIds.at(-1) ?? null,
    following: items.flatMap(({ next, lease }) => (next ? [{ ...NEW_ATTEMPTS.toRow(next), lease }] : [])),
    answers: items.flatMap(answerRows),
    holds: items.flatMap(({ send, next }) => (next ? holdRows([next], { send_id: toUuid(send.id) }) : [])),
    payingAccounts: accountsOf(items.filter(changesBalance)),
    accounts: accountsOf(items),
    leaseSeconds: LEASE_SECONDS,
    logged: outcomes.map(({ id }) => id),
  });
  const settled = new Map(
    rows.map(({ id, lease, renewed, shortage }) => [`${id} ${lease}`, { lease: renewed ?? lease, shortage }]),
  );
  return items.map(item => settled.get(leaseName(item)) ?? null);
}

function accountsOf(items: readonly SettleItem[]): string[] {
  return [...new Set(items.map(({ send }) => toUuid(send.accountId)))];
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
function answerRows({ send, lease, outcome }: SettleItem) {
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
