/** The inputs of OTPs: the documented requests, under their documented names (contract §5). */
import { z } from 'zod';
import { wholeFrom } from '../../../kernel/input.ts';
import { limitKey } from '../../../kernel/network/address.ts';
import { fallbackInput } from '../../accounts/settings/fallback.input.ts';
import { messageTextInput, recipientInput, routeInput, templateNameInput } from '../../routing/route.input.ts';
import { autofillInput } from './autofill.input.ts';
import { DEFAULT_TEMPLATE, templateFault } from './text.policy.ts';

/** Digits of a code where the request names none. */
export const LENGTH_DEFAULT = 6;

/** Seconds to the end of a code where the request names none. */
export const EXPIRES_IN_DEFAULT = 300;

/** The end user's address. */
const clientIpInput = z
  .string()
  .max(64, 'must be an IPv4 or IPv6 address')
  .refine(text => limitKey(text) !== null, 'must be an IPv4 or IPv6 address');

const CLIENT_IP_EXAMPLE = '203.0.113.7';

/** The input of `sendOtp`, of `POST /api/omni/otp/send` and of `POST /api/sms/otp/send`. */
export const sendOtpInput = z
  .strictObject({
    to: recipientInput,
    ...routeInput,
    ...fallbackInput,
    channels: routeInput.channels.meta({
      description:
        'The channels in order of preference. Absent: every channel whose own fields are present; with none of them, `sms`',
      example: ['sms'],
    }),
    sender: routeInput.sender.meta({
      description: "Approved SMS sender name. Absent: the account's default one",
      example: 'DEMO',
    }),
    cloudTemplate: templateNameInput
      .meta({
        id: 'OtpTemplateInput',
        description: 'An approved authentication template of the cloud channel. The gateway fills in the code',
      })
      .nullish()
      .meta({ description: "The template of `chat_cloud`. Absent: the one of the account's cloud number" }),
    length: wholeFrom(4, 10, 'must be a whole number of digits from 4 to 10')
      .nullish()
      .meta({
        description: `Digits of the code, 4 to 10; ${LENGTH_DEFAULT} where absent`,
        default: LENGTH_DEFAULT,
      }),
    expiresIn: wholeFrom(60, 3_600, 'must be a whole number of seconds from 60 to 3600')
      .nullish()
      .meta({
        description: `Seconds to the end of the code, 60 to 3600; ${EXPIRES_IN_DEFAULT} where absent`,
        default: EXPIRES_IN_DEFAULT,
      }),
    template: messageTextInput
      .superRefine((template, context) => {
        const fault = templateFault(template);
        if (fault !== null) context.addIssue({ code: 'custom', message: fault });
      })
      .nullish()
      .meta({
        description: 'The text, with `{{code}}` and, if wanted, `{{minutes}}`',
        default: DEFAULT_TEMPLATE,
        example: '{{code}} is your code for Example. It ends in {{minutes}} minutes.',
      }),
    autofill: autofillInput
      .nullish()
      .meta({ description: 'For which site or app a phone may fill in the code from the SMS' }),
    clientIp: clientIpInput
      .meta({
        description:
          "The end user's address, by which sends are limited (IPv6: by its /64). Absent: no address is counted",
        example: CLIENT_IP_EXAMPLE,
      })
      .nullish(),
  })
  .meta({
    id: 'SendOtpInput',
    description: 'One passcode to one recipient',
    example: { to: '+12025550100', channels: ['sms'], sender: 'DEMO' },
  });

/** The input of `sendOtp`, checked. */
export type SendOtpInput = z.infer<typeof sendOtpInput>;

const pinIdInput = z.string().min(1, 'must not be empty').meta({
  description: 'The `pinId` that the send answered',
  example: 'pin_5f1d7a84c3b24e0f9a6d2c1b8e7f4a30',
});

/** The input of `resendOtp`. */
export const resendOtpInput = z
  .strictObject({ pinId: pinIdInput })
  .meta({ id: 'ResendOtpInput', description: 'Which passcode to send again' });

/** The input of `resendOtp`, checked. */
export type ResendOtpInput = z.infer<typeof resendOtpInput>;

/** The input of `verifyOtp` and of both verify paths. */
export const verifyOtpInput = z
  .strictObject({
    pinId: pinIdInput,
    pin: z
      .string('must be a string of digits')
      .regex(/^[0-9]+$/, 'must be a string of digits')
      .meta({ description: 'The code, a string of digits', example: '123456' }),
    clientIp: clientIpInput
      .meta({
        description: "The end user's address, by which wrong codes are limited; without it the caller's address counts",
        example: CLIENT_IP_EXAMPLE,
      })
      .nullish(),
  })
  .meta({ id: 'VerifyOtpInput', description: 'A `pinId`, and the code that the user typed' });

/** The input of `verifyOtp`, checked. */
export type VerifyOtpInput = z.infer<typeof verifyOtpInput>;
