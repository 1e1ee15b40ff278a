/** The content of an attempt that was handed over: made anew from its send, since no text is handed over. */
import { NOT_CONNECTED } from '../../../channels/chat-qr/outcomes.ts';
import type { SendOutcome } from '../../../channels/outcome.ts';
import type { Ctx } from '../../../context.ts';
import { Message } from '../../messaging/message.entity.ts';
import { MESSAGE } from '../../messaging/message-kind.ts';
import { Otp } from '../../otp/otp.entity.ts';
import { OTP } from '../../otp/send/otp-kind.ts';
import { isSuppressed, SUPPRESSED } from '../../suppressions/refuse-suppressed.ts';
import type { HandedOver } from './handovers.ts';

/** Loads the text and its recipient; else the outcome: the send is not there any more, or its recipient has stopped. */
export async function loadContent(
  ctx: Ctx,
  { sendId, test, goesToSuppressed }: HandedOver,
): Promise<{ readonly to: string; readonly text: string } | SendOutcome> {
  if (sendId === null) return test ?? NOT_CONNECTED;
  if (sendId.startsWith('msg_')) {
    const message = await ctx.em.findOne(Message, { id: sendId });
    if (!message) return NOT_CONNECTED;
    if (!goesToSuppressed && isSuppressed(ctx, message)) return SUPPRESSED;
    return { to: message.recipient, text: MESSAGE.contentOf(ctx, message, 'chat_qr').text };
  }
  const otp = await ctx.em.findOne(Otp, { id: sendId });
  if (!otp) return NOT_CONNECTED;
  if (!goesToSuppressed && isSuppressed(ctx, otp)) return SUPPRESSED;
  return { to: otp.recipient, text: OTP.contentOf(ctx, otp, 'chat_qr').text };
}
