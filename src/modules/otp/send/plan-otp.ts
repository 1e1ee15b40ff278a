/** The recipient and the route of an OTP, as far as they are known before a code is made. */
import type { Ctx } from '../../../context.ts';
import { TEMPLATE_CHANNELS } from '../../../kernel/channel.ts';
import { invalidInput } from '../../../kernel/errors.ts';
import { type PhoneNumber, requirePhone } from '../../../kernel/phone.ts';
import { requireOtpCaller } from '../otp-caller.ts';
import { type OtpRoute, planOtpRoute } from './otp-route.policy.ts';
import type { SendOtpInput } from './send-otp.input.ts';

/** Plans an OTP. @throws AppError as `planOtpRoute` and `requireOtpCaller`; `invalid_input` on `to`, and on `cloudTemplate` where it is for other texts */
export function planOtp(ctx: Ctx, input: SendOtpInput) {
  const { account, area } = requireOtpCaller(ctx);
  const phone = requirePhone('to', input.to);
  const route = planOtpRoute(input, account, area);
  refuseOtherCategory(ctx, account.id, phone, route);
  return { account, phone, route };
}

/** Refuses a template that is known for other texts: Meta blocks a business that sends codes by one. */
function refuseOtherCategory(
  { services: { providers, cloudTemplates } }: Ctx,
  accountId: string,
  { digits: recipient, country }: PhoneNumber,
  { cloudTemplate, legs }: OtpRoute,
): void {
  const leg = legs.find(({ channel }) => TEMPLATE_CHANNELS.includes(channel));
  if (!cloudTemplate || !leg) return;
  const { channel } = leg;
  const choices = providers.choose({ accountId, channel, purpose: 'otp', recipient, country: () => country ?? null });
  const connectionIds = choices.flatMap(({ connectionId }) => connectionId ?? []);
  const category = cloudTemplates.otherCategoryOf(connectionIds, cloudTemplate.name);
  if (category === null) return;
  const mend = 'a passcode goes by a template of the category AUTHENTICATION';
  throw invalidInput('cloudTemplate', `${cloudTemplate.name} is ${category}: ${mend}`);
}
