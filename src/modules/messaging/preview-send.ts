/** The verb *preview a send*: what `sendMessage` would do with the same input, and what it would cost. */
import type { Ctx } from '../../context.ts';
import { previewRoute, type SendPreview } from '../routing/preview-route.ts';
import type { SendMessageInput } from './send-message.input.ts';
import { planSend } from './send-message.ts';

/** Previews a send. @throws AppError as `sendMessage` does before it sends: `invalid_input`, `wrong_area`, `sender_not_approved`, … */
export async function previewSend(ctx: Ctx, input: SendMessageInput): Promise<SendPreview> {
  const { account, phone, route } = await planSend(ctx, input);
  const template = input.cloudTemplate ?? null;
  return previewRoute(ctx, account.id, { purpose: 'message', phone, route, text: input.text, template });
}
