/** Messages and attempts as rows of the batch statements, whose keys are the columns. */
import { toUuid } from '../../kernel/ids.ts';
import type { Attempt } from './attempt.entity.ts';
import type { Message } from './message.entity.ts';

/** A message as a row of `messages`; the lease is the statement's, since the database's clock decides it. */
export function messageRow(message: Message): object {
  return {
    id: toUuid(message.id),
    account_id: toUuid(message.accountId),
    area: message.area,
    recipient: message.recipient,
    text: message.text,
    channels: message.channels,
    delivery_mode: message.deliveryMode,
    chat_from: message.chatFrom,
    sender: message.sender,
    cloud_template: message.cloudTemplate,
    reference: message.reference,
    status: message.status,
    segments: message.segments,
    created_at: message.createdAt,
  };
}

/** An attempt as a row of `attempts`. */
export function attemptRow(attempt: Attempt): object {
  return {
    id: toUuid(attempt.id),
    account_id: toUuid(attempt.accountId),
    area: attempt.area,
    type: attempt.type,
    message_id: attempt.messageId ? toUuid(attempt.messageId) : null,
    pin_id: attempt.pinId,
    channel: attempt.channel,
    provider: attempt.provider,
    recipient: attempt.recipient,
    sender: attempt.sender,
    reference: attempt.reference,
    status: attempt.status,
    segments: attempt.segments,
    credits: attempt.credits,
    started_at: attempt.startedAt,
  };
}

/** The columns that `attemptRow` fills: those of an attempt that is stored before it is made. */
export const ATTEMPT_COLUMNS =
  'id, account_id, area, type, message_id, pin_id, channel, provider, recipient, sender, reference, status, segments, credits, started_at';
