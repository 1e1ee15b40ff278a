/** The fields of an inbound message that callers see, in `message.received` and by GraphQL (contract §15). */
import { z } from 'zod';
import { CHANNELS } from '../../kernel/channel.ts';
import { timeData } from './attempt.data.ts';

/** `data` of `message.received`. */
export const inboundData = z
  .strictObject({
    messageId: z.string().meta({ description: 'Names the message that came in' }),
    channel: z.enum(CHANNELS).meta({ description: 'The channel that it came over' }),
    type: z.string().meta({
      description: '`text`, or the kind of what else it was: `image`, `location`, `button` …',
      example: 'text',
    }),
    from: z.string().nullable().meta({
      description: 'The number of the person who wrote, in digits-only form; null: the channel tells none',
      example: '12025550100',
    }),
    fromUserId: z.string().nullable().meta({
      description: 'The id that the channel has for the person, where it is no number',
    }),
    username: z.string().nullable().meta({ description: 'The name that the person shows; null: none is told' }),
    to: z.string().meta({ description: 'The sender of yours that it came to, a number or a name', example: 'DEMO' }),
    text: z.string().nullable().meta({
      description: 'The text; of another type its caption or label; null: it has none',
    }),
    replyTo: z.string().nullable().meta({
      description:
        'The `messageId` of yours that it quotes; on SMS the last one between the two within 7 days; null: none',
    }),
    receivedAt: timeData.meta({ description: 'When the gateway got the whole of it' }),
  })
  .meta({ id: 'InboundMessage', description: 'A message that a person sent to one of your senders' });
