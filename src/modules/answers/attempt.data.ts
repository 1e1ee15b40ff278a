/** The fields of an attempt that callers see, by REST, in events and by GraphQL (contract §4). */
import { z } from 'zod';
import { CHANNELS } from '../../kernel/channel.ts';
import { STATUSES } from '../../kernel/status.ts';

/** An instant as JSON shows it. */
export const timeData = z.iso.datetime().meta({ description: 'ISO 8601, UTC', format: 'date-time' });

/** The fields that an attempt and an entry of the log share. */
export const attemptFacts = {
  provider: z.string().nullable().meta({
    example: 'sandbox',
    description:
      'The provider that it went through; null: none is connected for the channel (`no_route`), or its sender is refused (`sender_not_possible`)',
  }),
  errorCode: z.string().nullable().meta({ description: 'Why it failed, in a word; null where it did not' }),
  errorMessage: z.string().nullable().meta({ description: 'Why it failed, in a sentence; null where it did not' }),
  segments: z.int().min(0).meta({ description: 'SMS segments of the text; 0 on chat channels' }),
  credits: z.int().min(0).meta({ description: 'SMS credits that it costs; 0 where nothing was accepted' }),
};

/** One attempt of a message or of an OTP. */
export const attemptData = z
  .strictObject({
    attemptId: z
      .string()
      .meta({ description: 'Id of the attempt, `att_…`', example: 'att_0199f3c2a1b47c1e8f00a1b2c3d4e5f6' }),
    channel: z.enum(CHANNELS).meta({ description: 'The channel that was tried' }),
    provider: attemptFacts.provider,
    status: z.enum(STATUSES).meta({ description: 'Where the attempt stands' }),
    errorCode: attemptFacts.errorCode,
    errorMessage: attemptFacts.errorMessage,
    segments: attemptFacts.segments,
    credits: attemptFacts.credits,
    startedAt: timeData.meta({ description: 'When it was started' }),
    finishedAt: timeData.nullable().meta({ description: 'When its outcome was known; null while it is under way' }),
  })
  .meta({ id: 'Attempt', description: 'One try to hand a message or a passcode to one provider over one channel' });
