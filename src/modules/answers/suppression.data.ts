/** The fields of a suppressed recipient that callers see, in `recipient.*` and by GraphQL (contract §15). */
import { z } from 'zod';
import { timeData } from './attempt.data.ts';

/** The ways onto the list: a `recipient` asked for it by a word, or the `account` did. */
export const SUPPRESSION_ORIGINS = ['recipient', 'account'] as const;

/** `data` of `recipient.*`. */
export const suppressionData = z
  .strictObject({
    to: z.string().meta({
      description:
        'The recipient in digits-only form, or the id that a channel has in the place of a number; empty: it was erased',
      example: '12025550100',
    }),
    origin: z.enum(SUPPRESSION_ORIGINS).meta({ description: 'Whether the recipient asked for it, or the account did' }),
    reason: z.string().nullable().meta({ description: 'Why the account did; null: none was given' }),
    messageId: z.string().nullable().meta({
      description: 'The message of the recipient that asked for it; null: the account did',
    }),
    createdAt: timeData.meta({ description: 'Since when nothing is sent' }),
  })
  .meta({ id: 'Suppression', description: 'A recipient that the account sends no messages to' });
