/** The verb *resend a message*: its text once more, to its recipient over its route, as a message of its own. */
import type { Ctx } from '../../context.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { recipientSuppressed } from '../suppressions/refuse-suppressed.ts';
import { findMessage } from './list-messages.ts';
import type { Message } from './message.entity.ts';
import type { ResendMessageInput, SendMessageInput } from './send-message.input.ts';
import { planSend, sendMessage } from './send-message.ts';

/**
 * Sends a message again, and answers the new one. The audit trail has who asked for it, before it is sent. @throws AppError `not_found`;
 * `invalid_input` on `messageId` where its text is blanked; and as `sendMessage`
 */
export async function resendMessage(ctx: Ctx, { messageId, reference }: ResendMessageInput): Promise<Message> {
  const before = await findMessage(ctx, messageId);
  if (!before) throw new AppError('not_found', 'There is no such message.');
  const { id, accountId, recipient, text, channels, deliveryMode, chatFrom, sender, fallbackAfter, successStatus } =
    before;
  // The template was checked when it was stored.
  const cloudTemplate = before.cloudTemplate as SendMessageInput['cloudTemplate'];
  if (text === '') throw invalidInput('messageId', 'is a message whose text is not kept any longer: send it anew');
  const route = { channels, deliveryMode, chatFrom, sender, cloudTemplate, fallbackAfter, successStatus };
  // All that a send takes, so that no field is lost.
  const input = { to: recipient, replyTo: null, text, ...route, reference } satisfies Record<
    keyof SendMessageInput,
    unknown
  >;
  // A refusal before the send leaves no entry.
  await planSend(ctx, input);
  if (ctx.services.suppressed.has(accountId, recipient)) throw recipientSuppressed();
  await ctx.em.transactional(em =>
    recordAudit(em, ctx, { accountId, action: 'message.resent', subject: id, details: {} }),
  );
  return sendMessage(ctx, input);
}
