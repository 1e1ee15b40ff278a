/**
 * The batch *settle*: what became of an attempt, and either the next attempt or the end of the routing. A settle holds only while
 * the send's lease is the one it was accepted under: a process that was too slow changes nothing any more.
 */
import { type Batch, defineBatch, defineStatementBatch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import { rangedIds } from '../../db/statements/ranged-ids.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { type Channel, isPaid } from '../../kernel/channel.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { OtpStatus, Status, SuccessStatus } from '../../kernel/status.ts';
import type { Shortage } from '../billing/shortage.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import { holdRows } from './rows.ts';
import { LEASE_SECONDS, type Send } from './send.ts';
import { defineEnd, LOCK_ACCOUNTS, LOCK_SENDS, type SendTable, settleStatement } from './settle.sql.ts';
import { toUnderWay } from './under-way.ts';

/** The end of a routing. */
export interface Outcome {
  readonly status: Status | OtpStatus;
  readonly channel: Channel | null;
  /** The answer to a repeat of the same request, under its reference; null: the send has none. */
  readonly kept: { readonly reference: string; readonly answer: unknown } | null;
}

/** The time that an accepted attempt has before the next channel follows. */
export interface Wait {
  readonly attemptId: string;
  /** The status that it has to reach. */
  readonly wanted: SuccessStatus;
  readonly seconds: number;
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
  /** The wait that the end begins; absent or null: no channel can follow any more. */
  readonly wait?: Wait | null;
  /** The attempts that had their time before this routing followed them; absent: it follows none. */
  readonly past?: readonly ChannelAttempt[] | undefined;
}

/** A step that was settled. */
export interface Settled {
  /** The lease from now on: renewed where an attempt follows. */
  readonly lease: string;
  /** Why the SMS attempt that follows cannot be paid; null: it is held, or none follows. */
  readonly shortage: Shortage | null;
}

/**
 * Makes the batches that settle steps of a kind: one for usual ends, one for all else, so that neither fails for the other. Answers
 * null where the lease did not hold any more: then nothing of the step is stored.
 */
export function defineSettle(of: SendTable): (database: Database) => Batch<SettleItem, Settled | null> {
  const [end, settle] = [defineEnd(of), settleStatement(of)];
  const ends = defineStatementBatch<SettleItem, Settled | null>(`end ${of.table}`, async (sql, items) =>
    inOrder(items, await applyEnds(sql, end, items)),
  );
  const steps = defineBatch<SettleItem, Settled | null>(`settle ${of.table}`, async (sql, items) => {
    await lockAll(sql, of, items);
    return inOrder(items, await inTurns(items, turn => applySteps(sql, settle, turn)));
  });
  return database => item => (isUsualEnd(item) ? ends(database)(item) : steps(database)(item));
}

function inOrder(items: readonly SettleItem[], settled: Results): (Settled | null)[] {
  const byLease = new Map(settled);
  return items.map(item => byLease.get(leaseName(item)) ?? null);
}

/**
 * Applies steps in as many turns as one send has leases among them. A process may have a lease that it lost, and the one that it
 * took the send over with. A step of the lost one must not be stored under the other.
 */
async function inTurns(
  items: readonly SettleItem[],
  apply: (items: readonly SettleItem[]) => Promise<Results>,
): Promise<Results> {
  const leases = new Map<string, readonly string[]>();
  const turnOf = ({ send, lease }: SettleItem): number => {
    const known = new Set([...(leases.get(send.id) ?? []), lease]);
    leases.set(send.id, [...known]);
    return [...known].indexOf(lease);
  };
  const settled: Results[] = [];
  for (const turn of Map.groupBy(items, turnOf).values()) settled.push(await apply(turn));
  return settled.flat();
}

/** Whether a step is the one end of a routing that a provider took just now. In the mode `all` another step may bring the same attempt. */
function isUsualEnd({ send, settled, outcome, wait, past }: SettleItem): boolean {
  return (
    outcome !== null &&
    outcome.kept === null &&
    wait == null &&
    past === undefined &&
    send.deliveryMode === 'fallback' &&
    settled.length === 1 &&
    settled[0]?.status === 'sent'
  );
}

type Results = readonly (readonly [string, Settled])[];

async function applyEnds(sql: Sql, end: ReturnType<typeof defineEnd>, items: readonly SettleItem[]): Promise<Results> {
  const steps = items
    .map(({ send, lease, outcome, settled: [attempt] }) => ({
      id: toUuid(send.id),
      lease,
      status: outcome?.status ?? '',
      channel: outcome?.channel ?? '',
      attempt: toUuid(attempt?.id ?? ''),
    }))
    .sort(byId);
  const attempts = items.flatMap(item => item.settled);
  const rows = await end(sql, {
    ...rangedIds(steps.map(({ id }) => id)),
    steps,
    attempts,
    accounts: accountsOf(items),
    payingAccounts: accountsOf(items.filter(changesBalance)),
    logged: attempts.map(({ id }) => id),
  });
  return rows.flatMap(({ id, lease }) =>
    lease === null ? [] : [[`${id} ${lease}`, { lease, shortage: null }] as const],
  );
}

/** Locks accounts, then sends, of a whole group: nobody who has locked a send waits for an account. */
async function lockAll(sql: Sql, { table }: SendTable, items: readonly SettleItem[]): Promise<void> {
  const payingAccounts = accountsOf(items.filter(changesBalance));
  if (payingAccounts.length > 0) await LOCK_ACCOUNTS.run(sql, { ids: payingAccounts });
  await LOCK_SENDS[table].run(sql, rangedIds(items.map(({ send }) => toUuid(send.id))));
}

async function applySteps(
  sql: Sql,
  statement: ReturnType<typeof settleStatement>,
  items: readonly SettleItem[],
): Promise<Results> {
  const steps = stepRows(items);
  const attempts = items.flatMap(item => item.settled);
  const rows = await statement.run(sql, {
    ...rangedIds(steps.map(({ id }) => id)),
    steps,
    attempts,
    answers: items.flatMap(answerRows),
    waits: items.flatMap(waitRows),
    holds: items.flatMap(item => (item.next && !keepsHold(item) ? holdRows(item.send, [item.next]) : [])),
    payingAccounts: accountsOf(items.filter(changesBalance)),
    accounts: accountsOf(items),
    leaseSeconds: LEASE_SECONDS,
    logged: attempts.map(({ id }) => id),
  });
  return rows.map(({ id, lease, renewed, shortage }) => [`${id} ${lease}`, { lease: renewed ?? lease, shortage }]);
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

function accountsOf(items: readonly SettleItem[]): string[] {
  return [...new Set(items.map(({ send }) => toUuid(send.accountId)))];
}

/** Whether a step spends credits, gives them back or holds some. */
function changesBalance({ settled, next }: SettleItem): boolean {
  return (next !== null && isPaid(next.channel)) || settled.some(({ channel }) => isPaid(channel));
}

/** Whether the next connection takes over the hold. Between the end of a hold and a new one another send could take the credits. */
function keepsHold({ settled, next }: SettleItem): boolean {
  // An attempt without a provider holds nothing.
  if (next === null || next.provider === null || !isPaid(next.channel)) return false;
  return settled.some(({ channel, provider, failsOver }) => isPaid(channel) && provider !== null && failsOver === true);
}

/** A lease of a send. */
function leaseName({ send, lease }: Pick<SettleItem, 'send' | 'lease'>): string {
  return `${toUuid(send.id)} ${lease}`;
}

/** One row for each lease: attempts of one send that end together come in one group, and an UPDATE takes any one of several rows. */
function stepRows(items: readonly SettleItem[]) {
  return [...Map.groupBy(items, leaseName).values()]
    .map(group => {
      const { send, lease, settled, outcome, wait, past } = group.reduce((step, item) => (step.outcome ? step : item));
      const ended = group.flatMap(item => item.settled);
      const next = group.flatMap(item => item.next ?? []);
      return {
        id: toUuid(send.id),
        lease,
        is_over: outcome !== null,
        // Attempts that were made at once share the lease that they began with.
        goes_on: next.length > 0 && send.deliveryMode === 'fallback',
        keeps_hold: group.some(keepsHold),
        is_fresh: ended.some(({ status }) => status === 'sent'),
        follows: past !== undefined,
        waits: wait != null,
        status: outcome?.status ?? null,
        channel: outcome?.channel ?? null,
        resend: (settled[0] ?? past?.[0])?.resend ?? null,
        done: ended.map(({ id }) => toUuid(id)),
        next: next.length > 0 ? toUnderWay(next) : null,
      };
    })
    .sort(byId);
}

function waitRows({ send, lease, wait }: SettleItem) {
  if (!wait) return [];
  const { attemptId, wanted, seconds } = wait;
  const [sendId, accountId] = [toUuid(send.id), toUuid(send.accountId)];
  return [{ send_id: sendId, account_id: accountId, lease, attempt_id: toUuid(attemptId), wanted, seconds }];
}

/** The answer to a repeat of the request, where the routing is over and the send has a reference. */
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
