/** The verb *preview a send*: what `sendMessage` would do with the same input, and what it would cost. */
import type { Ctx } from '../../context.ts';
import { windowOf } from '../people/require-window.ts';
import { previewRoute, type SendPreview } from '../routing/preview-route.ts';
import { isSuppressed, recipientSuppressed } from '../suppressions/refuse-suppressed.ts';
import type { SendMessageInput } from './send-message.input.ts';
import { planSend } from './send-message.ts';

/** Previews a send. @throws AppError as `sendMessage` does before it sends: `invalid_input`, `wrong_area`, `sender_not_approved`, `recipient_suppressed`, … */
export async function previewSend(ctx: Ctx, input: SendMessageInput): Promise<SendPreview> {
  const { account, phone, route } = await planSend(ctx, input);
  if (isSuppressed(ctx, { accountId: account.id, recipient: phone.digits })) throw recipientSuppressed();
  const template = input.cloudTemplate ?? null;
  const preview = await previewRoute(ctx, account.id, { purpose: 'message', phone, route, text: input.text, template });
  const legs = preview.legs.map(async leg => {
    const window = await windowOf(ctx, { accountId: account.id, phone }, leg);
    return { ...leg, windowClosesAt: window === 'open' ? null : window };
  });
  return { ...preview, legs: await Promise.all(legs) };
}
