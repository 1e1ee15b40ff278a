/** The input of a send: the documented unified request, under its documented names (contract §4). */
import { z } from 'zod';
import { REFERENCE_MESSAGE, REFERENCE_PATTERN } from '../../kernel/reference.ts';
import { fallbackInput } from '../accounts/settings/fallback.input.ts';
import {
  cloudTemplateInput,
  messageTextInput,
  recipientInput,
  routeInput,
  TEXT_LENGTH_MAX,
} from '../routing/route.input.ts';

/** A reference as an input field. */
const referenceInput = z.string().regex(REFERENCE_PATTERN, REFERENCE_MESSAGE).meta({
  description:
    'Your own idempotency reference, 1 to 255 visible characters: the same request with the same reference is sent once in 30 days. The header `Idempotency-Key` does the same',
  example: 'order-2001',
});

/** The fields of a message. */
const messageInput = z.strictObject({
  to: recipientInput.nullish(),
  replyTo: z.string().nullish().meta({
    description:
      'In the place of `to`: the `messageId` of a message that came in. The answer goes to the person who wrote it, by the same channel, from the sender that it came to',
  }),
  text: messageTextInput.meta({
    description: `The text, 1 to ${TEXT_LENGTH_MAX} characters, at most 10 segments by SMS`,
    example: 'Your parcel arrives today.',
  }),
  ...routeInput,
  ...fallbackInput,
  cloudTemplate: cloudTemplateInput.nullish().meta({
    description: 'Template settings. Required for `chat_cloud` where the cloud number takes templates only',
  }),
  reference: referenceInput.nullish(),
});

/** The input of `POST /api/sms/send`, but for what the path says of its own. */
export const directSmsInput = messageInput
  .omit({
    replyTo: true,
    deliveryMode: true,
    fallbackAfter: true,
    successStatus: true,
    chatFrom: true,
    cloudTemplate: true,
  })
  .extend({ to: recipientInput });

/** Rules between fields are looked at beside the faults of others, so that all are told at once. */
const isObject = ({ value }: z.core.ParsePayload): boolean => typeof value === 'object' && value !== null;

/** The input of `sendMessage` and of `POST /api/omni/send`. */
export const sendMessageInput = messageInput
  .refine(({ to, replyTo }) => to != null || replyTo != null, {
    path: ['to'],
    message: 'is required',
    when: isObject,
  })
  .refine(({ to, replyTo }) => to == null || replyTo == null, {
    path: ['replyTo'],
    message: 'stands in the place of to: give one of them',
    when: isObject,
  })
  .meta({
    id: 'SendMessageInput',
    description: 'One text to one recipient: `to`, or the writer of the message `replyTo`',
    example: {
      to: '+12025550100',
      text: 'Your parcel arrives today.',
      channels: ['sms'],
      sender: 'DEMO',
      reference: 'order-2001',
    },
  });

/** The input of `reply`. */
export const replyInput = messageInput
  .pick({ text: true, cloudTemplate: true, reference: true })
  .extend({ replyTo: z.string().meta({ description: 'The `messageId` of the message that came in' }) })
  .meta({ id: 'ReplyInput', description: 'An answer to a message that came in' });

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
