/** The `data` of events that REST has in no such shape: an SMS, an OTP with its fault, a low balance, an alert (contract §7). */
import { z } from 'zod';
import { CHANNELS } from '../../kernel/channel.ts';
import { OTP_STATUSES } from '../../kernel/status.ts';
import { ALERT_KINDS } from './alert-kind.ts';
import { attemptData, timeData } from './attempt.data.ts';

const recipient = z.string().meta({ description: 'The recipient in digits-only form', example: '12025550100' });

/** `data` of `sms.*`. */
export const smsEventData = attemptData
  .extend({
    messageId: z.string().nullable().meta({ description: 'The message; null for a passcode' }),
    pinId: z.string().nullable().meta({ description: 'The passcode; null for a message' }),
    recipient,
    sender: z.string().nullable().meta({ description: 'The SMS sender name' }),
    reference: z.string().nullable().meta({ description: 'Your own reference; null where none was given' }),
  })
  .meta({ id: 'SmsEvent', description: 'An attempt by SMS, and what it belongs to' });

/** `data` of `otp.*`. */
export const otpEventData = z
  .strictObject({
    pinId: z.string().meta({ description: 'Names the passcode' }),
    recipient,
    status: z.enum(OTP_STATUSES).meta({ description: 'Where the passcode stands' }),
    channel: z.enum(CHANNELS).nullable().meta({ description: 'The first channel that was accepted; null: none' }),
    expiresAt: timeData,
    resendAvailableAt: timeData.nullable().meta({ description: 'When it may be sent again; null: never' }),
    verifiedAt: timeData.nullable().meta({ description: 'When its code was given; null: not yet' }),
    errorCode: z.string().nullable().meta({
      description:
        '`all_channels_failed`, `otp_incorrect`, `otp_blocked`, `rate_limited` or `otp_expired`; null: nothing failed',
    }),
    attemptsRemaining: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'How many more codes may be tried, after a wrong one; else null' }),
    attempts: z.array(attemptData).meta({ description: 'The attempts in the order in which they were made' }),
  })
  .meta({ id: 'OtpEvent', description: 'A passcode as it stood when the event happened, without its code' });

/** `data` of `balance.low`. */
export const balanceData = z
  .strictObject({
    credits: z.int().meta({ description: 'The credits as they were when it was told' }),
    threshold: z.int().min(0).meta({ description: 'The threshold of the account' }),
    since: timeData.meta({ description: 'Since when they are below it' }),
    lastsDays: z.number().min(0).nullable().meta({
      description: 'Days that they last at the pace of the last 7 days, to a tenth; null: none were spent',
    }),
  })
  .meta({ id: 'LowBalance', description: 'The credits of an account that has few left' });

/** `data` of `alert.*`. */
export const alertData = z
  .strictObject({
    alertId: z.string().meta({ description: 'Names the alert' }),
    ruleId: z.string().meta({ description: 'The rule that it is told by' }),
    kind: z.enum(ALERT_KINDS).meta({ description: 'What it is about' }),
    subject: z.string().nullable().meta({ description: 'The endpoint or the connection; null: it is about neither' }),
    name: z.string().nullable().meta({ description: 'Its name; null: it is about neither' }),
    value: z
      .number()
      .nullable()
      .meta({ description: 'The number that was read while it was wrong; null: there is none' }),
    threshold: z.int().nullable().meta({ description: 'That of the rule; null: its kind has none' }),
    since: timeData,
  })
  .meta({ id: 'AlertEvent', description: 'Something that an alert rule watches' });
