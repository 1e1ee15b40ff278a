/** The fields of an entry of the log that callers see, by REST and by GraphQL (contract §6). */
import { z } from 'zod';
import { CHANNELS } from '../../kernel/channel.ts';
import { LOG_STATUSES } from '../../kernel/status.ts';
import { attemptFacts, timeData } from './attempt.data.ts';

/** The types of entries of the log. */
export const LOG_TYPES = [
  'message_attempt',
  'otp_attempt',
  'otp_verified',
  'otp_incorrect',
  'otp_expired',
  'otp_blocked',
  'otp_flagged',
  'inbound',
] as const;

/** The types that only dashboards see: observations of the fraud guard, and inbound messages. REST has the documented types. */
export const UNDOCUMENTED_TYPES = ['otp_flagged', 'inbound'] as const satisfies readonly LogType[];

/** The type of an entry of the log: an attempt of a message or an OTP, an outcome of an OTP, or an inbound message. */
export type LogType = (typeof LOG_TYPES)[number];

/** An entry of the log. */
export const logEntryData = z.strictObject({
  id: z.string().meta({ description: 'Id of the entry; of an attempt, its `attemptId`' }),
  type: z.enum(LOG_TYPES).meta({ description: 'What it tells about' }),
  messageId: z.string().nullable().meta({ description: 'The message; null for a passcode' }),
  pinId: z.string().nullable().meta({ description: 'The passcode; null for a message' }),
  channel: z.enum(CHANNELS).nullable().meta({ description: 'The channel that was tried' }),
  provider: attemptFacts.provider.meta({ description: 'The provider that it went through; null: none' }),
  recipient: z.string().meta({ description: 'The recipient in digits-only form' }),
  status: z.enum(LOG_STATUSES).meta({ description: 'Where it stands' }),
  errorCode: attemptFacts.errorCode,
  errorMessage: attemptFacts.errorMessage,
  segments: attemptFacts.segments,
  credits: attemptFacts.credits,
  latencyMs: z.int().min(0).nullable().meta({
    description:
      'Milliseconds until the provider had answered, null while it is under way; of an outcome of a passcode, since the passcode was made',
  }),
  createdAt: timeData.meta({ description: 'When the entry was made' }),
});
