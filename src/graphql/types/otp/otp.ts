/** OTPs in GraphQL: the type, and `sendOtp`, `resendOtp`, `verifyOtp`. */
import type { Ctx } from '../../../context.ts';
import { Otp } from '../../../modules/otp/otp.entity.ts';
import { loadDeliveries } from '../../../modules/otp/reports/list-otps.ts';
import { resendAvailableAt } from '../../../modules/otp/send/resend.policy.ts';
import { resendOtp } from '../../../modules/otp/send/resend-otp.ts';
import { resendOtpInput, sendOtpInput, verifyOtpInput } from '../../../modules/otp/send/send-otp.input.ts';
import { sendOtp } from '../../../modules/otp/send/send-otp.ts';
import type { Autofill } from '../../../modules/otp/send/text.policy.ts';
import { verifyOtp } from '../../../modules/otp/verify/verify-otp.ts';
import type { ChannelAttempt } from '../../../modules/routing/attempt.entity.ts';
import { builder } from '../../builder.ts';
import { ChannelEnum, DeliveryModeEnum, OtpStatusEnum } from '../../enums.ts';
import { AttemptRef } from '../attempts.ts';

/** An OTP that was just sent has its attempts; those of a page are loaded by one query. */
async function attemptsOf(otps: readonly Otp[], ctx: Ctx): Promise<ChannelAttempt[][]> {
  const bare = otps.filter(({ attemptsMade }) => !attemptsMade);
  const loaded =
    bare.length === 0
      ? []
      : await loadDeliveries(
          ctx,
          bare.map(({ id }) => id),
        );
  return otps.map(otp => otp.attemptsMade ?? loaded[bare.indexOf(otp)] ?? []);
}

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
    attempts: t.loadableList({
      type: AttemptRef,
      description:
        'The attempts over channels in the order in which they were made; `sendOtp` and `resendOtp` answer those of that send.',
      resolve: otp => otp,
      load: attemptsOf,
    }),
    verifiedAt: t.nullable('verifiedAt', 'DateTime', 'When its code was given; null while it was not.'),
    createdAt: t.member('createdAt', 'DateTime', 'When it was accepted.'),
  }),
});

const OtpTemplateInput = builder.inputType('OtpTemplateInput', {
  description: 'An approved authentication template of the cloud channel. The gateway fills in the code.',
  fields: t => ({
    name: t.string({ required: true, description: 'Name of the template.' }),
    language: t.string({ required: true, description: 'Language of the template, like `en_US`.' }),
  }),
});

const OtpAutofillInput = builder.inputType('OtpAutofillInput', {
  description: 'For which site or app a phone may fill in the code from the SMS; one of the two.',
  fields: t => ({
    domain: t.string({ description: 'The site: a host name, like `example.com`.' }),
    appHash: t.string({ description: 'The hash of the Android app, 11 characters, as SMS Retriever makes it.' }),
  }),
});

const CLIENT_IP = "The end user's address, for the limits; without it the caller's address counts.";

const SendOtpInput = builder.inputType('SendOtpInput', {
  description: 'One passcode to one recipient.',
  validate: { schema: sendOtpInput },
  fields: t => ({
    to: t.string({ required: true, description: 'Recipient phone number with country code, with or without `+`.' }),
    channels: t.field({
      type: [ChannelEnum],
      description:
        'The channels in order of preference. Absent: every channel whose own fields are present; with none of them, `SMS`.',
    }),
    deliveryMode: t.field({
      type: DeliveryModeEnum,
      description: 'How several channels are used. Absent: `FALLBACK`.',
    }),
    chatFrom: t.string({ description: 'Number of the QR sender. Required for `CHAT_QR`.' }),
    sender: t.string({ description: "Approved SMS sender name. Absent: the account's default one." }),
    cloudTemplate: t.field({
      type: OtpTemplateInput,
      description: "The template of `CHAT_CLOUD`. Absent: the one of the account's cloud number.",
    }),
    length: t.int({ description: 'Digits of the code, 4 to 10; 6 where absent.' }),
    expiresIn: t.int({ description: 'Seconds to the end of the code, 60 to 3600; 300 where absent.' }),
    template: t.string({ description: 'The text, with `{{code}}` and, if wanted, `{{minutes}}`.' }),
    autofill: t.field({
      type: OtpAutofillInput,
      description: 'For which site or app a phone may fill in the code from the SMS.',
    }),
    clientIp: t.string({ description: "The end user's address. No limit of sends counts it yet." }),
  }),
});

const ResendOtpInput = builder.inputType('ResendOtpInput', {
  description: 'Which passcode to send again.',
  validate: { schema: resendOtpInput },
  fields: t => ({ pinId: t.string({ required: true, description: 'The `pinId` that the send answered.' }) }),
});

const VerifyOtpInput = builder.inputType('VerifyOtpInput', {
  description: 'A `pinId`, and the code that the user typed.',
  validate: { schema: verifyOtpInput },
  fields: t => ({
    pinId: t.string({ required: true, description: 'The `pinId` that the send answered.' }),
    pin: t.string({ required: true, description: 'The code, a string of digits.' }),
    clientIp: t.string({ description: CLIENT_IP }),
  }),
});

const verbPolicy = {
  opens: ['unified', 'otp'],
  plan: 'unified',
  isAlone: true,
  countsFor: 'otp',
  isForServers: true,
} as const;

builder.mutationFields(t => ({
  sendOtp: t.field({
    type: OtpRef,
    description:
      'Makes a code and sends it over the channels of its route; an older code of the recipient ends. One that no channel accepted is answered with status `FAILED`, not as an error. Tokens: unified; otp (channel `SMS` only).',
    policy: { ...verbPolicy, deadlineFor: 'nobody' },
    args: { input: t.arg({ type: SendOtpInput, required: true, description: 'The passcode.' }) },
    // The schema has read it: of the two members of `autofill` the one that was given is there.
    resolve: (_root, { input: { autofill, ...input } }, ctx) =>
      sendOtp(ctx, { ...input, autofill: autofill as Autofill | null | undefined }),
  }),
  resendOtp: t.field({
    type: OtpRef,
    description:
      'Sends a passcode once more: the same code with the same end, 60 s after the send, then 120 s and 300 s after the resend before. Tokens: unified, otp (their own).',
    policy: { ...verbPolicy, deadlineFor: 'nobody' },
    args: { input: t.arg({ type: ResendOtpInput, required: true, description: 'Which passcode.' }) },
    resolve: (_root, { input }, ctx) => resendOtp(ctx, input),
  }),
  verifyOtp: t.field({
    type: OtpRef,
    description:
      'Verifies a passcode: its code is right once. A wrong one is the error `OTP_INCORRECT` with `attemptsRemaining`; after five of them it is `OTP_BLOCKED`. Tokens: unified, otp (their own).',
    policy: { ...verbPolicy, deadlineFor: 'everyone' },
    args: { input: t.arg({ type: VerifyOtpInput, required: true, description: 'The passcode and its code.' }) },
    resolve: (_root, { input }, ctx) => verifyOtp(ctx, input),
  }),
}));
