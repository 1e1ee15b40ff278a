/** The verb *preview an OTP*: what `sendOtp` would do with the same input, and what it would cost. No code is made. */
import type { Ctx } from '../../../context.ts';
import { previewRoute, type SendPreview } from '../../routing/preview-route.ts';
import { isSuppressed, recipientSuppressed } from '../../suppressions/refuse-suppressed.ts';
import { sampleText } from './otp-route.policy.ts';
import { planOtp } from './plan-otp.ts';
import type { SendOtpInput } from './send-otp.input.ts';

/**
 * Previews an OTP, with zeros for its code. Limits, cooldown and fraud guard are not asked: they count what is sent.
 * @throws AppError `wrong_area`, `unified_api_disabled`, `plan_expired`, `invalid_input`, `sender_not_approved`, `recipient_suppressed`
 */
export async function previewOtp(ctx: Ctx, input: SendOtpInput): Promise<SendPreview> {
  const { account, phone, route } = planOtp(ctx, input);
  const heeding = { accountId: account.id, recipient: phone.digits, goesToSuppressed: !account.stopsOtps };
  if (isSuppressed(ctx, heeding)) throw recipientSuppressed();
  return previewRoute(ctx, account.id, {
    purpose: 'otp',
    phone,
    route,
    text: sampleText(input),
    template: route.cloudTemplate,
  });
}
