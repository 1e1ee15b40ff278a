/** Attempts as they begin: by which connection, and from which sender. */
import type { Choice } from '../../channels/providers.ts';
import type { Ctx } from '../../context.ts';
import type { Channel } from '../../kernel/channel.ts';
import { newId } from '../../kernel/ids.ts';
import { countryOf } from '../../kernel/phone.ts';
import { applySenderRules } from '../sender-rules/sender-rule.policy.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import type { Leg } from './routing.policy.ts';
import type { Resumable, SendKind } from './send-kind.ts';
import { pendingAttempt } from './under-way.ts';

/** Begins the attempt of a leg, which is stored nowhere yet, by the first connection that fits. */
export function newAttempt<Kind extends Resumable>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  send: Kind,
  leg: Leg,
): ChannelAttempt {
  return attemptBy(ctx, kind, send, leg, choicesFor(ctx, kind, send, leg.channel)[0]);
}

function choicesFor<Kind extends Resumable>(
  ctx: Ctx,
  { purpose }: SendKind<Kind>,
  { accountId, recipient }: Kind,
  channel: Channel,
): readonly Choice[] {
  return ctx.services.providers.choose({ accountId, channel, purpose, recipient, country: () => countryOf(recipient) });
}

function attemptBy<Kind extends Resumable>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  send: Kind,
  { channel, from }: Leg,
  choice: Choice | undefined,
): ChannelAttempt {
  const owner = kind.attemptOf(send);
  const connectionId = choice?.connectionId ?? null;
  const named = { channel, sender: from, recipient: send.recipient, country: owner.country, connectionId };
  const { sender, refusal } = applySenderRules(ctx.services.senderRules.all, named);
  return pendingAttempt(send, owner, {
    id: newId('att'),
    channel,
    provider: refusal ? null : (choice?.provider.id ?? null),
    connectionId,
    sender,
    startedAt: ctx.clock.now(),
  });
}

/** The attempt that takes over from one whose connection could not send it: by the next one of its channel that was not asked yet. */
export function followUp<Kind extends Resumable>(
  ctx: Ctx,
  {
    kind,
    send,
    attempts,
  }: { readonly kind: SendKind<Kind>; readonly send: Kind; readonly attempts: readonly ChannelAttempt[] },
  failed: ChannelAttempt | undefined,
): ChannelAttempt | null {
  if (!failed?.failsOver) return null;
  const { channel } = failed;
  // What the request names: a rule of the connection that failed may have put a number in its place.
  const from = (channel === 'sms' ? send.sender : null) ?? failed.sender ?? '';
  const asked = attempts.filter(attempt => attempt.channel === channel).map(({ connectionId }) => connectionId);
  const choice = choicesFor(ctx, kind, send, channel).find(({ connectionId }) => !asked.includes(connectionId));
  return choice ? attemptBy(ctx, kind, send, { channel, from }, choice) : null;
}

/** The attempt of the next leg, which is taken from those that are left; null: none is. */
export function nextLeg<Kind extends Resumable>(
  ctx: Ctx,
  { kind, send, rest }: { readonly kind: SendKind<Kind>; readonly send: Kind; readonly rest: Leg[] },
): ChannelAttempt | null {
  const leg = rest.shift();
  return leg ? newAttempt(ctx, kind, send, leg) : null;
}
