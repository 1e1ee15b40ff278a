/** The input fields of a route: whom it goes to, over what, from whom. Shared by everything that is sent (contract §4, §5). */
import { z } from 'zod';
import { CHANNEL_FACTS, CHANNELS, DEFAULT_CHANNEL, DELIVERY_MODES } from '../../kernel/channel.ts';
import { oneOf } from '../../kernel/input.ts';
import { NO_PHONE, parsePhone, WRITTEN_LENGTH_MAX } from '../../kernel/phone.ts';
import { isStorableJson, isStorableText, textInput, UNSTORABLE } from '../../kernel/storable.ts';

/** A recipient: an international number, with or without `+`. */
export const recipientInput = z
  .string()
  .refine(value => parsePhone(value) !== null, NO_PHONE)
  .meta({
    maxLength: WRITTEN_LENGTH_MAX,
    description: 'Recipient phone number with country code, with or without `+`',
    example: '+12025550100',
  });

/** The name and the language of a template of a cloud chat. */
export const templateNameInput = z.strictObject({
  name: textInput(512).meta({ description: 'Name of the template' }),
  language: textInput(35).meta({ description: 'Language of the template, like `en_US`', example: 'en_US' }),
});

/** The template of a cloud chat message. */
export const cloudTemplateInput = templateNameInput
  .extend({
    components: z
      .array(z.record(z.string(), z.unknown()))
      .max(20, 'must have at most 20 components')
      .refine(isStorableJson, UNSTORABLE)
      .nullish()
      .meta({ description: 'The components of the template, handed to the provider as they are' }),
  })
  .meta({ id: 'CloudTemplateInput', description: 'An approved template of the cloud channel' });

/** A template of a cloud chat message, checked. */
export type CloudTemplateInput = z.infer<typeof cloudTemplateInput>;

const channelInput = oneOf(CHANNELS);

const isShort = ({ length }: readonly unknown[]): boolean => length <= CHANNELS.length;

const channelsOf = (channel: typeof channelInput) =>
  z
    .array(channel)
    .min(1, 'must name at least one channel')
    // zod's own `max` ends all rules behind it, those between fields too.
    .refine(isShort, `must name at most ${CHANNELS.length} channels`)
    .meta({ maxItems: CHANNELS.length })
    .refine(
      channels => !isShort(channels) || new Set(channels).size === channels.length,
      'must not name a channel twice',
    )
    .nullish();

/** The name that an SMS shows as its sender. */
export const senderInput = textInput(64).meta({
  description: 'Approved SMS sender name',
  example: CHANNEL_FACTS.sms.exampleSender,
});

/** The fields of a route, but for the template, which is not the same for all. */
export const routeInput = {
  channels: channelsOf(channelInput).meta({
    description: 'The channels in order of preference. Absent: every channel whose own fields are present',
    example: ['sms'],
  }),
  deliveryMode: oneOf(DELIVERY_MODES).nullish().meta({
    description:
      'How several channels are used: `fallback`, one after another, as where it is absent; or `all` at once',
    default: 'fallback',
  }),
  chatFrom: textInput(64).nullish().meta({
    description: 'Number of the QR sender. Required for `chat_qr`',
    example: CHANNEL_FACTS.chat_qr.exampleSender,
  }),
  sender: senderInput.nullish().meta({ description: 'Approved SMS sender name. Required for `sms`' }),
};

/** The channels of a path that is for SMS alone. The documents show no other, and a token of its area opens no other. */
export const smsChannelsInput = channelsOf(channelInput.meta({ enum: [DEFAULT_CHANNEL] })).meta({
  description: `\`${DEFAULT_CHANNEL}\`, as where it is absent`,
  example: [DEFAULT_CHANNEL],
});

/** The longest text, in characters (code points). */
export const TEXT_LENGTH_MAX = 1_600;

/** A text of 1 to 1,600 characters. */
export const messageTextInput = z
  .string()
  .min(1, 'must not be empty')
  .refine(
    text => text.length <= TEXT_LENGTH_MAX || [...text].length <= TEXT_LENGTH_MAX,
    `must have at most ${TEXT_LENGTH_MAX} characters`,
  )
  .refine(isStorableText, UNSTORABLE)
  .meta({ maxLength: TEXT_LENGTH_MAX });
