/** The paths of passcodes. The SMS paths answer the documented members and no others. */
import { z } from 'zod';
import { AppError } from '../../kernel/errors.ts';
import { sendOtpInput, verifyOtpInput } from '../../modules/otp/send/send-otp.input.ts';
import { smsChannelsInput } from '../../modules/routing/route.input.ts';
import { type LowerWords, lowerWords } from '../enum-case.ts';
import { failure, success } from '../envelope.ts';
import { mount, type Route, type RouteOptions } from '../mount.ts';
import type { Operations } from '../operations/operations.generated.ts';
import { otpData, smsOtpData, verifiedOtpData } from '../schemas.ts';
import { FAILED_ATTEMPT, SENT_OTP, VERIFIED_OTP } from './samples.ts';

/** The input of a send by SMS, without the fields of other channels. */
const sendSmsOtpInput = sendOtpInput
  .omit({ deliveryMode: true, chatFrom: true, cloudTemplate: true, fallbackAfter: true, successStatus: true })
  .extend({ channels: smsChannelsInput })
  .meta({
    id: 'SendSmsOtpInput',
    description: 'One passcode to one recipient by SMS',
    example: { to: '+12025550100' },
  });

/** The names under which a body may hold the code. */
const CODE_NAMES = ['pin', 'otp', 'code'] as const;

const { pinId, pin, clientIp } = verifyOtpInput.shape;
const codeInput = pin.nullish();

/** The body of a verify: the input of the operation, and the aliases of its code. */
const verifyBody = z
  .strictObject({
    pinId,
    pin: codeInput,
    otp: codeInput.meta({ description: 'The same as `pin`' }),
    code: codeInput.meta({ description: 'The same as `pin`' }),
    clientIp,
  })
  .superRefine((body, context) => {
    const given = CODE_NAMES.filter(name => body[name] != null);
    if (given.length === 0) context.addIssue({ code: 'custom', path: ['pin'], message: 'is required' });
    if (new Set(given.map(name => body[name])).size < 2) return;
    const message = `${given.join(' and ')} differ; give the code once`;
    for (const name of given) context.addIssue({ code: 'custom', path: [name], message });
  })
  .meta({
    id: 'VerifyOtpBody',
    description: 'A pinId, and the code that the user typed as `pin`, `otp` or `code`',
    anyOf: CODE_NAMES.map(name => ({ required: [name] })),
  });

type SentOtp = LowerWords<Operations['send-otp']['result']>;

type Documented = 'id' | 'tag' | 'input' | 'data' | 'summary' | 'description' | 'area' | 'examples';

const LOST = { status: 'FAILED', channel: null, resendAvailableAt: null, attempts: [FAILED_ATTEMPT] } as const;

/** @param dataOf makes `data` of an OTP */
function sendOptions(
  dataOf: (otp: SentOtp) => object,
): Omit<RouteOptions<z.infer<typeof sendOtpInput>, 'send-otp'>, Documented> {
  return {
    variables: input => ({ input }),
    answer(result, requestId) {
      const otp = lowerWords(result);
      const data = dataOf(otp);
      if (otp.status !== 'failed') return success('The passcode was sent.', data);
      const error = new AppError('all_channels_failed', 'No channel accepted the passcode.');
      return failure(error, requestId, 'problem', { data });
    },
    errors: [
      'insufficient_balance',
      'sender_not_approved',
      'recipient_suppressed',
      'otp_cooldown',
      'all_channels_failed',
    ],
    badRequest: { to: '+12025550100', length: 3, expiresIn: 5 },
  };
}

const verifyOptions: Omit<RouteOptions<z.infer<typeof verifyBody>, 'verify-otp'>, 'id' | 'tag' | 'summary' | 'area'> = {
  description:
    'Consumes a passcode: its code is right once. The code is `pin`; the aliases `otp` and `code` are read in its place. A wrong one is answered with `data.attemptsRemaining`; after five wrong ones the passcode is blocked.',
  input: verifyBody,
  variables: body => ({
    input: { pinId: body.pinId, pin: body.pin ?? body.otp ?? body.code ?? '', clientIp: body.clientIp },
  }),
  answer: otp => success('The passcode was verified.', lowerWords(otp)),
  data: verifiedOtpData,
  errors: ['otp_incorrect', 'otp_not_found', 'otp_already_verified', 'otp_expired', 'otp_blocked'],
  badRequest: { pinId: SENT_OTP.pinId, pin: '12 34' },
  examples: [
    {
      name: 'right',
      summary: 'The code that was sent',
      request: { pinId: SENT_OTP.pinId, pin: '123456' },
      result: VERIFIED_OTP,
    },
  ],
};

/** `POST /api/omni/otp/send`, `POST /api/omni/otp/verify`, `POST /api/sms/otp/send`, `POST /api/sms/otp/verify`. */
export const otpRoutes: readonly Route[] = [
  mount('send-otp').at('POST', '/api/omni/otp/send', {
    ...sendOptions(otp => otp),
    id: 'sendOtp',
    tag: 'OTP',
    examples: [
      {
        name: 'sms',
        summary: 'By SMS',
        request: { to: '+12025550100', channels: ['sms'], sender: 'DEMO' },
        result: SENT_OTP,
      },
      {
        name: 'eight',
        summary: 'Eight digits for ten minutes, in words of your own',
        request: {
          to: '+12025550100',
          length: 8,
          expiresIn: 600,
          template: '{{code}} is your code for Example. It ends in {{minutes}} minutes.',
        },
        result: { ...SENT_OTP, expiresAt: new Date('2026-11-22T04:39:56.042Z') },
      },
      {
        name: 'failed',
        summary: 'No channel accepts it (a number of the sandbox)',
        request: { to: '+12025550104', sender: 'DEMO' },
        result: { ...SENT_OTP, ...LOST, recipient: '12025550104' },
      },
    ],
    summary: 'Send a passcode',
    description:
      'Makes a code and sends it over the selected channels; without a channel and the fields of one, by SMS from the default sender. An older code of the recipient ends.',
    area: 'unified',
    input: sendOtpInput,
    data: otpData,
  }),
  mount('verify-otp').at('POST', '/api/omni/otp/verify', {
    ...verifyOptions,
    id: 'verifyOtp',
    tag: 'OTP',
    summary: 'Verify a passcode',
    area: 'unified',
  }),
  mount('send-otp').at('POST', '/api/sms/otp/send', {
    ...sendOptions(({ pinId, recipient, status }) => ({ pinId, recipient, status })),
    id: 'sendSmsOtp',
    tag: 'SMS',
    examples: [
      { name: 'sms', summary: 'From the default sender', request: { to: '+12025550100' }, result: SENT_OTP },
      {
        name: 'failed',
        summary: 'It is not accepted (a number of the sandbox)',
        request: { to: '+12025550101' },
        result: { ...SENT_OTP, ...LOST, recipient: '12025550101' },
      },
    ],
    summary: 'Send a passcode by SMS',
    description:
      "Makes a code and sends it by SMS, from the account's default sender unless `sender` names another. Takes the OTP token. An older code of the recipient ends.",
    area: 'otp',
    input: sendSmsOtpInput,
    data: smsOtpData,
  }),
  mount('verify-otp').at('POST', '/api/sms/otp/verify', {
    ...verifyOptions,
    id: 'verifySmsOtp',
    tag: 'SMS',
    summary: 'Verify a passcode by SMS',
    area: 'otp',
  }),
];
