/** Recovery, the same for every kind of send: the leases of dead processes are taken, and each routing goes on to its end. */
import { failure, type SendOutcome } from '../../../channels/outcome.ts';
import type { Ctx } from '../../../context.ts';
import { IN_TIME_MS } from '../../../db/batch.ts';
import type { Database } from '../../../db/orm.ts';
import { isUnavailable, runSql } from '../../../db/statements/sql.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import { isPaid } from '../../../kernel/channel.ts';
import { loadAccount } from '../../accounts/load-account.ts';
import { unpaid } from '../../billing/shortage.ts';
import { byRoute, type ChannelAttempt } from '../attempt.entity.ts';
import { refusalOf, writeOutcome } from '../begin-attempt.ts';
import { attemptsFollowed } from '../follow-ups/attempts-followed.ts';
import { routeSend } from '../route-send.ts';
import { isAccepted, legOf } from '../routing.policy.ts';
import { LEASE_SECONDS, RECOVERY_DEADLINE_MS } from '../send.ts';
import type { Known, Resumable, SendKind } from '../send-kind.ts';
import { markOf } from './marks.ts';
import { LOOK_SIZE, TAKE_OVERDUE_MESSAGES, TAKE_OVERDUE_OTPS } from './recover.sql.ts';
import { unfinishedIds } from './unfinished.ts';

/**
 * How long sends are left to their own processes, from the first answer of a database that was away. A process that told a caller that its
 * request failed withdraws the send within this time. With the lease of 15 s it stays a part of the 35 s of contract §4.
 */
const HEAD_START_MS = 5_000;

/** A send that was taken, by its uuid. */
interface Taken {
  readonly id: string;
  readonly lease: string;
}

/** Of databases that were away: when their owners' head start is over; null while they are still away. */
const headStarts = new WeakMap<Database, number | null>();

/** How many sends one round takes: more than a process has under way, so that what one left is taken at once. */
export const ROUND_SIZE = 1_000;

/**
 * Takes the sends of a kind whose lease is over, by the database's clock, and resumes each. Those that this process has to finish itself are
 * left out. Answers how many were taken.
 */
export function recoverSends<Kind extends Resumable>(ctx: Ctx, kind: SendKind<Kind>): Promise<number> {
  return resumeTaken(ctx, kind, () => take(ctx.services.database, kind.table));
}

/**
 * Takes sends and goes on with each; answers how many they are. While the owners of sends have a head start none is taken. One that fails is taken again when
 * its lease is over.
 */
export async function resumeTaken<Kind extends Resumable>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  takeSends: () => Promise<readonly Taken[]>,
): Promise<number> {
  const { database } = ctx.services;
  if (await isHeadStart(database)) return 0;
  const taken = await takeSends().catch((error: unknown) => {
    if (isUnavailable(error)) {
      headStarts.set(database, null);
      // The database may be another server by now, or one whose clock was set.
      database.clock.forget();
    }
    throw error;
  });
  const results = await Promise.allSettled(taken.map(row => kind.resume(ctx, kind.idOf(row.id), row.lease, null)));
  for (const result of results) {
    if (result.status === 'rejected')
      ctx.log.error(
        { err: result.reason, table: kind.table },
        'a send could not be gone on with; it is tried again when its lease is over',
      );
  }
  return taken.length;
}

/** Whether the database was away and others still have time to end what is theirs. @throws the error of a database that is still away */
async function isHeadStart(database: Database): Promise<boolean> {
  const endsMs = headStarts.get(database);
  if (endsMs === undefined) return false;
  if (endsMs === null) {
    await runSql(database.sql(), 'select 1', []);
    headStarts.set(database, performance.now() + HEAD_START_MS);
    return true;
  }
  if (performance.now() < endsMs) return true;
  headStarts.delete(database);
  return false;
}

async function take(database: Database, table: SendKind<never>['table']): Promise<readonly Taken[]> {
  const how = { leaseSeconds: LEASE_SECONDS, limit: ROUND_SIZE, but: unfinishedIds(database, table) };
  const inTime = (): Promise<string> => database.clock.in(IN_TIME_MS);
  if (table === 'otps') return TAKE_OVERDUE_OTPS.run(database.sql(), { ...how, by: await inTime() });
  await markOf(database).raise();
  const taken: Taken[] = [];
  for (let from: string | null = null; taken.length < ROUND_SIZE; ) {
    const rows: Answer<typeof TAKE_OVERDUE_MESSAGES>[] = await TAKE_OVERDUE_MESSAGES.run(database.sql(), {
      ...how,
      by: await inTime(),
      from,
      lookSize: LOOK_SIZE,
    });
    for (const { id, lease } of rows) if (lease !== null) taken.push({ id, lease });
    from = rows.find(({ lease }) => lease === null)?.id ?? null;
    if (from === null) break;
  }
  return taken;
}

/** A routing as it was left. */
interface LeftRouting<Kind extends Resumable> {
  readonly send: Kind;
  readonly lease: string;
  /** The attempts of this routing so far. */
  readonly attempts: ChannelAttempt[];
  /** Whether a channel that was not tried yet still makes sense. */
  readonly isWanted: boolean;
  /** Whether its recipient has stopped since, by the database: no channel is asked. Absent: the memory of the process says. */
  readonly isSuppressed?: boolean;
  /** The state as this process knows it, where the send is its own; null: another process left it. */
  readonly known: Known | null;
}

/** The outcome of attempts that were never made of a send that is withdrawn. */
const WITHDRAWN: SendOutcome = {
  kind: 'rejected',
  code: 'not_accepted',
  message: 'The outcome could not be stored: the request was refused, and this channel was not asked.',
};

/** The outcome of an attempt that a dead process left. No provider was asked where there was none, nor for an SMS that nothing was held for. */
function leftOutcome(ctx: Ctx, send: Resumable, attempt: ChannelAttempt): SendOutcome {
  const { channel, provider } = attempt;
  if (provider === null) return refusalOf(ctx, send, attempt);
  if (isPaid(channel) && send.held === 0) return unpaid('balance');
  return failure('unknown', 'interrupted');
}

/**
 * Writes what became of an attempt that was under way. One that was never made and is held stays pending: it is made now, unless the send
 * is withdrawn.
 */
function endAttempt(ctx: Ctx, send: Resumable, attempt: ChannelAttempt, known: Known | null): void {
  const mine = known?.attempts.find(({ id }) => id === attempt.id);
  if (mine && mine.status !== 'pending') {
    const { status, errorCode, errorMessage, credits, providerMessageId, finishedAt, failsOver = false } = mine;
    Object.assign(attempt, { status, errorCode, errorMessage, credits, providerMessageId, finishedAt, failsOver });
    return;
  }
  const left = mine && known?.isWithdrawn ? WITHDRAWN : leftOutcome(ctx, send, attempt);
  if (mine && left.kind === 'unknown') return;
  writeOutcome(attempt, left, ctx.clock.now());
}

/**
 * Goes on with a routing that was left. Nobody knows the outcome of an attempt that a dead process had under way: the provider may have it.
 * So it is `unknown`, and never repeated; in `fallback` mode the next channel follows.
 */
export async function resumeRouting<Kind extends Resumable>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  { send, lease, attempts, isWanted, isSuppressed = false, known }: LeftRouting<Kind>,
): Promise<void> {
  const account = await loadAccount(ctx.services.database, send.accountId);
  const { channels } = send;
  attempts.sort(byRoute(channels));
  const left = attempts.filter(attempt => attempt.status === 'pending');
  for (const attempt of left) endAttempt(ctx, send, attempt, known);
  const isWithdrawn = known?.isWithdrawn ?? false;
  const followed = await attemptsFollowed(ctx, send, attempts);
  const past = followed?.past;
  const own = attempts.filter(attempt => !past?.includes(attempt));
  const isStopped =
    send.deliveryMode === 'all' || !account || !isWanted || isWithdrawn || (followed?.hasReached ?? false);
  if (isStopped || isAccepted(own)) for (const attempt of own) attempt.failsOver = false;
  const untried = channels.filter(channel => !attempts.some(attempt => attempt.channel === channel));
  const rest = isStopped ? [] : untried.map(channel => legOf(channel, send, account));
  await routeSend(ctx, {
    send,
    kind,
    lease,
    shortage: null,
    attempts: own,
    ...(past && { past }),
    interrupted: left.filter(attempt => attempt.status !== 'pending'),
    rest,
    isSuppressed,
    deadlineMs: RECOVERY_DEADLINE_MS,
  });
  if (past) return ctx.log.debug({ id: send.id }, 'the follow-up of a send has ended');
  if (isWithdrawn && attempts.every(({ status }) => status === 'failed')) await kind.withdrawn(ctx, send);
  ctx.log.warn(
    { id: send.id },
    isWithdrawn ? 'a send was withdrawn' : 'a send that was left pending has been recovered',
  );
}
