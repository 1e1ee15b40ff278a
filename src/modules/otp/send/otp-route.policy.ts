/** The route of an OTP: that of a message (contract §4), with the account's default sender and authentication template. Pure. */
import type { CloudTemplate } from '../../../channels/contract.ts';
import type { AccountGrant, SenderGrant } from '../../../context.ts';
import { DEFAULT_CHANNEL, isSms, TEMPLATE_CHANNELS } from '../../../kernel/channel.ts';
import type { Area } from '../../../kernel/crypto/secrets.ts';
import { invalidInput } from '../../../kernel/errors.ts';
import { smartEncode } from '../../../kernel/smart-encoding.ts';
import { impliedChannels, ownSender, planRoute, type Route } from '../../routing/routing.policy.ts';
import { EXPIRES_IN_DEFAULT, LENGTH_DEFAULT, type SendOtpInput } from './send-otp.input.ts';
import { autofillFault, DEFAULT_TEMPLATE, renderText } from './text.policy.ts';

/** A route with the template that its cloud channel carries. */
export interface OtpRoute extends Route {
  readonly cloudTemplate: CloudTemplate | null;
}

/** Plans the route of an OTP; where the request names none, by SMS from the account's default sender. @throws AppError as `planRoute`. */
export function planOtpRoute(input: SendOtpInput, account: AccountGrant, area: Area): OtpRoute {
  const implied = impliedChannels(input, area);
  const channels = input.channels ?? (implied.length > 0 ? implied : [DEFAULT_CHANNEL]);
  const templated = TEMPLATE_CHANNELS.find(channel => channels.includes(channel));
  const cloudTemplate = templated ? (input.cloudTemplate ?? ownSender(templated, account)?.otpTemplate ?? null) : null;
  const { smartEncoding } = account.otp;
  const text = sampleText(input);
  const smsText = smartEncoding ? smartEncode(text) : text;
  const fault = channels.some(isSms) ? autofillFault(smsText, input.autofill ?? null) : null;
  if (fault !== null) throw invalidInput('autofill', fault);
  const sender = channels.includes(DEFAULT_CHANNEL) ? (input.sender ?? defaultSender(account)) : input.sender;
  const request = { ...input, channels, cloudTemplate, sender, text, textField: 'template' };
  const route = planRoute(request, account, area, smartEncoding);
  return { ...route, cloudTemplate };
}

/** The default SMS sender where it is approved, else the first that is; where none is, the default, which is then refused as such. */
function defaultSender(account: AccountGrant): string {
  const names = account.senders.filter(sender => sender.channel === DEFAULT_CHANNEL);
  const approved = names.filter(sender => sender.approved);
  const isDefault = (sender: SenderGrant): boolean => sender.isDefault;
  const sender = approved.find(isDefault) ?? approved[0] ?? names.find(isDefault);
  if (!sender) throw invalidInput('sender', 'is required: the account has no SMS sender that could be the default');
  return sender.address;
}

/** The text as an SMS, with zeros for the code: its length and its segments are those of the real one. */
export function sampleText({ template, length, expiresIn, autofill }: SendOtpInput): string {
  return renderText({
    template: template ?? DEFAULT_TEMPLATE,
    code: '0'.repeat(length ?? LENGTH_DEFAULT),
    expiresIn: expiresIn ?? EXPIRES_IN_DEFAULT,
    autofill: autofill ?? null,
    channel: DEFAULT_CHANNEL,
  });
}
