/** The content of an attempt that was handed over: made anew from its send, since no text is handed over. */
import type { Ctx } from '../../../context.ts';
import { Message } from '../../messaging/message.entity.ts';
import { MESSAGE } from '../../messaging/message-kind.ts';
import { Otp } from '../../otp/otp.entity.ts';
import { OTP } from '../../otp/send/otp-kind.ts';
import type { HandedOver } from './handovers.ts';

/** Loads the text and its recipient; null: the send is not there any more, or its recipient wants nothing. */
export async function loadContent(
  ctx: Ctx,
  { sendId, test }: HandedOver,
): Promise<{ readonly to: string; readonly text: string } | null> {
  if (sendId === null) return test;
  if (sendId.startsWith('msg_')) {
    const message = await ctx.em.findOne(Message, { id: sendId });
    if (!message || MESSAGE.isSuppressed(ctx, message)) return null;
    return { to: message.recipient, text: MESSAGE.contentOf(ctx, message, 'chat_qr').text };
  }
  const otp = await ctx.em.findOne(Otp, { id: sendId });
  return otp && { to: otp.recipient, text: OTP.contentOf(ctx, otp, 'chat_qr').text };
}
