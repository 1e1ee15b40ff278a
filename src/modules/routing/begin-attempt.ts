/** Attempts as they begin: by which connection, and from which sender. */

import { noRoute } from '../../channels/no-route.ts';
import type { SendOutcome } from '../../channels/outcome.ts';
import type { Choice, Wanted } from '../../channels/providers.ts';
import type { Ctx } from '../../context.ts';
import { type Channel, isPaid, type Purpose } from '../../kernel/channel.ts';
import { newId } from '../../kernel/ids.ts';
import { countryOf } from '../../kernel/phone.ts';
import { storableText } from '../../kernel/storable.ts';
import { applySenderRules } from '../sender-rules/sender-rule.policy.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import { isOfChat, isTakenOver, type Leg, namedIn } from './routing.policy.ts';
import type { Resumable, SendKind } from './send-kind.ts';
import { pendingAttempt } from './under-way.ts';

/** Begins the attempt of a leg, which is stored nowhere yet, by the first connection that fits. */
export function newAttempt<Kind extends Resumable>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  send: Kind,
  leg: Leg,
): ChannelAttempt {
  const { providers } = ctx.services;
  const wanted = wantedBy(kind.purpose, send, leg.channel, leg.from);
  const [first] = providers.choose(wanted);
  const attempt = attemptBy(ctx, kind, send, leg, first);
  attempt.passedOver = providers.passedOver(wanted, first?.connectionId ?? null);
  return attempt;
}

function wantedBy(
  purpose: Purpose,
  { accountId, recipient, cloudTemplate }: Resumable,
  channel: Channel,
  sender: string | null | undefined,
): Wanted {
  const named = { ...(sender != null && { sender }), isOfNumber: isOfChat(channel, cloudTemplate) };
  return { accountId, channel, purpose, recipient, ...named, country: () => countryOf(recipient) };
}

function attemptBy<Kind extends Resumable>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  send: Kind,
  { channel, from }: Leg,
  choice: Choice | undefined,
  after?: ChannelAttempt,
): ChannelAttempt {
  const owner = kind.attemptOf(send);
  const connectionId = choice?.connectionId ?? null;
  const named = { channel, sender: from, recipient: send.recipient, country: owner.country, connectionId };
  const { sender, refusal } = applySenderRules(ctx.services.senderRules, named);
  return pendingAttempt(send, owner, {
    id: idAfter(after),
    channel,
    provider: refusal ? null : (choice?.provider.id ?? null),
    connectionId,
    sender,
    startedAt: ctx.clock.now(),
  });
}

/** How many ids are made to find one behind another of the same millisecond. */
const ID_TRIES = 20;

/** An id that sorts behind that of the attempt before. Attempts of a channel are listed by id, and ids of one millisecond have no order. */
function idAfter(before: ChannelAttempt | undefined): string {
  let id = newId('att');
  // Each is behind it as often as not; where another process has made it, by a clock that is ahead, none is.
  for (let tries = 0; before !== undefined && id < before.id && tries < ID_TRIES; tries++) id = newId('att');
  return id;
}

/** The attempts that follow another one within its channel. */
export interface FollowUp {
  /** Attempts by connections whose sender rule refuses the sender: nobody is asked, and they have their outcome. */
  readonly refused: readonly ChannelAttempt[];
  /** The attempt that takes over; null: none does. */
  readonly next: ChannelAttempt | null;
}

/** Nobody follows. */
export const NOBODY: FollowUp = { refused: [], next: null };

/** A connection that is asked with less time left would end as unknown, whatever it does. */
const ASK_MS = 2_000;

/**
 * Finds the next connection of a channel after one that could not send: not asked yet, and its sender rule lets the sender through.
 * @param endsAtMs when the routing ends, by `performance.now()`
 */
export function followUp<Kind extends Resumable>(
  ctx: Ctx,
  {
    kind,
    send,
    attempts,
  }: { readonly kind: SendKind<Kind>; readonly send: Kind; readonly attempts: readonly ChannelAttempt[] },
  failed: ChannelAttempt | undefined,
  endsAtMs: number,
): FollowUp {
  if (!failed?.failsOver || performance.now() + ASK_MS > endsAtMs) return NOBODY;
  const { channel } = failed;
  // The sender of the request: a rule of the connection that failed may have put a number in its place.
  const from = namedIn(send, channel) ?? failed.sender ?? '';
  const asked = attempts.filter(attempt => attempt.channel === channel).map(({ connectionId }) => connectionId);
  const refused: ChannelAttempt[] = [];
  for (const choice of ctx.services.providers.choose(wantedBy(kind.purpose, send, channel, from))) {
    if (asked.includes(choice.connectionId)) continue;
    const attempt = attemptBy(ctx, kind, send, { channel, from }, choice, refused.at(-1) ?? failed);
    if (attempt.provider !== null) return { refused, next: attempt };
    writeOutcome(attempt, refusalOf(ctx, send, attempt), ctx.clock.now());
    refused.push(attempt);
  }
  return { refused, next: null };
}

/** Why no provider is asked for an attempt that has none. */
export function refusalOf(
  { services: { senderRules, providers } }: Ctx,
  send: Resumable,
  attempt: ChannelAttempt,
): SendOutcome {
  const { refusal } = applySenderRules(senderRules, attempt);
  if (refusal) return refusal;
  const { channel, type, sender } = attempt;
  const wanted = wantedBy(type === 'otp_attempt' ? 'otp' : 'message', send, channel, sender);
  return noRoute(providers.explain(wanted), wanted);
}

/** An outcome in the words of an attempt: accepted is sent, unknown stays unknown, everything else failed. */
export function writeOutcome(attempt: ChannelAttempt, outcome: SendOutcome, at: Date): void {
  attempt.finishedAt = at;
  if (outcome.kind === 'accepted') {
    attempt.status = 'sent';
    attempt.providerMessageId = storableText(outcome.providerMessageId);
    attempt.credits = isPaid(attempt.channel) ? attempt.segments : 0;
    return;
  }
  attempt.status = outcome.kind === 'unknown' ? 'unknown' : 'failed';
  attempt.failsOver = isTakenOver(outcome);
  attempt.errorCode = storableText(outcome.code);
  attempt.errorMessage = storableText(outcome.message);
}
