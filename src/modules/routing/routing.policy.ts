/** The routing policy: which channels a message takes, from which senders, and what its outcome is. Pure: no database, no clock. */
import type { CloudTemplate } from '../../channels/contract.ts';
import type { SendOutcome } from '../../channels/outcome.ts';
import type { AccountGrant, SenderGrant } from '../../context.ts';
import {
  CHANNEL_FACTS,
  CHANNELS,
  type Channel,
  type ChannelFacts,
  DEFAULT_CHANNEL,
  type DeliveryMode,
  isPaid,
  isSms,
} from '../../kernel/channel.ts';
import type { Area } from '../../kernel/crypto/secrets.ts';
import { AppError, type FieldError, faultyInput, invalidInput } from '../../kernel/errors.ts';
import { senderAddress } from '../../kernel/phone.ts';
import { countSegments } from '../../kernel/segments.ts';
import { smartEncode } from '../../kernel/smart-encoding.ts';
import type { Status } from '../../kernel/status.ts';

/** The most segments of a text that goes by SMS. */
const SEGMENTS_MAX = 10;

/**
 * Whether the next connection of the channel is asked after this outcome (contract §12). Nothing may have left by this connection, and the reason
 * has to be its own. After `unknown` none is asked.
 */
export function isTakenOver(outcome: SendOutcome): boolean {
  switch (outcome.kind) {
    case 'unavailable':
    case 'throttled':
      return true;
    case 'rejected':
      return outcome.isOwn === true;
    default:
      return false;
  }
}

/** One step of a route: a channel, and the sender that it is taken from. */
export interface Leg {
  readonly channel: Channel;
  readonly from: string;
}

/** A route: its legs in order. */
export interface Route {
  readonly legs: readonly Leg[];
  readonly deliveryMode: DeliveryMode;
  /** Of the text; where SMS is among the channels, as it goes out by SMS. */
  readonly segments: number;
  /** Whether the SMS has other characters than the text (`smartEncode`). */
  readonly smartEncoded: boolean;
}

/** A field of a request that names a sender. */
type SenderField = NonNullable<ChannelFacts['senderField']>;

/** The senders that a request names. */
export type NamedSenders = { readonly [Field in SenderField]?: string | null | undefined };

/** The fields of a request that its route depends on. */
interface RouteRequest extends NamedSenders {
  readonly text: string;
  /** The field that the text comes from, for its faults; `text` where it is absent. */
  readonly textField?: string;
  readonly channels?: readonly Channel[] | null | undefined;
  readonly deliveryMode?: DeliveryMode | null | undefined;
  readonly cloudTemplate?: { readonly name: string } | null | undefined;
  /** The sender of an answer: that which was written to. Absent: the one that the request names, or the default one. */
  readonly from?: string;
}

/**
 * Plans the route of a request (contract §4). @param smartEncoding whether its SMS goes out with typographic characters as GSM ones
 * @throws AppError `invalid_input` on missing fields, `wrong_area` for a channel closed to the area,
 * `sender_not_approved` for a sender that is not approved for the account.
 */
export function planRoute(
  request: RouteRequest,
  account: AccountGrant,
  area: Area,
  smartEncoding = account.smartEncoding,
): Route {
  const channels = request.channels ?? impliedChannels(request, area);
  if (channels.length === 0) {
    throw invalidInput('channels', 'name a channel, or give the fields of one (chatFrom, cloudTemplate or sender)');
  }
  if (isDirect(area) && channels.some(channel => channel !== DEFAULT_CHANNEL)) {
    throw new AppError('wrong_area', `A token of the area ${area} sends over the channel ${DEFAULT_CHANNEL} only.`);
  }
  const text = smartEncoding && channels.some(isSms) ? smartEncode(request.text) : request.text;
  const { segments } = countSegments(text);
  const errors = channels.flatMap(channel => missingFields(channel, request, account));
  if (segments > SEGMENTS_MAX && channels.some(isPaid)) {
    errors.push({
      field: request.textField ?? 'text',
      message: `has ${segments} SMS segments; at most ${SEGMENTS_MAX} can be sent`,
    });
  }
  if (errors.length > 0) {
    throw faultyInput(errors);
  }
  const legs = channels.map(channel => ({ channel, from: findSender(channel, request, account).address }));
  const smartEncoded = text !== request.text;
  return { legs, deliveryMode: request.deliveryMode ?? 'fallback', segments, smartEncoded };
}

/** Whether the tokens of an area send over the default channel alone (contract §4, §5). */
function isDirect(area: Area): boolean {
  return area === 'sms' || area === 'otp';
}

/** The channels of a request that names none: those whose own fields are present, in their order; none may be. */
export function impliedChannels(
  request: Pick<RouteRequest, 'chatFrom' | 'cloudTemplate' | 'sender'>,
  area: Area,
): readonly Channel[] {
  if (isDirect(area)) return [DEFAULT_CHANNEL];
  return CHANNELS.filter(channel => {
    const { senderField, templateField } = CHANNEL_FACTS[channel];
    const field = senderField ?? templateField;
    return field !== null && request[field] != null;
  });
}

function missingFields(channel: Channel, request: RouteRequest, account: AccountGrant): FieldError[] {
  const { senderField, templateField } = CHANNEL_FACTS[channel];
  if (senderField !== null && request[senderField] == null)
    return [{ field: senderField, message: `is required for the channel ${channel}` }];
  if (templateField === null || request[templateField] != null) return [];
  if (senderOf(channel, request, account)?.templateRequired === false) return [];
  return [
    { field: templateField, message: `is required for the channel ${channel}: the cloud number takes templates only` },
  ];
}

/** Senders are added and approved by the operator; the account sees its own. */
const UNAPPROVED: Readonly<Record<Channel, string>> = {
  sms: 'The account has no approved SMS sender name like `sender`. Use one that it has (`senders`), or have the operator approve this one.',
  chat_qr:
    'The account has no approved QR sender number like `chatFrom`. Use one that it has (`senders`), or have the operator approve this one.',
  chat_cloud: 'The account has no approved cloud number. Have the operator add and approve one.',
};

function findSender(channel: Channel, request: RouteRequest, account: AccountGrant): SenderGrant {
  const sender = senderOf(channel, request, account);
  if (sender?.approved) return sender;
  throw new AppError('sender_not_approved', UNAPPROVED[channel]);
}

function senderOf(channel: Channel, request: RouteRequest, account: AccountGrant): SenderGrant | undefined {
  const { from } = request;
  if (from !== undefined) return account.senders.find(own => own.channel === channel && own.address === from);
  const { senderField } = CHANNEL_FACTS[channel];
  return senderField === null ? ownSender(channel, account) : namedSender(channel, request[senderField], account);
}

function namedSender(
  channel: Channel,
  given: string | null | undefined,
  { senders }: AccountGrant,
): SenderGrant | undefined {
  // A text that can be no sender is nobody's.
  const address = senderAddress(channel, given ?? '');
  return senders.find(sender => sender.channel === channel && sender.address === address);
}

/** The sender of an account where requests name none: the default one of the channel, else its first. */
export function ownSender(channel: Channel, account: AccountGrant): SenderGrant | undefined {
  const own = account.senders.filter(sender => sender.channel === channel);
  return own.find(sender => sender.isDefault) ?? own[0];
}

/** The sender of the channel that a field of the request names: what the row of a send keeps. Null: no such channel is in the route. */
export function senderIn(field: SenderField, { legs }: Route): string | null {
  return legs.find(({ channel }) => CHANNEL_FACTS[channel].senderField === field)?.from ?? null;
}

/** The sender of a channel of a message that was accepted before: what `planRoute` chose then. */
export function legOf(channel: Channel, message: NamedSenders, account: AccountGrant): Leg {
  return { channel, from: namedIn(message, channel) ?? ownSender(channel, account)?.address ?? '' };
}

/** The sender of a channel that a request names, as its row kept it; null: it names none. */
export function namedIn(message: NamedSenders, channel: Channel): string | null {
  const { senderField } = CHANNEL_FACTS[channel];
  return senderField === null ? null : (message[senderField] ?? null);
}

/** Whether every channel of a route costs credits: then it is worth nothing to a caller whose credits do not pay for it. */
export function isPaidOnly(legs: readonly Leg[]): boolean {
  return legs.every(({ channel }) => isPaid(channel));
}

/** An attempt, as far as the outcome of its message depends on it. */
interface AttemptState {
  readonly channel: Channel;
  readonly status: Status;
}

/** Whether any of the attempts was accepted by its provider. */
export function isAccepted(attempts: readonly AttemptState[]): boolean {
  return attempts.some(hasLeft);
}

function hasLeft(attempt: AttemptState): boolean {
  return attempt.status === 'sent' || attempt.status === 'delivered' || attempt.status === 'read';
}

/**
 * The status of a message when its routing is over: sent if any channel was accepted, else unknown if any may have been, else
 * failed. `channel` is the first in the order of the route that was accepted.
 */
export function outcomeOf(attempts: readonly AttemptState[]): { status: Status; channel: Channel | null } {
  const accepted = attempts.find(hasLeft);
  if (accepted) return { status: 'sent', channel: accepted.channel };
  return { status: attempts.some(attempt => attempt.status === 'unknown') ? 'unknown' : 'failed', channel: null };
}

/** The text that a channel's attempt carries. */
export function textFor(channel: Channel, text: string, { smartEncoded }: { readonly smartEncoded: boolean }): string {
  return smartEncoded && isSms(channel) ? smartEncode(text) : text;
}

/** Whether a channel's attempt goes within the hours of a chat, and so by the number of that chat alone. */
export function isOfChat(channel: Channel, template: object | null | undefined): boolean {
  return CHANNEL_FACTS[channel].freeTextHours !== null && template == null;
}

/** The template that a channel's attempt carries. */
export function templateFor(channel: Channel, cloudTemplate: CloudTemplate | null | undefined): CloudTemplate | null {
  return CHANNEL_FACTS[channel].templateField === null ? null : (cloudTemplate ?? null);
}
