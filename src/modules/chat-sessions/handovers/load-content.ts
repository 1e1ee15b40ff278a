/** The content of an attempt that was handed over: made anew from its send, since no text is handed over. */
import type { Ctx } from '../../../context.ts';
import { loadAccount } from '../../accounts/load-account.ts';
import { Message } from '../../messaging/message.entity.ts';
import { MESSAGE } from '../../messaging/message-kind.ts';
import { Otp } from '../../otp/otp.entity.ts';
import { OTP } from '../../otp/send/otp-kind.ts';
import { isSuppressed, SUPPRESSED } from '../../suppressions/refuse-suppressed.ts';
import type { SessionMessage } from '../owned-session.ts';

/** An attempt that was handed over to this process. */
export interface HandedOver {
  readonly attemptId: string;
  readonly connectionId: string;
  /** Null: it is a test by hand. */
  readonly sendId: string | null;
  readonly test: { readonly to: string; readonly text: string } | null;
  /** Whether its recipient gets it though they stopped; null: not said. */
  readonly goesToSuppressed: boolean | null;
}

/** Loads the text, its recipient, and whether they have stopped. Null: the send is not there any more. */
export async function loadContent(
  ctx: Ctx,
  { attemptId, sendId, test, goesToSuppressed }: HandedOver,
): Promise<SessionMessage | null> {
  if (sendId === null) return test && { attemptId, ...test };
  const contentOf = (send: Message | Otp, text: string, goesAnyway: boolean): SessionMessage => ({
    attemptId,
    to: send.recipient,
    text,
    refuse: () => (!goesAnyway && isSuppressed(ctx, send) ? SUPPRESSED : null),
  });
  if (sendId.startsWith('msg_')) {
    const message = await ctx.em.findOne(Message, { id: sendId });
    return message && contentOf(message, MESSAGE.contentOf(ctx, message, 'chat_qr').text, goesToSuppressed ?? false);
  }
  const otp = await ctx.em.findOne(Otp, { id: sendId });
  if (!otp) return null;
  const account = goesToSuppressed === null ? await loadAccount(ctx.services.database, otp.accountId) : null;
  return contentOf(otp, OTP.contentOf(ctx, otp, 'chat_qr').text, goesToSuppressed ?? account?.stopsOtps !== true);
}
