/** The routing of an accepted send: attempt after attempt, or all at once, each outcome committed before the next step. */

import { BROKEN_OFF, dispatch, PROVIDER_DEADLINE_MS } from '../../channels/dispatch.ts';
import type { SendOutcome } from '../../channels/outcome.ts';
import type { Ctx } from '../../context.ts';
import { type Channel, isPaid } from '../../kernel/channel.ts';
import { type Shortage, unpaid } from '../billing/shortage.ts';
import { isSuppressed, SUPPRESSED } from '../suppressions/refuse-suppressed.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import { followUp, NOBODY, newAttempt, refusalOf, writeOutcome } from './begin-attempt.ts';
import { awaitedStatus } from './follow-ups/fallback.policy.ts';
import { keepParts } from './receipts/parts.ts';
import { OvertakenError } from './recovery/overtaken-error.ts';
import { leaveUnfinished, tellOvertaken } from './recovery/unfinished.ts';
import { isAccepted, type Leg } from './routing.policy.ts';
import { LEASE_SECONDS, REQUEST_DEADLINE_MS } from './send.ts';
import type { Resumable, SendKind } from './send-kind.ts';
import type { Outcome, SettleItem, Wait } from './settle.ts';
import { beginAttemptSpan, endAttemptSpan, tracedStep } from './traces/trace-send.ts';

/** A provider call that takes longer gives the place of its request to another one. */
const LONG_CALL_MS = 100;

/** How long after its begin a routing of all channels at once still asks another connection: a call takes 10 s, and its lease 15. */
const FOLLOW_MS = (LEASE_SECONDS - 2) * 1_000;

/** A routing under way: the send and its attempts so far, and the legs that were not tried yet. */
export interface Routing<Kind extends Resumable> {
  readonly send: Kind;
  readonly kind: SendKind<Kind>;
  /** The lease that this process has on the send; renewed with each attempt that follows another. */
  lease: string;
  /** Why the SMS attempt that is pending cannot be paid: its provider is not asked. Null: it is held, or there is none. */
  shortage: Shortage | null;
  /** In the order of the route. Those that are pending are made now. */
  readonly attempts: ChannelAttempt[];
  /** The attempts that had their time before these follow; absent: nothing is followed. */
  readonly past?: readonly ChannelAttempt[];
  /** Those of them whose outcome is known but not stored yet: what a dead process left. */
  readonly interrupted?: readonly ChannelAttempt[];
  readonly rest: Leg[];
  /** The attempt that is stored to be made next, while it is. */
  next?: readonly ChannelAttempt[];
  /** Whether its recipient is known to have stopped before it was gone on with. */
  readonly isSuppressed?: boolean;
  /** The longest that the attempts may take together; absent: `REQUEST_DEADLINE_MS`. */
  readonly deadlineMs?: number;
}

/**
 * Routes a send to its end, and answers its attempts.
 * @throws AppError `overloaded` where another process has taken it over; the same request with its reference is then answered later.
 */
export async function routeSend<Kind extends Resumable>(
  ctx: Ctx,
  routing: Routing<Kind>,
): Promise<readonly ChannelAttempt[]> {
  const endsAtMs = performance.now() + (routing.deadlineMs ?? REQUEST_DEADLINE_MS);
  const { send, kind, attempts } = routing;
  try {
    if (send.deliveryMode === 'all') await attemptAll(ctx, routing, endsAtMs);
    else await attemptInTurn(ctx, routing, endsAtMs);
  } catch (error) {
    // A caller is told that it failed: then no channel is asked any more. A recovery has nobody to tell, and goes on.
    const known = { attempts: [...attempts, ...(routing.next ?? [])], isWithdrawn: !routing.interrupted };
    if (!(error instanceof OvertakenError)) leaveUnfinished(ctx, kind, send, known);
    throw error;
  }
  // Of a follow-up, metrics and log were told when its first channel was accepted.
  if (!routing.past) kind.routed(ctx, send);
  return attempts;
}

async function attemptInTurn<Kind extends Resumable>(
  ctx: Ctx,
  routing: Routing<Kind>,
  endsAtMs: number,
): Promise<void> {
  const { attempts } = routing;
  let unsettled = [...(routing.interrupted ?? [])];
  for (;;) {
    const pending = attempts.filter(attempt => attempt.status === 'pending');
    for (const attempt of pending) await makeAttempt(ctx, routing, attempt, endsAtMs);
    const isDone = isAccepted(attempts) || performance.now() >= endsAtMs;
    const follow = isDone ? NOBODY : followUp(ctx, routing, attempts.at(-1), endsAtMs);
    attempts.push(...follow.refused);
    const leg = isDone || follow.next ? undefined : routing.rest.shift();
    const next = leg ? newAttempt(ctx, routing.kind, routing.send, leg) : follow.next;
    routing.next = next ? [next] : [];
    const settled = [...unsettled, ...pending, ...follow.refused];
    await settleStep(ctx, routing, { settled, next, ...(next ? GOES_ON : endOf(ctx, routing)) });
    if (!next) return;
    attempts.push(next);
    routing.next = [];
    unsettled = [];
  }
}

/**
 * Every channel is tried at the same time, and each outcome is stored as soon as it is known; the last one ends the routing. Further connections of
 * a channel have to end under the lease that all of them began with.
 */
async function attemptAll<Kind extends Resumable>(ctx: Ctx, routing: Routing<Kind>, endsAtMs: number): Promise<void> {
  const pending = routing.attempts.filter(attempt => attempt.status === 'pending');
  const unstored = new Set<ChannelAttempt>(routing.interrupted);
  const end = (): Promise<void> =>
    settleStep(ctx, routing, { settled: [...unstored], next: null, ...endOf(ctx, routing) });
  if (pending.length === 0) return end();
  const open = new Set(pending);
  const followsUntilMs = performance.now() + FOLLOW_MS;
  const make = async (attempt: ChannelAttempt, untilMs: number): Promise<void> => {
    await makeAttempt(ctx, routing, attempt, untilMs);
    open.delete(attempt);
    const { refused, next } = followUp(ctx, routing, attempt, followsUntilMs);
    if (next) open.add(next);
    const settled = [attempt, ...refused];
    // The end stores what another settle may have failed to, which is under way until then: no attempt is lost.
    for (const one of settled) unstored.add(one);
    routing.attempts.splice(routing.attempts.indexOf(attempt) + 1, 0, ...refused, ...(next ? [next] : []));
    if (open.size === 0) {
      await end();
      unstored.clear();
      return;
    }
    await settleStep(ctx, routing, { settled, next, ...GOES_ON });
    for (const one of settled) unstored.delete(one);
    if (next) await make(next, followsUntilMs);
  };
  const made = await Promise.allSettled(pending.map(attempt => make(attempt, endsAtMs)));
  // A settle that failed counts only while its attempts are not stored: the end stores them too.
  const failures = made.filter(result => result.status === 'rejected').map(({ reason }): unknown => reason);
  // Any other error is thrown before an `OvertakenError`: its outcomes are still to be noted, those of an `OvertakenError` are told already.
  const failure = failures.find(reason => !(reason instanceof OvertakenError)) ?? failures[0];
  if (failure !== undefined && (unstored.size > 0 || open.size > 0)) throw failure;
}

/** Calls the provider and writes the outcome into the attempt. One that has none, or that cannot be paid, is not made. */
async function makeAttempt<Kind extends Resumable>(
  ctx: Ctx,
  { send, kind, shortage, isSuppressed: hasStopped }: Routing<Kind>,
  attempt: ChannelAttempt,
  endsAtMs: number,
): Promise<void> {
  const labels = { channel: attempt.channel, provider: attempt.provider ?? 'none' };
  // By the attempt first: one that began without a provider holds nothing, whatever was connected since.
  const provider = attempt.provider === null ? null : ctx.services.providers.of(attempt.connectionId ?? null);
  const lack = isPaid(attempt.channel) ? shortage : null;
  const refuse = () => (hasStopped || isSuppressed(ctx, send) ? SUPPRESSED : null);
  const stopped = refuse();
  if (!provider || lack || stopped) {
    const refusal = stopped ?? (provider && lack ? unpaid(lack) : refusalOf(ctx, send, attempt));
    writeOutcome(attempt, refusal, ctx.clock.now());
    ctx.services.metrics.attempts.inc({ ...labels, status: attempt.status });
    return;
  }
  const { secret, ...content } = kind.contentOf(ctx, send, attempt.channel);
  const startedMs = performance.now();
  const span = beginAttemptSpan(ctx, send.id, attempt);
  const timer = setTimeout(() => ctx.request.stepAside?.(), LONG_CALL_MS);
  const request = {
    attemptId: attempt.id,
    sendId: send.id,
    accountId: send.accountId,
    channel: attempt.channel,
    to: send.recipient,
    from: attempt.sender ?? '',
    goesToSuppressed: send.goesToSuppressed,
    ...content,
    refuse,
  };
  try {
    const outcome = await dispatch(provider, request, Math.min(PROVIDER_DEADLINE_MS, endsAtMs - startedMs));
    await keepPartsOf(ctx, attempt, outcome);
    writeOutcome(attempt, withoutSecret(outcome, secret), ctx.clock.now());
  } catch (error) {
    // The provider was asked and may have the text: the attempt is not repeated.
    ctx.log.error({ err: error, provider: provider.id }, 'the answer of a provider could not be read');
    writeOutcome(attempt, BROKEN_OFF, ctx.clock.now());
  }
  clearTimeout(timer);
  countAttempt(ctx, attempt, labels, (performance.now() - startedMs) / 1000);
  if (span) endAttemptSpan(span, attempt);
}

/** Stores the parts that a provider took one by one, before the attempt is settled: their receipts may be faster. */
async function keepPartsOf(
  ctx: Ctx,
  { id: attemptId, connectionId }: ChannelAttempt,
  outcome: SendOutcome,
): Promise<void> {
  const partIds = outcome.kind === 'accepted' || outcome.kind === 'unknown' ? outcome.partIds : undefined;
  if (connectionId == null || !partIds || partIds.length < 2) return;
  // A failure costs receipts of a text that was sent, and no text.
  await keepParts(ctx, { attemptId, connectionId, partIds }).catch((error: unknown) =>
    ctx.log.error({ err: error, attemptId }, 'the parts of a text could not be stored'),
  );
}

function countAttempt(
  { services: { metrics } }: Ctx,
  { status, connectionId, country }: ChannelAttempt,
  labels: { readonly channel: Channel; readonly provider: string },
  seconds: number,
): void {
  metrics.attemptSeconds.observe(labels, seconds);
  metrics.attempts.inc({ ...labels, status });
  if (connectionId == null) return;
  const place = { connection: connectionId, country: country ?? 'none' };
  metrics.connectionSeconds.observe(place, seconds);
  metrics.connectionAttempts.inc({ ...place, status });
}

/** The outcome without the secret, which a provider may repeat, whole or in groups of digits: its words are stored and shown. */
function withoutSecret(outcome: SendOutcome, secret: string | null): SendOutcome {
  if (secret === null || outcome.kind === 'accepted') return outcome;
  const pattern = new RegExp([...secret].join('[^0-9A-Za-z]{0,3}'), 'g');
  const { code, message } = outcome;
  return {
    ...outcome,
    code: code.replaceAll(pattern, '[redacted]'),
    message: message.replaceAll(pattern, '[redacted]'),
  };
}

/** A step that another one follows. */
const GOES_ON = { outcome: null, wait: null } as const;

function endOf<Kind extends Resumable>(ctx: Ctx, routing: Routing<Kind>): { outcome: Outcome; wait: Wait | null } {
  const { kind, send, attempts, past } = routing;
  const outcome = kind.end(send, [...(past ?? []), ...attempts]);
  // A repeat is answered as the request was, which had its answer before anything followed.
  return { outcome: past ? { ...outcome, kept: null } : outcome, wait: waitOf(ctx, routing) };
}

/** The time that the accepted attempt has. Null: none has any, or nothing is left to follow. */
function waitOf<Kind extends Resumable>(ctx: Ctx, { send, attempts, rest }: Routing<Kind>): Wait | null {
  const { fallbackAfter, successStatus, deliveryMode } = send;
  const accepted = attempts.find(({ status }) => status === 'sent');
  if (fallbackAfter == null || successStatus == null || !accepted || rest.length === 0 || deliveryMode === 'all')
    return null;
  const { receipts, arrivals = true } = ctx.services.providers.of(accepted.connectionId ?? null)?.capabilities ?? {};
  const wanted = awaitedStatus(accepted.channel, successStatus, receipts !== 'none' && arrivals);
  return wanted && { attemptId: accepted.id, wanted, seconds: fallbackAfter };
}

async function settleStep<Kind extends Resumable>(
  ctx: Ctx,
  routing: Routing<Kind>,
  step: Pick<SettleItem, 'settled' | 'next' | 'outcome' | 'wait'>,
): Promise<void> {
  const { send, kind, lease, past } = routing;
  const { settled } = step;
  const settle = kind.settle(ctx.services.database);
  const settling = await tracedStep(ctx, 'settle', send, () => settle({ send, lease, past, ...step }));
  if (settling === null) {
    await tellOvertaken(ctx, kind, send, settled);
    throw new OvertakenError();
  }
  Object.assign(routing, settling);
}
