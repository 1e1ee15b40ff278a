/**
 * The attempts of a send that are under way. They stand in the row of the send, so that an attempt is written once, with its outcome, and
 * changes touch no index.
 */
import { p } from '@mikro-orm/core';
import type { PassedOver } from '../../channels/providers.ts';
import { CHANNELS, type Channel, DELIVERY_MODES, isPaid } from '../../kernel/channel.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import { countryOf } from '../../kernel/phone.ts';
import type { SuccessStatus } from '../../kernel/status.ts';
import type { Attempt, ChannelAttempt } from './attempt.entity.ts';
import { fallbackOf } from './follow-ups/fallback.policy.ts';
import { type Route, senderIn } from './routing.policy.ts';
import type { Send } from './send.ts';

/**
 * An attempt whose outcome is not stored yet, as the row of its send has it. The fields: uuid, channel, provider, sender, and begin in milliseconds of
 * the epoch. Its connection's uuid and the connections passed over follow, if there are any. Without names: every send writes it.
 */
type UnderWay = readonly [string, Channel, string | null, string | null, number, (string | null)?, PassedOver[]?];

/** The columns of a table of sends by which they are routed: `routingOf` makes those of a new one. */
export const routingColumns = () => ({
  /** The channels of the route, in order. */
  channels: p.array<Channel>(),
  deliveryMode: p.enum([...DELIVERY_MODES]),
  chatFrom: p.text().nullable(),
  sender: p.text().nullable(),
  /** The first channel that was accepted; null: none yet. */
  channel: p.enum([...CHANNELS]).nullable(),
  /** SMS segments of the text; where SMS is among the channels, of the text as it goes out by SMS. */
  segments: p.integer(),
  /** Whether the text goes out by SMS as `smartEncode` makes it; what is kept stays as it was given. */
  smartEncoded: p.boolean().default(false),
  /** Until when the process that routes it is believed alive; null: nothing is under way. */
  leaseUntil: p.datetime().nullable(),
  /** The attempts under way, as `toUnderWay` writes them; null: none. */
  underWay: p.text().nullable(),
  /** Credits that its SMS holds. */
  held: p.integer().default(0),
  /** The day (UTC) that the hold counts to. */
  heldOn: p.date().nullable(),
  /** Seconds that an accepted channel has before the next one follows; null: none follows it. */
  fallbackAfter: p.integer().nullable(),
  /** The status that it has to reach by then; null where `fallbackAfter` is. */
  successStatus: p.text().$type<SuccessStatus>().nullable(),
});

/** The columns of a new send by which it is routed, with nothing under way yet. */
export function routingOf(
  input: Parameters<typeof fallbackOf>[0],
  account: Parameters<typeof fallbackOf>[1],
  route: Route,
) {
  return {
    channels: route.legs.map(leg => leg.channel),
    deliveryMode: route.deliveryMode,
    ...fallbackOf(input, account, route),
    chatFrom: senderIn('chatFrom', route),
    sender: senderIn('sender', route),
    status: 'pending',
    channel: null,
    segments: route.segments,
    smartEncoded: route.smartEncoded,
    leaseUntil: null,
    underWay: null,
    held: 0,
    heldOn: null,
  } as const;
}

/** The fields of an attempt that name its send. */
export type AttemptOwner = Pick<Attempt, 'messageId' | 'pinId' | 'resend' | 'reference' | 'country'> & {
  readonly type: ChannelAttempt['type'];
};

/** Attempts as the row of their send has them: JSON. */
export function toUnderWay(attempts: readonly ChannelAttempt[]): string {
  const rows = attempts.map(({ id, channel, provider, sender, startedAt, connectionId, passedOver }): UnderWay => {
    const row = [toUuid(id), channel, provider, sender ?? null, startedAt.getTime()] as const;
    const connection = connectionId == null ? null : toUuid(connectionId);
    if (passedOver) return [...row, connection, passedOver];
    return connection === null ? row : [...row, connection];
  });
  return JSON.stringify(rows);
}

/** The fields of an attempt that are known when it begins. */
type Begun = Pick<ChannelAttempt, 'id' | 'channel' | 'provider' | 'connectionId' | 'sender' | 'startedAt'> &
  Partial<Pick<ChannelAttempt, 'passedOver'>>;

/** An attempt of a send before its outcome: plain data, since the ORM watches every property of its own instances. */
export function pendingAttempt(send: Send, owner: AttemptOwner, begun: Begun): ChannelAttempt {
  return {
    ...begun,
    ...owner,
    country: owner.country ?? countryOf(send.recipient),
    accountId: send.accountId,
    area: send.area,
    recipient: send.recipient,
    status: 'pending',
    errorCode: null,
    errorMessage: null,
    segments: isPaid(begun.channel) ? send.segments : 0,
    credits: 0,
    providerMessageId: null,
    finishedAt: null,
    passedOver: begun.passedOver ?? null,
    reportedAt: null,
    deliveredAt: null,
    endedAs: null,
    pricing: null,
  };
}

/** A send as its row is. */
type Stored = Send & { readonly underWay?: string | null | undefined };

/** The attempts of a send that are under way. */
function attemptsUnderWay(send: Stored, owner: AttemptOwner): ChannelAttempt[] {
  const rows: UnderWay[] = JSON.parse(send.underWay ?? '[]');
  return rows.map(([id, channel, provider, sender, startedAt, connection, passedOver]) =>
    pendingAttempt(send, owner, {
      id: fromUuid('att', id),
      channel,
      provider,
      connectionId: connection == null ? null : fromUuid('con', connection),
      passedOver: passedOver ?? null,
      sender,
      startedAt: new Date(startedAt),
    }),
  );
}

/** The attempts of a send, with those that are under way. One may be written since the send was read. */
export function withUnderWay(
  made: readonly ChannelAttempt[] | undefined,
  send: Stored,
  owner: AttemptOwner,
): ChannelAttempt[] {
  const written = made ?? [];
  const isWritten = ({ id }: ChannelAttempt): boolean => written.some(attempt => attempt.id === id);
  return [...written, ...attemptsUnderWay(send, owner).filter(attempt => !isWritten(attempt))];
}
