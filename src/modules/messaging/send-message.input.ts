/** The input of a send: the documented unified request, under its documented names (contract §4). */
import { z } from 'zod';
import { REFERENCE_MESSAGE, REFERENCE_PATTERN } from '../../kernel/reference.ts';
import { cloudTemplateInput, recipientInput, routeInput, TEXT_LENGTH_MAX, textInput } from '../routing/route.input.ts';

/** A reference as an input field. */
const referenceInput = z.string().regex(REFERENCE_PATTERN, REFERENCE_MESSAGE).meta({
  description:
    'Your own idempotency reference, 1 to 255 visible characters: the same request with the same reference is sent once in 30 days. The header `Idempotency-Key` does the same',
  example: 'order-2001',
});

/** The input of `sendMessage` and of `POST /api/omni/send`. */
export const sendMessageInput = z
  .strictObject({
    to: recipientInput,
    text: textInput.meta({
      description: `The text, 1 to ${TEXT_LENGTH_MAX} characters, at most 10 segments by SMS`,
      example: 'Your parcel arrives today.',
    }),
    ...routeInput,
    cloudTemplate: cloudTemplateInput.nullish().meta({
      description: 'Template settings. Required for `chat_cloud` where the cloud number takes templates only',
    }),
    reference: referenceInput.nullish(),
  })
  .meta({
    id: 'SendMessageInput',
    description: 'One text to one recipient',
    example: {
      to: '+12025550100',
      text: 'Your parcel arrives today.',
      channels: ['sms'],
      sender: 'DEMO',
      reference: 'order-2001',
    },
  });

/** The input of `resendMessage`. */
export const resendMessageInput = z
  .strictObject({
    messageId: z.string().meta({ description: 'Id of the message, `msg_…`' }),
    reference: referenceInput.nullish(),
  })
  .meta({ id: 'ResendMessageInput', description: 'Which message to send again' });

/** The input of `resendMessage`, checked. */
export type ResendMessageInput = z.infer<typeof resendMessageInput>;

/** The input of `sendMessage`, checked. */
export type SendMessageInput = z.infer<typeof sendMessageInput>;
