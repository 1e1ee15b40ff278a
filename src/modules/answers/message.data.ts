/** The fields of a message that callers see, by REST, in events and by GraphQL (contract §4, §7). */
import { z } from 'zod';
import { CHANNELS, DELIVERY_MODES } from '../../kernel/channel.ts';
import { STATUSES } from '../../kernel/status.ts';
import { attemptData, timeData } from './attempt.data.ts';

/** `data` of a send. */
export const messageData = z
  .strictObject({
    messageId: z
      .string()
      .meta({ description: 'Id of the message, `msg_…`', example: 'msg_0199f3c2a1b47c1e8f00a1b2c3d4e5f6' }),
    reference: z.string().nullable().meta({ description: 'Your own reference; null where none was given' }),
    recipient: z.string().meta({ description: 'The recipient in digits-only form', example: '12025550100' }),
    status: z.enum(STATUSES).meta({ description: 'Where the message stands' }),
    deliveryMode: z.enum(DELIVERY_MODES).meta({ description: 'How its channels were used' }),
    channel: z.enum(CHANNELS).nullable().meta({ description: 'The first channel that was accepted; null: none' }),
    segments: z.int().min(0).meta({ description: 'SMS segments of the text, at most 10 where it goes by SMS' }),
    attempts: z.array(attemptData).meta({ description: 'The attempts in the order in which they were made' }),
    createdAt: timeData.meta({ description: 'When it was accepted' }),
  })
  .meta({ id: 'Message', description: 'One text to one recipient, with every attempt that was made for it' });
