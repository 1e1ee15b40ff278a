/** The routing of an accepted send: attempt after attempt, or all at once, each outcome committed before the next step. */
import type { SendOutcome } from '../../channels/contract.ts';
import { BROKEN_OFF, dispatch, PROVIDER_DEADLINE_MS } from '../../channels/dispatch.ts';
import type { Ctx } from '../../context.ts';
import { newId } from '../../kernel/ids.ts';
import { storableText } from '../../kernel/storable.ts';
import { type Shortage, unpaid } from '../billing/shortage.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import { OvertakenError } from './recovery/overtaken-error.ts';
import { leaveUnfinished, tellOvertaken } from './recovery/unfinished.ts';
import { isAccepted, type Leg, NO_ROUTE } from './routing.policy.ts';
import { REQUEST_DEADLINE_MS } from './send.ts';
import type { Resumable, SendKind } from './send-kind.ts';
import type { Outcome, SettleItem } from './settle.ts';
import { pendingAttempt } from './under-way.ts';

/** A provider call that takes longer gives the place of its request to another one. */
const LONG_CALL_MS = 100;

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
  /** Those of them whose outcome is known but not stored yet: what a dead process left. */
  readonly interrupted?: readonly ChannelAttempt[];
  readonly rest: Leg[];
  /** The attempt that is stored to be made next, while it is. */
  next?: readonly ChannelAttempt[];
  /** The longest that the attempts may take together; that of a request where it is absent. */
  readonly deadlineMs?: number;
}

/** Begins the attempt of a leg, which is stored nowhere yet. */
export function newAttempt<Kind extends Resumable>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  send: Kind,
  { channel, from }: Leg,
): ChannelAttempt {
  return pendingAttempt(send, kind.attemptOf(send), {
    id: newId('att'),
    channel,
    provider: ctx.services.providers.of(send.accountId, channel)?.id ?? null,
    sender: from,
    startedAt: ctx.clock.now(),
  });
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
  kind.routed(ctx, send);
  return attempts;
}

async function attemptInTurn<Kind extends Resumable>(
  ctx: Ctx,
  routing: Routing<Kind>,
  endsAtMs: number,
): Promise<void> {
  const { attempts, rest } = routing;
  let unsettled = [...(routing.interrupted ?? [])];
  for (;;) {
    const pending = attempts.filter(attempt => attempt.status === 'pending');
    for (const attempt of pending) await makeAttempt(ctx, routing, attempt, endsAtMs);
    const leg = isAccepted(attempts) || performance.now() >= endsAtMs ? undefined : rest.shift();
    const next = leg ? newAttempt(ctx, routing.kind, routing.send, leg) : null;
    routing.next = next ? [next] : [];
    const settled = [...unsettled, ...pending];
    await settleStep(ctx, routing, { settled, next, underWay: routing.next, outcome: next ? null : endOf(routing) });
    if (!next) return;
    attempts.push(next);
    routing.next = [];
    unsettled = [];
  }
}

/** Every provider is called at the same time, and each outcome is stored as soon as it is known; the last one ends the routing. */
async function attemptAll<Kind extends Resumable>(ctx: Ctx, routing: Routing<Kind>, endsAtMs: number): Promise<void> {
  const pending = routing.attempts.filter(attempt => attempt.status === 'pending');
  const unstored = new Set<ChannelAttempt>(routing.interrupted);
  const end = (): Promise<void> =>
    settleStep(ctx, routing, { settled: [...unstored], next: null, underWay: [], outcome: endOf(routing) });
  if (pending.length === 0) return end();
  const open = new Set(pending);
  const made = await Promise.allSettled(
    pending.map(async attempt => {
      await makeAttempt(ctx, routing, attempt, endsAtMs);
      open.delete(attempt);
      // The end stores what another settle may have failed to, which is under way until then: no attempt is lost.
      const underWay = [...unstored, ...open];
      unstored.add(attempt);
      if (open.size === 0) {
        await end();
        unstored.clear();
        return;
      }
      await settleStep(ctx, routing, { settled: [attempt], next: null, underWay, outcome: null });
      unstored.delete(attempt);
    }),
  );
  // What the end has stored is stored, whatever failed before it.
  const failures = made.filter(result => result.status === 'rejected').map(({ reason }): unknown => reason);
  // What is to be noted goes before what is told already.
  const failure = failures.find(reason => !(reason instanceof OvertakenError)) ?? failures[0];
  if (failure !== undefined && (unstored.size > 0 || open.size > 0)) throw failure;
}

/** Calls the provider and writes the outcome into the attempt. One that has none, or that cannot be paid, is not made. */
async function makeAttempt<Kind extends Resumable>(
  ctx: Ctx,
  { send, kind, shortage }: Routing<Kind>,
  attempt: ChannelAttempt,
  endsAtMs: number,
): Promise<void> {
  const labels = { channel: attempt.channel, provider: attempt.provider ?? 'none' };
  // By the attempt first: one that began without a provider holds nothing, whatever was connected since.
  const provider = attempt.provider === null ? null : ctx.services.providers.of(send.accountId, attempt.channel);
  const isUnpaid = attempt.channel === 'sms' && shortage;
  if (!provider || isUnpaid) {
    writeOutcome(attempt, provider && isUnpaid ? unpaid(isUnpaid) : NO_ROUTE, ctx.clock.now());
    ctx.services.metrics.attempts.inc({ ...labels, status: attempt.status });
    return;
  }
  const { secret, ...content } = kind.contentOf(ctx, send, attempt.channel);
  const startedMs = performance.now();
  const timer = setTimeout(() => ctx.request.stepAside?.(), LONG_CALL_MS);
  const request = {
    attemptId: attempt.id,
    accountId: send.accountId,
    channel: attempt.channel,
    to: send.recipient,
    from: attempt.sender ?? '',
    ...content,
  };
  try {
    const outcome = await dispatch(provider, request, Math.min(PROVIDER_DEADLINE_MS, endsAtMs - startedMs));
    writeOutcome(attempt, withoutSecret(outcome, secret), ctx.clock.now());
  } catch (error) {
    // It was asked and may have it: nobody is to ask it again.
    ctx.log.error({ err: error, provider: provider.id }, 'the answer of a provider could not be read');
    writeOutcome(attempt, BROKEN_OFF, ctx.clock.now());
  }
  clearTimeout(timer);
  ctx.services.metrics.attemptSeconds.observe(labels, (performance.now() - startedMs) / 1000);
  ctx.services.metrics.attempts.inc({ ...labels, status: attempt.status });
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

/** An outcome in the words of an attempt: accepted is sent, unknown stays unknown, everything else failed. */
export function writeOutcome(attempt: ChannelAttempt, outcome: SendOutcome, at: Date): void {
  attempt.finishedAt = at;
  if (outcome.kind === 'accepted') {
    attempt.status = 'sent';
    attempt.providerMessageId = storableText(outcome.providerMessageId);
    attempt.credits = attempt.channel === 'sms' ? attempt.segments : 0;
    return;
  }
  attempt.status = outcome.kind === 'unknown' ? 'unknown' : 'failed';
  attempt.errorCode = storableText(outcome.code);
  attempt.errorMessage = storableText(outcome.message);
}

function endOf<Kind extends Resumable>({ kind, send, attempts }: Routing<Kind>): Outcome {
  return kind.end(send, attempts);
}

async function settleStep<Kind extends Resumable>(
  ctx: Ctx,
  routing: Routing<Kind>,
  step: Omit<SettleItem, 'send' | 'lease'>,
): Promise<void> {
  const { send, kind, lease } = routing;
  const { settled } = step;
  const settling = await kind.settle(ctx.services.database)({ send, lease, ...step });
  if (settling === null) {
    await tellOvertaken(ctx, kind, send, settled);
    throw new OvertakenError();
  }
  Object.assign(routing, settling);
}
