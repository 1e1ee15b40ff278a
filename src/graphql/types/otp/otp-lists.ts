/** Reading OTPs in GraphQL: `otp`, `otps`, and `otpSummary` for dashboards. */
import { listOtpsInput, SUMMARY_KEYS, summarizeOtpsInput } from '../../../modules/otp/reports/list-otps.input.ts';
import { findOtp, listOtps, otpPosition } from '../../../modules/otp/reports/list-otps.ts';
import { type OtpSummary, summarizeOtps } from '../../../modules/otp/reports/summarize-otps.ts';
import { builder } from '../../builder.ts';
import { connectionOf, toConnection } from '../../connection.ts';
import { ChannelEnum } from '../../enums.ts';
import { argsFrom, byArgs, defineEnum } from '../../from-zod.ts';
import { OtpRef } from './otp.ts';

const OtpConnection = connectionOf(OtpRef, 'Otp', 'passcodes', 'A passcode');

defineEnum('OtpSummaryKey', SUMMARY_KEYS, 'What the rows of a summary of passcodes can be apart by.', {
  day: 'The day of the first attempt, in UTC.',
  channel:
    'The channel that accepted the passcode first; where none did, the first that may have, else the first that was tried.',
  country: 'The country of the recipient.',
});

const OtpSummaryRef = builder.objectRef<OtpSummary>('OtpSummary').implement({
  description:
    'How passcodes did, from the log. A passcode counts once, for the day of its first attempt, one channel and one country, with all that became of it later.',
  fields: t => ({
    day: t.nullable('day', 'String', 'The day in UTC, like `2026-11-21`; null: the rows are not apart by day.'),
    channel: t.nullable(
      'channel',
      ChannelEnum,
      'The channel; null: the rows are not apart by channel, or this one holds what no passcode is named for (`refused`, `flagged`).',
    ),
    country: t.nullable(
      'country',
      'String',
      'The country, ISO 3166-1 alpha-2; null: the rows are not apart by country, or the numbers tell none.',
    ),
    sent: t.member(
      'sent',
      'NonNegativeInt',
      'Passcodes that a provider accepted or may have, and those that were verified whatever it said.',
    ),
    failed: t.member(
      'failed',
      'NonNegativeInt',
      'Passcodes all of whose attempts failed, those among them that were accepted (so also `sent`) and later reported undelivered. One that was verified did not fail.',
    ),
    verified: t.member('verified', 'NonNegativeInt', 'Passcodes whose code was given.'),
    conversionRate: t.nullable(
      'conversionRate',
      'Float',
      '`verified` as a part of `sent`, 0 to 1; null where none were sent.',
    ),
    incorrect: t.member('incorrect', 'NonNegativeInt', 'Wrong codes that were tried.'),
    expired: t.member(
      'expired',
      'NonNegativeInt',
      'Passcodes that were tried after their time, or after a newer one had been sent.',
    ),
    blocked: t.member(
      'blocked',
      'NonNegativeInt',
      'Passcodes of which a code was turned down unseen, after too many wrong ones.',
    ),
    refused: t.member('refused', 'NonNegativeInt', 'Sends that the fraud guard refused.'),
    flagged: t.member(
      'flagged',
      'NonNegativeInt',
      'Sends that went out and that the fraud guard would have refused, were it set to block.',
    ),
    medianSecondsToVerify: t.nullable(
      'medianSecondsToVerify',
      'Float',
      'Seconds from the making of a passcode to its verification, the median; null where none were.',
    ),
  }),
});

const readPolicy = {
  opens: ['unified', 'otp', 'management'],
  plan: 'tokens',
  isForServers: true,
} as const;

const ownOtps = 'Tokens: unified, otp (its own), management.';

builder.queryFields(t => ({
  otp: t.field({
    type: OtpRef,
    nullable: true,
    description: `A passcode of the account; null where there is none. It is kept for a day after its time, and stands at \`EXPIRED\` within a minute of it. ${ownOtps}`,
    policy: readPolicy,
    args: { pinId: t.arg.string({ required: true, description: 'Id of the passcode, `pin_…`.' }) },
    resolve: (_root, { pinId }, ctx) => findOtp(ctx, pinId),
  }),
  otps: t.field({
    type: OtpConnection,
    description: `The passcodes of the account, newest first, each for a day after its time; the log keeps more. ${ownOtps}`,
    policy: readPolicy,
    ...argsFrom(listOtpsInput),
    resolve: async (_root, args, ctx) => toConnection(await listOtps(ctx, args), otpPosition),
  }),
  otpSummary: t.field({
    type: [OtpSummaryRef],
    // The summary reads every OTP of the time.
    complexity: 50,
    description: `How the passcodes of the account did whose first attempt was made in a time, at most 92 days; newest day first, no row where there were none. ${ownOtps}`,
    policy: readPolicy,
    ...byArgs(summarizeOtpsInput, summarizeOtps),
  }),
}));
