/** The input of a send: the documented unified request, under its documented names (contract §4). */
import { z } from 'zod';
import { CHANNELS, DELIVERY_MODES } from '../../kernel/channel.ts';
import { parsePhone } from '../../kernel/phone.ts';
import { isStorableJson, isStorableText } from '../../kernel/storable.ts';

/** The longest text, in characters (code points). */
const TEXT_LENGTH_MAX = 1_600;

/** A reference: 1 to 255 visible ASCII characters. */
export const REFERENCE_PATTERN = /^[\x21-\x7e]{1,255}$/;

const name = (max: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine(isStorableText, 'holds a character that cannot be stored');

/** A recipient: an international number, with or without `+`. */
export const recipientInput = z
  .string()
  .max(64, 'must be a phone number with country code, like +12025550100')
  .refine(value => parsePhone(value) !== null, 'must be a phone number with country code, like +12025550100')
  .meta({ description: 'Recipient phone number with country code, with or without +', example: '+12025550100' });

/** A reference as an input field. */
const referenceInput = z.string().regex(REFERENCE_PATTERN, 'must be 1 to 255 visible ASCII characters').meta({
  description: 'Your own idempotency reference: the same request with the same reference is sent once',
  example: 'order-1042',
});

/** The template of a cloud chat message. */
const cloudTemplateInput = z
  .strictObject({
    name: name(512).meta({ description: 'Name of the approved template' }),
    language: name(35).meta({ description: 'Language of the template', example: 'en_US' }),
    components: z
      .array(z.record(z.string(), z.unknown()))
      .max(20, 'must have at most 20 components')
      .refine(isStorableJson, 'holds a character that cannot be stored')
      .nullish()
      .meta({ description: 'The components of the template, handed to the provider as they are' }),
  })
  .meta({ description: 'Template settings of the cloud channel' });

/** The input of `sendMessage`, of `POST /api/omni/send` and of `POST /api/sms/send`. */
export const sendMessageInput = z
  .strictObject({
    to: recipientInput,
    text: z
      .string()
      .min(1, 'must not be empty')
      .refine(
        text => text.length <= TEXT_LENGTH_MAX || [...text].length <= TEXT_LENGTH_MAX,
        `must have at most ${TEXT_LENGTH_MAX} characters`,
      )
      .refine(isStorableText, 'holds a character that cannot be stored')
      .meta({ description: `The text, 1 to ${TEXT_LENGTH_MAX} characters`, example: 'Your parcel arrives today.' }),
    channels: z
      .array(z.enum(CHANNELS, `must be one of ${CHANNELS.join(', ')}`))
      .min(1, 'must name at least one channel')
      .max(CHANNELS.length, `must name at most ${CHANNELS.length} channels`)
      .refine(channels => new Set(channels).size === channels.length, 'must not name a channel twice')
      .nullish()
      .meta({
        description: 'The channels, in order of preference; absent: every channel whose own fields are present',
        example: ['sms'],
      }),
    deliveryMode: z
      .enum(DELIVERY_MODES, `must be one of ${DELIVERY_MODES.join(', ')}`)
      .nullish()
      .meta({ description: 'fallback: one channel after another; all: every channel at once', default: 'fallback' }),
    chatFrom: name(64).nullish().meta({ description: 'Number of the QR sender, for chat_qr', example: '15550000001' }),
    sender: name(64).nullish().meta({ description: 'Approved SMS sender name, for sms', example: 'DEMO' }),
    cloudTemplate: cloudTemplateInput.nullish(),
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
      reference: 'order-1042',
    },
  });

/** What the edges hand to `sendMessage`. */
export type SendMessageInput = z.infer<typeof sendMessageInput>;
