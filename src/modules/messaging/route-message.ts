/** The routing of an accepted message: attempt after attempt, or all at once, each outcome committed before the next step. */
import type { SendOutcome } from '../../channels/contract.ts';
import { dispatch, PROVIDER_DEADLINE_MS } from '../../channels/dispatch.ts';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { maskPhone } from '../../kernel/phone.ts';
import { storeAnswer } from './answer.ts';
import type { Attempt } from './attempt.entity.ts';
import type { Message } from './message.entity.ts';
import { isAccepted, type Leg, outcomeOf, templateFor } from './routing.policy.ts';
import { type Outcome, settle } from './settle.ts';

/** The longest that the attempts of one request may take together. */
const REQUEST_DEADLINE_MS = 25_000;

/** A routing under way: the message and its attempts so far, and the legs that were not tried yet. */
export interface Routing {
  readonly message: Message;
  /** The lease that this process has on the message; renewed with each attempt that follows another. */
  lease: string;
  /** In the order of the route. Those that are pending are made now. */
  readonly attempts: Attempt[];
  /** Those of them whose outcome is known but not stored yet: what a dead process left. */
  readonly interrupted?: readonly Attempt[];
  readonly rest: Leg[];
  /** The longest that the attempts may take together; that of a request where it is absent. */
  readonly deadlineMs?: number;
}

/** Makes the attempt of a leg, not stored yet: plain data, as the message of a send is. */
export function newAttempt(ctx: Ctx, message: Message, leg: Leg): Attempt {
  return {
    id: newId('att'),
    accountId: message.accountId,
    area: message.area,
    type: 'message_attempt',
    messageId: message.id,
    pinId: null,
    channel: leg.channel,
    provider: ctx.services.providers.of(message.accountId, leg.channel).id,
    recipient: message.recipient,
    sender: leg.from,
    reference: message.reference,
    status: 'pending',
    errorCode: null,
    errorMessage: null,
    segments: leg.channel === 'sms' ? message.segments : 0,
    credits: 0,
    providerMessageId: null,
    startedAt: ctx.clock.now(),
    finishedAt: null,
  };
}

/**
 * Routes a message to its end and answers it with its attempts.
 * @throws AppError `overloaded` where another process has taken the message over; the same request with its reference is then answered later.
 */
export async function routeMessage(ctx: Ctx, routing: Routing): Promise<Message> {
  const endsAtMs = performance.now() + (routing.deadlineMs ?? REQUEST_DEADLINE_MS);
  const { message, attempts } = routing;
  if (message.deliveryMode === 'all') await attemptAll(ctx, routing, endsAtMs);
  else await attemptInTurn(ctx, routing, endsAtMs);
  message.attempts = attempts;
  ctx.services.metrics.messages.inc({ delivery_mode: message.deliveryMode, status: message.status });
  if (ctx.log.isLevelEnabled('debug')) {
    const { id, status, channel, recipient } = message;
    ctx.log.debug({ messageId: id, status, channel, recipient: maskPhone(recipient) }, 'a message was routed');
  }
  return message;
}

async function attemptInTurn(ctx: Ctx, routing: Routing, endsAtMs: number): Promise<void> {
  const { attempts, rest } = routing;
  let unsettled = [...(routing.interrupted ?? [])];
  for (;;) {
    const pending = attempts.filter(attempt => attempt.status === 'pending');
    for (const attempt of pending) await makeAttempt(ctx, routing, attempt, endsAtMs);
    const leg = isAccepted(attempts) || performance.now() >= endsAtMs ? undefined : rest.shift();
    const next = leg ? newAttempt(ctx, routing.message, leg) : null;
    await settleStep(ctx, routing, [...unsettled, ...pending], next, next ? null : endOf(routing));
    if (!next) return;
    attempts.push(next);
    unsettled = [];
  }
}

/** Every provider is called at the same time, and each outcome is stored as soon as it is known; the last one ends the routing. */
async function attemptAll(ctx: Ctx, routing: Routing, endsAtMs: number): Promise<void> {
  const pending = routing.attempts.filter(attempt => attempt.status === 'pending');
  if (pending.length === 0) return settleStep(ctx, routing, routing.interrupted ?? [], null, endOf(routing));
  let open = pending.length;
  await Promise.all(
    pending.map(async attempt => {
      await makeAttempt(ctx, routing, attempt, endsAtMs);
      open -= 1;
      await settleStep(ctx, routing, [attempt], null, open === 0 ? endOf(routing) : null);
    }),
  );
}

/** Calls the provider and writes the outcome into the attempt. */
async function makeAttempt(ctx: Ctx, { message }: Routing, attempt: Attempt, endsAtMs: number): Promise<void> {
  const provider = ctx.services.providers.of(message.accountId, attempt.channel);
  const startedMs = performance.now();
  const outcome = await dispatch(
    provider,
    {
      attemptId: attempt.id,
      accountId: message.accountId,
      channel: attempt.channel,
      to: message.recipient,
      from: attempt.sender ?? '',
      text: message.text,
      template: templateFor(attempt.channel, message.cloudTemplate),
    },
    Math.min(PROVIDER_DEADLINE_MS, endsAtMs - startedMs),
  );
  writeOutcome(attempt, outcome, ctx.clock.now());
  const labels = { channel: attempt.channel, provider: attempt.provider };
  ctx.services.metrics.attemptSeconds.observe(labels, (performance.now() - startedMs) / 1000);
  ctx.services.metrics.attempts.inc({ ...labels, status: attempt.status });
}

/** An outcome in the words of an attempt: accepted is sent, unknown stays unknown, everything else failed. */
export function writeOutcome(attempt: Attempt, outcome: SendOutcome, at: Date): void {
  attempt.finishedAt = at;
  if (outcome.kind === 'accepted') {
    attempt.status = 'sent';
    attempt.providerMessageId = outcome.providerMessageId;
    attempt.credits = attempt.channel === 'sms' ? attempt.segments : 0;
    return;
  }
  attempt.status = outcome.kind === 'unknown' ? 'unknown' : 'failed';
  attempt.errorCode = outcome.code;
  attempt.errorMessage = outcome.message;
}

function endOf({ message, attempts }: Routing): Outcome {
  const { status, channel } = outcomeOf(attempts);
  message.status = status;
  message.channel = channel;
  return { status, channel, answer: message.reference === null ? null : storeAnswer(message, attempts) };
}

async function settleStep(
  ctx: Ctx,
  routing: Routing,
  settled: readonly Attempt[],
  next: Attempt | null,
  outcome: Outcome | null,
): Promise<void> {
  const { message } = routing;
  const lease = await settle(ctx.services.database)({ message, lease: routing.lease, settled, next, outcome });
  if (lease === null) {
    const detail = 'The request took too long and goes on without you. Ask again with the same reference.';
    throw new AppError('overloaded', detail, { retryAfter: 5 });
  }
  routing.lease = lease;
}
