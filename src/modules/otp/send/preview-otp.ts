/** The verb *preview an OTP*: what `sendOtp` would do with the same input, and what it would cost. No code is made. */
import type { Ctx } from '../../../context.ts';
import { previewRoute, type SendPreview } from '../../routing/preview-route.ts';
import { requireOtpCaller } from '../otp-caller.ts';
import { planOtpRoute, sampleText } from './otp-route.policy.ts';
import type { SendOtpInput } from './send-otp.input.ts';
import { readRecipient } from './send-otp.ts';

/**
 * Previews an OTP, with zeros for its code. Limits, cooldown and fraud guard are not asked: they count what is sent.
 * @throws AppError `wrong_area`, `unified_api_disabled`, `plan_expired`, `invalid_input`, `sender_not_approved`
 */
export async function previewOtp(ctx: Ctx, input: SendOtpInput): Promise<SendPreview> {
  const { account, area } = requireOtpCaller(ctx);
  const phone = readRecipient(input);
  const route = planOtpRoute(input, account, area);
  return previewRoute(ctx, account.id, {
    purpose: 'otp',
    phone,
    route,
    text: sampleText(input),
    template: route.cloudTemplate,
  });
}
