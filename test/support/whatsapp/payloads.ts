/** Bodies of Meta's callbacks by their parts, and their signature. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { toldError } from './errors.ts';
import type { MessageBody } from './message-body.ts';
import type { GraphNumber, GraphTemplate, GraphUser, ReportedStatus } from './options.ts';

/** A message that was taken. */
export interface SentMessage {
  readonly wamid: string;
  readonly number: GraphNumber;
  /** The version of the API that was asked: 26 of `v26.0`. */
  readonly version: number;
  /** The number that it went to, in digits; null: it went to a user id. */
  readonly to: string | null;
  /** Null: nobody with this number or id is on WhatsApp. */
  readonly user: GraphUser | null;
  readonly body: MessageBody;
  /** Null: a free text. */
  readonly template: GraphTemplate | null;
  readonly atMs: number;
  /** The statuses that were reported of it so far. */
  readonly told: ReportedStatus['status'][];
}

/** One thing that Meta tells. */
export interface Change {
  readonly field: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The changes of one business account. */
export interface Entry {
  readonly id: string;
  readonly time?: number;
  readonly changes: readonly Change[];
}

/** The body of a call with all that it tells. */
export function callOf(...entry: readonly Entry[]) {
  return { object: 'whatsapp_business_account', entry };
}

/** The value of `X-Hub-Signature-256` for the bytes of a body. */
export function hubSignature(appSecret: string, body: string | Buffer): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
}

/** A new id of a message. */
export function newWamid(): string {
  return `wamid.HBg${randomBytes(30).toString('base64')}`;
}

/** Reports a status of a message, and tells it from then on. */
export function statusChange(sent: SentMessage, reported: ReportedStatus, atMs: number): Change {
  const { status } = reported;
  const isFailed = status === 'failed';
  const opaque = sent.body.biz_opaque_callback_data;
  const stated = {
    id: sent.wamid,
    status,
    timestamp: secondsOf(atMs),
    // A user id is told by itself, and a number only to whom has used it.
    ...(sent.to === null ? {} : { recipient_id: sent.to }),
    ...(sent.user && !(isFailed && sent.to !== null) ? { recipient_user_id: sent.user.userId } : {}),
    ...(opaque === undefined ? {} : { biz_opaque_callback_data: opaque }),
    ...(isFailed ? { errors: [toldError(reported.code ?? 131000)] } : costOf(sent, reported, atMs)),
  };
  sent.told.push(status);
  const contacts = isFailed || !sent.user ? {} : { contacts: [contactOf(sent.user, sent.to !== null)] };
  return { field: 'messages', value: { ...metadataOf(sent.number), ...contacts, statuses: [stated] } };
}

/** The cost of a message is told with `sent`, and once more with `delivered` or `read`, whichever comes first, unless a test says otherwise. The conversation is left out from v24 on. */
function costOf(sent: SentMessage, { status, pricing: told }: ReportedStatus, atMs: number) {
  const isTold =
    told !== undefined || status === 'sent' || !sent.told.some(one => one === 'delivered' || one === 'read');
  if (told === null || !isTold) return {};
  const category = sent.template?.category.toLowerCase() ?? 'service';
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category, ...told };
  if (sent.version >= 24) return { pricing };
  const id = createHash('md5').update(sent.wamid).digest('hex');
  const expiry = status === 'sent' ? { expiration_timestamp: secondsOf(atMs + 86_400_000) } : {};
  return { conversation: { id, ...expiry, origin: { type: category } }, pricing };
}

/** The details of a person's message beside its words. */
export interface Written {
  readonly id: string;
  readonly atMs: number;
  /** The message of the business that is quoted or answered; absent: none. */
  readonly quotes?: string;
}

/** Tells what a person wrote. @param said a kind of `said.ts` */
export function messageChange(
  number: GraphNumber,
  user: GraphUser,
  said: Readonly<Record<string, unknown>>,
  { id, atMs, quotes }: Written,
): Change {
  const message = {
    ...(user.number === null ? {} : { from: user.number }),
    from_user_id: user.userId,
    id,
    timestamp: secondsOf(atMs),
    ...(quotes === undefined ? {} : { context: { from: number.displayNumber, id: quotes } }),
    ...said,
  };
  return {
    field: 'messages',
    value: { ...metadataOf(number), contacts: [contactOf(user, true)], messages: [message] },
  };
}

/** Tells that a person has another user id: without the number, and without contacts. */
export function userIdChange(number: GraphNumber, before: GraphUser, userId: string, written: Written): Change {
  const body = `User ${before.name ?? 'A person'} changed from ${before.userId} to ${userId}`;
  const system = { body, user_id: userId, previous_user_id: before.userId, type: 'user_changed_user_id' };
  const message = { id: written.id, timestamp: secondsOf(written.atMs), type: 'system', system };
  return { field: 'messages', value: { ...metadataOf(number), messages: [message] } };
}

/** Tells that a person has another number. */
export function numberChange(number: GraphNumber, before: GraphUser, to: string, written: Written): Change {
  const system = {
    body: `User ${before.name ?? 'A person'} changed from ${before.number} to ${to}`,
    wa_id: to,
    user_id: userIdAfter(before),
    previous_user_id: before.userId,
    type: 'user_changed_number',
  };
  const message = { from: before.number, id: written.id, timestamp: secondsOf(written.atMs), type: 'system', system };
  return { field: 'messages', value: { ...metadataOf(number), messages: [message] } };
}

/** Tells that the review of a template stands otherwise. */
export function templateChange(template: GraphTemplate & { readonly id: string }): Change {
  return {
    field: 'message_template_status_update',
    value: {
      event: template.status,
      message_template_id: Number(template.id),
      message_template_name: template.name,
      message_template_language: template.language,
      message_template_category: template.category,
      reason: template.rejectedReason ?? 'NONE',
      ...(template.status === 'PAUSED' && {
        other_info: {
          title: 'FIRST_PAUSE',
          description: 'Your WhatsApp message template has been paused for 3 hours.',
        },
      }),
    },
  };
}

/** Tells something of the account: of a kind that is of no use to who only sends and receives. */
export function accountChange(event = 'PARTNER_APP_INSTALLED'): Change {
  return { field: 'account_update', value: { event, country: 'US' } };
}

export function userIdAfter({ userId }: GraphUser): string {
  return `${userId.slice(0, 3)}${createHash('md5').update(userId).digest('hex')}`;
}

function contactOf({ name, username, number, userId }: GraphUser, isNumberKnown: boolean) {
  return {
    profile: { name: name ?? 'A person', ...(username === undefined ? {} : { username }) },
    ...(number === null || !isNumberKnown ? {} : { wa_id: number }),
    user_id: userId,
  };
}

function metadataOf({ displayNumber, phoneNumberId }: GraphNumber) {
  return {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: displayNumber, phone_number_id: phoneNumberId },
  };
}

function secondsOf(atMs: number): string {
  return String(Math.floor(atMs / 1_000));
}
