/** The routing policy: which channels a message takes, from which senders, and what its outcome is. Pure: no database, no clock. */
import type { CloudTemplate, SendOutcome } from '../../channels/contract.ts';
import type { AccountGrant, SenderGrant } from '../../context.ts';
import { CHANNELS, type Channel, type DeliveryMode } from '../../kernel/channel.ts';
import type { Area } from '../../kernel/crypto/secrets.ts';
import { AppError, type FieldError, faultyInput, invalidInput } from '../../kernel/errors.ts';
import { parsePhone } from '../../kernel/phone.ts';
import { countSegments } from '../../kernel/segments.ts';
import { smartEncode } from '../../kernel/smart-encoding.ts';
import type { Status } from '../../kernel/status.ts';

/** The most segments of a text that goes by SMS. */
const SEGMENTS_MAX = 10;

/**
 * Whether the next connection of the channel is asked after this outcome (contract §12): nothing has left by this one, and the reason is its own. After
 * `unknown` none is.
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

/** What a request asks of routing. */
export interface RouteRequest {
  readonly text: string;
  /** The field that the text comes from, for its faults; `text` where it is absent. */
  readonly textField?: string;
  readonly channels?: readonly Channel[] | null | undefined;
  readonly deliveryMode?: DeliveryMode | null | undefined;
  readonly chatFrom?: string | null | undefined;
  readonly sender?: string | null | undefined;
  readonly cloudTemplate?: { readonly name: string } | null | undefined;
}

/**
 * Plans the route of a request (contract §4). @param smartEncoding whether its SMS goes out with typographic characters as GSM ones
 * @throws AppError `invalid_input` on what is missing, `wrong_area` for a channel that the area does not open,
 * `sender_not_approved` for a sender that is not the account's or not approved.
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
  if (isSmsOnly(area) && channels.some(channel => channel !== 'sms')) {
    throw new AppError('wrong_area', `A token of the area ${area} sends over the channel sms only.`);
  }
  const text = smartEncoding && channels.includes('sms') ? smartEncode(request.text) : request.text;
  const { segments } = countSegments(text);
  const errors = channels.flatMap(channel => missingFields(channel, request, account));
  if (channels.includes('sms') && segments > SEGMENTS_MAX) {
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

/** Whether the tokens of an area send by SMS alone (contract §4, §5). */
function isSmsOnly(area: Area): boolean {
  return area === 'sms' || area === 'otp';
}

/** The channels of a request that names none: those whose own fields are present, in their order; none may be. */
export function impliedChannels(
  request: Pick<RouteRequest, 'chatFrom' | 'cloudTemplate' | 'sender'>,
  area: Area,
): readonly Channel[] {
  if (isSmsOnly(area)) return ['sms'];
  const present = { chat_qr: request.chatFrom, chat_cloud: request.cloudTemplate, sms: request.sender };
  return CHANNELS.filter(channel => present[channel] != null);
}

function missingFields(channel: Channel, request: RouteRequest, account: AccountGrant): FieldError[] {
  if (channel === 'chat_qr' && request.chatFrom == null)
    return [{ field: 'chatFrom', message: 'is required for the channel chat_qr' }];
  if (channel === 'sms' && request.sender == null)
    return [{ field: 'sender', message: 'is required for the channel sms' }];
  if (channel === 'chat_cloud' && request.cloudTemplate == null && (cloudNumber(account)?.templateRequired ?? true)) {
    return [
      {
        field: 'cloudTemplate',
        message: 'is required for the channel chat_cloud: the cloud number takes templates only',
      },
    ];
  }
  return [];
}

/** Senders are added and approved by the operator; the account sees its own. */
const UNAPPROVED: Readonly<Record<Channel, string>> = {
  sms: 'The account has no approved SMS sender name like `sender`. Use one that it has (`senders`), or have the operator approve this one.',
  chat_qr:
    'The account has no approved QR sender number like `chatFrom`. Use one that it has (`senders`), or have the operator approve this one.',
  chat_cloud: 'The account has no approved cloud number. Have the operator add and approve one.',
};

function findSender(channel: Channel, request: RouteRequest, account: AccountGrant): SenderGrant {
  // As it was stored: what is no number is nobody's.
  const wanted = channel === 'sms' ? request.sender : parsePhone(request.chatFrom ?? '')?.digits;
  const sender =
    channel === 'chat_cloud'
      ? cloudNumber(account)
      : account.senders.find(candidate => candidate.channel === channel && candidate.address === wanted);
  if (sender?.approved) return sender;
  throw new AppError('sender_not_approved', UNAPPROVED[channel]);
}

/** The cloud number of an account: the default one, else the first. */
export function cloudNumber(account: AccountGrant): SenderGrant | undefined {
  const numbers = account.senders.filter(sender => sender.channel === 'chat_cloud');
  return numbers.find(sender => sender.isDefault) ?? numbers[0];
}

/** The sender of a channel of a message that was accepted before: what `planRoute` chose then. */
export function legOf(
  channel: Channel,
  message: { chatFrom?: string | null | undefined; sender?: string | null | undefined },
  account: AccountGrant,
): Leg {
  const from =
    channel === 'sms' ? message.sender : channel === 'chat_qr' ? message.chatFrom : cloudNumber(account)?.address;
  return { channel, from: from ?? '' };
}

/** Whether SMS is the only channel of a route: then it is worth nothing to a caller whose credits do not pay for it. */
export function hasSmsOnly(legs: readonly Leg[]): boolean {
  return legs.every(leg => leg.channel === 'sms');
}

/** An attempt, as far as the outcome of its message depends on it. */
export interface AttemptState {
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
 * What a message is when its routing is over: sent if any channel was accepted, else unknown if any may have been, else
 * failed. `channel` is the first in the order of the route that was accepted.
 */
export function outcomeOf(attempts: readonly AttemptState[]): { status: Status; channel: Channel | null } {
  const accepted = attempts.find(hasLeft);
  if (accepted) return { status: 'sent', channel: accepted.channel };
  return { status: attempts.some(attempt => attempt.status === 'unknown') ? 'unknown' : 'failed', channel: null };
}

/** The text that a channel's attempt carries. */
export function textFor(channel: Channel, text: string, { smartEncoded }: { readonly smartEncoded: boolean }): string {
  return smartEncoded && channel === 'sms' ? smartEncode(text) : text;
}

/** The template that a channel's attempt carries. */
export function templateFor(channel: Channel, cloudTemplate: CloudTemplate | null | undefined): CloudTemplate | null {
  return channel === 'chat_cloud' ? (cloudTemplate ?? null) : null;
}
