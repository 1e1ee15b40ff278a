/** OTPs asked for as callers do: over REST, with the code read from the phones of the sandbox. */
import { toUuid } from '../../../src/kernel/ids.ts';
import type { Customer, RestAnswer, TestApp } from '../app.ts';
import { OPERATOR_TOKEN } from '../app.ts';
import { type MadePin, newRecipient } from './pins.ts';

/** The areas that have OTPs. */
export const OTP_AREAS = ['unified', 'otp'] as const;

/** An area that has OTPs. */
export type OtpArea = (typeof OTP_AREAS)[number];

/** The path of an area: `/api/omni/otp/send`, `/api/sms/otp/verify`. */
export function otpPath(area: OtpArea, what: 'send' | 'verify' | 'logs'): string {
  return `/api/${area === 'unified' ? 'omni' : 'sms'}/otp/${what}`;
}

/** The newest text on a phone of the sandbox. `to` with or without `+`. */
export async function arrivedText(on: TestApp, { tokens }: Customer, to: string): Promise<string> {
  const { data } = await on.graphql<{ sandboxMessages: { text: string }[] }>(
    'query ($to: String!) { sandboxMessages(to: $to, first: 1) { text } }',
    { token: tokens.management, variables: { to } },
  );
  const [message] = data?.sandboxMessages ?? [];
  if (!message) throw new Error('nothing arrived');
  return message.text;
}

/** Sends an OTP that is accepted, to a recipient of its own unless told, and reads its code from the phone. */
export async function sendPin(
  on: TestApp,
  customer: Customer,
  { area = 'unified', ...body }: { readonly area?: OtpArea; readonly to?: string; readonly expiresIn?: number } = {},
): Promise<MadePin> {
  const to = body.to ?? `+${newRecipient()}`;
  const answer = await on.rest('POST', otpPath(area, 'send'), { token: customer.tokens[area], body: { ...body, to } });
  if (answer.status !== 200) throw new Error(`the send was answered ${answer.status}: ${answer.text}`);
  const code = /[0-9]{4,10}/.exec(await arrivedText(on, customer, to))?.[0] ?? '';
  return { pinId: String(answer.body.data?.pinId), recipient: String(answer.body.data?.recipient), code };
}

/** Verifies over the path of the area. */
export function verifyPin(
  on: TestApp,
  customer: Customer,
  body: Readonly<Record<string, unknown>>,
  area: OtpArea = 'unified',
): Promise<RestAnswer> {
  return on.rest('POST', otpPath(area, 'verify'), { token: customer.tokens[area], body });
}

/** Sets OTP settings of an account as the operator does; they hold from the next request on. */
export async function setOtpLimits(
  on: TestApp,
  { accountId }: Customer,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { errors } = await on.graphql(
    'mutation ($input: UpdateOtpSettingsInput!) { updateOtpSettings(input: $input) { id } }',
    { token: OPERATOR_TOKEN, variables: { input: { accountId, ...settings } } },
  );
  if (errors) throw new Error(`the settings were refused: ${errors.map(error => error.message).join('; ')}`);
  on.app.authenticator.forget();
}

/** Lets the time of a pin be over. */
export async function expirePin(on: TestApp, pinId: string): Promise<void> {
  await on.sql("update otps set expires_at = now() - interval '1 second' where id = $1", [toUuid(pinId)]);
}

/** Lets the cooldown of an account's recipients be over. */
export async function endCooldowns(on: TestApp, { accountId }: Customer): Promise<void> {
  await on.sql("update otp_recipients set cooldowns = '{}' where account_id = $1", [toUuid(accountId)]);
}
