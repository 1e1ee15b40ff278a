/** OTPs in GraphQL: the type, and `sendOtp`, `resendOtp`, `verifyOtp`. */
import { Otp } from '../../../modules/otp/otp.entity.ts';
import { loadDeliveries } from '../../../modules/otp/reports/list-otps.ts';
import { resendAvailableAt } from '../../../modules/otp/send/resend.policy.ts';
import { resendOtp } from '../../../modules/otp/send/resend-otp.ts';
import { resendOtpInput, sendOtpInput, verifyOtpInput } from '../../../modules/otp/send/send-otp.input.ts';
import { sendOtp } from '../../../modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../modules/otp/verify/verify-otp.ts';
import { builder } from '../../builder.ts';
import { ChannelEnum, DeliveryModeEnum, OtpStatusEnum } from '../../enums.ts';
import { byInput } from '../../from-zod.ts';
import { heldOrLoaded } from '../../held-or-loaded.ts';
import { timedFallback } from '../../timed-fallback.ts';
import { AttemptRef } from '../attempts.ts';
import { OTP_TIMELINE } from '../timeline/timeline.ts';

/** `Otp` */
export const OtpRef = builder.objectType(Otp, {
  name: 'Otp',
  description: 'A one-time passcode to one recipient. Its code and its text are shown nowhere.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `pinId`, for client caches.'),
    pinId: t.member('id', 'String', 'Names the passcode, `pin_…`. Keep it on your server.'),
    recipient: t.member('recipient', 'String', 'The recipient in digits-only form.'),
    status: t.member('status', OtpStatusEnum, 'Where the passcode stands.'),
    channel: t.nullable('channel', ChannelEnum, 'The first channel that was accepted; null: none.'),
    channels: t.member('channels', [ChannelEnum], 'The channels of its route, in order.'),
    deliveryMode: t.member('deliveryMode', DeliveryModeEnum, 'How its channels were used.'),
    ...timedFallback(t),
    length: t.member('length', 'PositiveInt', 'Digits of the code.'),
    expiresAt: t.member('expiresAt', 'DateTime', 'When the code ends.'),
    resendAvailableAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it may be sent again; null where it never may.',
      resolve: resendAvailableAt,
    }),
    resends: t.member('resends', 'NonNegativeInt', 'How often it was sent again, 3 at most.'),
    attemptsRemaining: t.field({
      type: 'NonNegativeInt',
      description: 'How many codes may still be tried.',
      resolve: otp => Math.max(0, otp.attemptsMax - otp.attempts),
    }),
    attempts: t.field({
      type: [AttemptRef],
      description:
        'The attempts over channels in the order in which they were made; `sendOtp` and `resendOtp` answer those of that send.',
      resolve: heldOrLoaded(otp => otp.attemptsMade, loadDeliveries),
    }),
    timeline: t.field(OTP_TIMELINE),
    verifiedAt: t.nullable('verifiedAt', 'DateTime', 'When its code was given; null while it was not.'),
    createdAt: t.member('createdAt', 'DateTime', 'When it was accepted.'),
  }),
});

const verbPolicy = {
  opens: ['unified', 'otp'],
  plan: 'unified',
  isAlone: true,
  isForServers: true,
} as const;

builder.mutationFields(t => ({
  sendOtp: t.field({
    type: OtpRef,
    description:
      'Makes a code and sends it over the channels of its route; an older code of the recipient ends. One that no channel accepted is answered with status `FAILED`, not as an error. Tokens: unified; otp (channel `SMS` only).',
    policy: { ...verbPolicy, right: 'send', deadlineFor: 'nobody' },
    ...byInput(sendOtpInput, 'The passcode.', sendOtp),
  }),
  resendOtp: t.field({
    type: OtpRef,
    description:
      'Sends a passcode once more: the same code with the same end, 60 s after the send, then 120 s and 300 s after the resend before. Tokens: unified, otp (their own); people: any of their account.',
    policy: { ...verbPolicy, right: 'resend', deadlineFor: 'nobody' },
    ...byInput(resendOtpInput, 'Which passcode.', resendOtp),
  }),
  verifyOtp: t.field({
    type: OtpRef,
    description:
      'Verifies a passcode: its code is right once. A wrong one is the error `OTP_INCORRECT` with `attemptsRemaining`; after five of them it is `OTP_BLOCKED`. Tokens: unified, otp (their own).',
    policy: { ...verbPolicy, right: 'send' },
    ...byInput(verifyOtpInput, 'The passcode and its code.', verifyOtp),
  }),
}));
