/** The first answer to a request with a reference, kept so that a repeat is answered alike. */
import { z } from 'zod';
import { attemptData } from '../answers/attempt.data.ts';
import type { ChannelAttempt } from '../routing/attempt.entity.ts';
import { outcomeOf } from '../routing/routing.policy.ts';
import { type AttemptOwner, pendingAttempt } from '../routing/under-way.ts';
import type { Message } from './message.entity.ts';

const date = z.coerce.date();

/** The part of an attempt that is answered. Answers are kept for 30 days, so that a field that is added here needs a default: older ones have none. */
export const storedAttempt = attemptData
  .pick({
    channel: true,
    provider: true,
    status: true,
    errorCode: true,
    errorMessage: true,
    segments: true,
    credits: true,
  })
  .extend({
    id: z.string(),
    sender: z.string().nullable(),
    connectionId: z.string().nullable().default(null),
    startedAt: date,
    finishedAt: date.nullable(),
  })
  .strip();

const storedAnswer = z.object({
  createdAt: date,
  /** As they were when it was accepted: the account may have another encoding by now. Answers of before have neither. */
  segments: z.int().optional(),
  smartEncoded: z.boolean().optional(),
  attempts: z.array(storedAttempt),
});

/**
 * The part of an answer that a repeat finds neither in its own request nor in the attempts. A receipt may tell later that the provider
 * took an attempt that was `unknown` or `failed`. Null: the attempts say it. No text, as the repeat brings the same one.
 */
export function storeAnswer(
  { createdAt, segments, smartEncoded, fallbackAfter }: Message,
  attempts: readonly ChannelAttempt[],
): unknown {
  // Attempts that follow in time were not answered.
  const isKept = fallbackAfter != null || attempts.some(({ status }) => status !== 'sent');
  return isKept ? storedAnswer.parse({ createdAt, segments, smartEncoded, attempts }) : null;
}

/** Puts a kept answer into the message of the repeat, which has everything else. */
export function restoreAnswer(message: Message, owner: AttemptOwner, answer: unknown): Message {
  const { attempts, ...accepted } = storedAnswer.parse(answer);
  return Object.assign(message, accepted, outcomeOf(attempts), {
    attempts: attempts.map((attempt): ChannelAttempt => ({ ...pendingAttempt(message, owner, attempt), ...attempt })),
  });
}
