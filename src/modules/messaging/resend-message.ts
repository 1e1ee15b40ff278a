/** The verb *resend a message*: its text once more, to its recipient over its route, as a message of its own. */
import type { FilterQuery } from '@mikro-orm/core';
import { type Ctx, requireAccount } from '../../context.ts';
import { given, NEWEST_FIRST } from '../../db/page.ts';
import { CHANNEL_FACTS, type Channel } from '../../kernel/channel.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { parsePhone } from '../../kernel/phone.ts';
import { recordOf } from '../audit/record-audit.ts';
import { InboundMessage } from '../inbound/inbound-message.entity.ts';
import { ownSender } from '../routing/routing.policy.ts';
import { recipientSuppressed } from '../suppressions/refuse-suppressed.ts';
import { findMessage, loadAttempts } from './list-messages.ts';
import type { Message } from './message.entity.ts';
import type { ResendMessageInput, SendMessageInput } from './send-message.input.ts';
import { isRepeat, planSend, sendMessage } from './send-message.ts';

/**
 * Sends a message again, and answers the new one. The audit trail has who asked for it, before it is sent. @throws AppError `not_found`;
 * `invalid_input` on `messageId` where its text is blanked, or its recipient out of reach; and as `sendMessage`
 */
export async function resendMessage(ctx: Ctx, { messageId, reference }: ResendMessageInput): Promise<Message> {
  const before = await findMessage(ctx, messageId);
  if (!before) throw new AppError('not_found', 'There is no such message.');
  const { id, accountId, text, channels, deliveryMode, chatFrom, sender, fallbackAfter, successStatus } = before;
  // The template was checked when it was stored.
  const cloudTemplate = before.cloudTemplate as SendMessageInput['cloudTemplate'];
  if (text === '') throw invalidInput('messageId', 'is a message whose text is not kept any longer: send it anew');
  const route = { channels, deliveryMode, chatFrom, sender, cloudTemplate, fallbackAfter, successStatus };
  // All that a send takes, so that no field is lost.
  const input = { ...(await recipientOf(ctx, before)), text, ...route, reference } satisfies Record<
    keyof SendMessageInput,
    unknown
  >;
  // A refusal before the send leaves no entry. A repeat has its answer, whatever has changed since.
  if (!(await isRepeat(ctx, reference))) {
    const { phone } = await planSend(ctx, input);
    if (ctx.services.suppressed.has(accountId, phone.digits)) throw recipientSuppressed();
  }
  await ctx.em.transactional(em => recordOf(em, ctx, { id, accountId }, 'message.resent', {}));
  return sendMessage(ctx, input);
}

/**
 * The recipient as a send names it: the phone number, else the newest text that the person wrote before the message. The same text gives the
 * sender, where the message answered by another cloud number than the account's default.
 */
async function recipientOf(ctx: Ctx, message: Message) {
  const { id, accountId, recipient, channels } = message;
  const byNumber = parsePhone(recipient) && { to: recipient, replyTo: null };
  const toAddress = await senderOf(ctx, message);
  if (byNumber && !isUnnamed(ctx, channels, toAddress)) return byNumber;
  const where: FilterQuery<InboundMessage> = {
    accountId,
    $or: [{ fromNumber: recipient }, { fromUserId: recipient }],
    id: { $lt: id },
    channel: { $in: channels },
    ...given({ toAddress }),
  };
  const received = await ctx.em.findOne(InboundMessage, where, NEWEST_FIRST);
  if (received) return { to: null, replyTo: received.id };
  if (byNumber) return byNumber;
  const why = 'is a message to a person without a phone number, and what they wrote is not kept any longer';
  throw invalidInput('messageId', `${why}: answer what they write next`);
}

/** The sender of a message: that which its request named, else that of its attempt. */
async function senderOf(ctx: Ctx, { id, chatFrom, sender }: Message): Promise<string | null> {
  const named = chatFrom ?? sender;
  if (named != null) return named;
  const [attempts] = await loadAttempts(ctx, [id]);
  return attempts?.[0]?.sender ?? null;
}

/** Whether a message came from a sender that no request can name: it answered what had come to that one. */
function isUnnamed(ctx: Ctx, [channel, ...others]: readonly Channel[], address: string | null): boolean {
  if (!channel || others.length > 0 || CHANNEL_FACTS[channel].senderField !== null) return false;
  const { account } = requireAccount(ctx);
  const sender = account.senders.find(own => own.channel === channel && own.address === address && own.approved);
  return sender !== undefined && sender !== ownSender(channel, account);
}
