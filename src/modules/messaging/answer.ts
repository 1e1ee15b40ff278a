/** The first answer to a request with a reference, kept so that a repeat is answered alike. */
import { z } from 'zod';
import { CHANNELS } from '../../kernel/channel.ts';
import { STATUSES } from '../../kernel/status.ts';
import type { ChannelAttempt } from '../routing/attempt.entity.ts';
import type { Message } from './message.entity.ts';

const date = z.coerce.date();

const storedAnswer = z.object({
  status: z.enum(STATUSES),
  channel: z.enum(CHANNELS).nullable(),
  createdAt: date,
  attempts: z.array(
    z.object({
      id: z.string(),
      channel: z.enum(CHANNELS),
      provider: z.string().nullable(),
      sender: z.string().nullable(),
      status: z.enum(STATUSES),
      errorCode: z.string().nullable(),
      errorMessage: z.string().nullable(),
      segments: z.int(),
      credits: z.int(),
      startedAt: date,
      finishedAt: date.nullable(),
    }),
  ),
});

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
