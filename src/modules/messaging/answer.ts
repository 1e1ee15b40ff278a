/** The first answer to a request with a reference, kept so that a repeat is answered alike. */
import { z } from 'zod';
import { attemptData } from '../answers/attempt.data.ts';
import { messageData } from '../answers/message.data.ts';
import type { ChannelAttempt } from '../routing/attempt.entity.ts';
import type { Message } from './message.entity.ts';

const date = z.coerce.date();

/** Kept for 30 days: what is added here needs a default, which answers that were kept before are read with. */
const storedAttempt = attemptData
  .pick({
    channel: true,
    provider: true,
    status: true,
    errorCode: true,
    errorMessage: true,
    segments: true,
    credits: true,
  })
  .extend({ id: z.string(), sender: z.string().nullable(), startedAt: date, finishedAt: date.nullable() })
  .strip();

const storedAnswer = messageData
  .pick({ status: true, channel: true })
  .extend({ createdAt: date, attempts: z.array(storedAttempt) })
  .strip();

/** What a repeat cannot know from its own request: the fields of the schema. No text, as the repeat brings the same one. */
export function storeAnswer(message: Message, attempts: readonly ChannelAttempt[]): unknown {
  const { status, channel, createdAt } = message;
  return storedAnswer.parse({ status, channel, createdAt, attempts });
}

/** Puts a kept answer into the message of the repeat, which has everything else. */
export function restoreAnswer(message: Message, messageId: string, answer: unknown): Message {
  const { attempts, ...rest } = storedAnswer.parse(answer);
  return Object.assign(message, rest, {
    id: messageId,
    attempts: attempts.map(
      (attempt): ChannelAttempt => ({
        ...attempt,
        accountId: message.accountId,
        area: message.area,
        type: 'message_attempt',
        messageId,
        pinId: null,
        resend: null,
        recipient: message.recipient,
        country: null,
        reference: message.reference,
        providerMessageId: null,
      }),
    ),
  });
}
