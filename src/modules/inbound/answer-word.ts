/** The job that answers a word of a person by a text of the account. Its verb is in `messaging`, which sends: what comes in knows nothing of sending. */
import { z } from 'zod';
import type { JobDefinition } from '../../queue/kit.ts';

const message = {
  accountId: z.string(),
  /** The message that came in. */
  messageId: z.string(),
};

/** A word that is to be answered, and by what. */
const answerWordPayload = z.discriminatedUnion('answer', [
  z.object({
    ...message,
    /** The setting of the account that holds the text. */
    answer: z.enum(['stopText', 'helpText']),
  }),
  z.object({
    ...message,
    /** The auto-reply of the account to the keyword. */
    answer: z.literal('keyword'),
    keyword: z.string(),
  }),
]);

/** A word that is to be answered, checked. */
export type AnswerWordPayload = z.infer<typeof answerWordPayload>;

/** The job. A repeat of it is known by the reference of what it sends. */
export const ANSWER_WORD: JobDefinition<AnswerWordPayload> = {
  name: 'answer-word',
  schema: answerWordPayload,
  queue: { retryLimit: 5, retryDelay: 5, retryBackoff: true, deleteAfterSeconds: 86_400 },
};
