/** `previewSend` and `previewOtp` in GraphQL: what a send would do and cost. */
import { type Considered, SENT_BY } from '../../../channels/providers.ts';
import { previewSend } from '../../../modules/messaging/preview-send.ts';
import { sendMessageInput } from '../../../modules/messaging/send-message.input.ts';
import { previewOtp } from '../../../modules/otp/send/preview-otp.ts';
import { sendOtpInput } from '../../../modules/otp/send/send-otp.input.ts';
import type { PreviewLeg, ReplaceableCharacter, SendPreview } from '../../../modules/routing/preview-route.ts';
import { builder } from '../../builder.ts';
import { ChannelEnum } from '../../enums.ts';
import { byInput, defineEnum } from '../../from-zod.ts';
import { VerdictEnum } from './connection-verdict.ts';

const SmsEncodingEnum = defineEnum('SmsEncoding', ['gsm7', 'ucs2'], 'The alphabet of an SMS.', {
  gsm7: 'GSM 03.38: 160 characters, 153 in each of several parts.',
  ucs2: 'UCS-2: 70 units, 67 in each of several parts.',
});

const CharacterCostEnum = defineEnum('CharacterCost', ['ucs2', 'double'], 'Why a character makes an SMS longer.', {
  ucs2: 'It is not in the GSM alphabet, and makes the whole text UCS-2.',
  double: 'It is in the extension table of the GSM alphabet, and takes two places.',
});

const SentByEnum = defineEnum('SentBy', SENT_BY, 'Whose connections a channel goes by.', {
  account: 'The connections of the account.',
  shared: 'The shared connections, as the account has none of its own.',
  sandbox: 'The sandbox, as nothing is connected, or the number is one of its own.',
  nobody: 'None: the channel fails with `no_route`, which costs nothing.',
});

const CostlyCharacterRef = builder.objectRef<ReplaceableCharacter>('CostlyCharacter').implement({
  description: 'A character for which an SMS has more segments than it has letters.',
  fields: t => ({
    character: t.member('character', 'String', 'The character.'),
    codePoint: t.member('codePoint', 'String', 'Its code point, such as `U+2019`.'),
    count: t.member('count', 'Int', 'How often the text has it.'),
    cost: t.member('cost', CharacterCostEnum, 'Why it costs more.'),
    replacement: t.nullable(
      'replacement',
      'String',
      'What smart encoding puts for it, which may be nothing (an empty text); null: no character of the GSM alphabet looks like it.',
    ),
  }),
});

const ConsideredConnectionRef = builder.objectRef<Considered>('ConsideredConnection').implement({
  description: 'A connection of the channel, and why it is asked or not.',
  fields: t => ({
    connectionId: t.member('connectionId', 'ID', 'Its id, `con_…`.'),
    name: t.member('name', 'String', 'What the operator calls it.'),
    provider: t.member('provider', 'String', 'The id of its provider.'),
    verdict: t.member('verdict', VerdictEnum, 'Why it is asked, or is not.'),
    reason: t.nullable(
      'reason',
      'String',
      'Why it is sick, or its number writes to nobody new, in a sentence without counts; null: neither.',
    ),
  }),
});

const PreviewLegRef = builder.objectRef<PreviewLeg>('SendPreviewLeg').implement({
  description: 'A channel of the route, and who would take it.',
  fields: t => ({
    channel: t.member('channel', ChannelEnum, 'The channel.'),
    from: t.member(
      'from',
      'String',
      "The SMS sender name, the QR sender's number, or the cloud number; a number where a sender rule puts one in the place of a name.",
    ),
    refusal: t.nullable(
      'refusal',
      'String',
      'Why nobody is asked: a sender rule refuses the sender, or no connection can send the template; null: somebody is.',
    ),
    windowClosesAt: t.nullable(
      'windowClosesAt',
      'DateTime',
      'When the cloud chat with the recipient closes for free text, unless they write again; null: it is closed, or the channel or the send has no such hours.',
    ),
    sentBy: t.member('sentBy', SentByEnum, 'Whose connections it goes by.'),
    sandboxReason: t.nullable('sandboxReason', 'String', 'Why the sandbox takes it, in a sentence; null: it does not.'),
    connections: t.member(
      'considered',
      [ConsideredConnectionRef],
      'Those of the channel, in the order in which they would be asked, then those that would not be.',
    ),
  }),
});

const SendPreviewRef = builder.objectRef<SendPreview>('SendPreview').implement({
  description:
    'What `sendMessage` or `sendOtp` would do with the same input, and what it would cost. Nothing is sent or stored.',
  fields: t => ({
    recipient: t.member('recipient', 'String', 'The recipient, digits only.'),
    country: t.nullable('country', 'String', 'Its country, ISO 3166-1 alpha-2; null: the number does not tell.'),
    smsText: t.member(
      'smsText',
      'String',
      'The text as it would go by SMS: with smart encoding, if the account has it.',
    ),
    encoding: t.member('encoding', SmsEncodingEnum, 'The alphabet of the SMS.'),
    segments: t.member('segments', 'Int', 'SMS segments of the text.'),
    credits: t.member('credits', 'Int', 'What the SMS would cost; 0 where SMS is not among the channels.'),
    costly: t.member(
      'costly',
      [CostlyCharacterRef],
      'The characters for which the SMS is longer than its letters, each once.',
    ),
    legs: t.member('legs', [PreviewLegRef], 'The channels in the order in which they would be tried, or all at once.'),
  }),
});

builder.queryFields(t => ({
  previewSend: t.field({
    type: SendPreviewRef,
    description:
      'What `sendMessage` would do with this input: segments, credits, the characters that cost, and the connections that would be asked. Tokens: unified; sms (channel `SMS` only).',
    policy: { opens: ['unified', 'sms'], right: 'reply', plan: 'unified' },
    ...byInput(sendMessageInput, 'The message.', previewSend),
  }),
  previewOtp: t.field({
    type: SendPreviewRef,
    description:
      'What `sendOtp` would do with this input, with zeros for the code. Limits, cooldown and fraud guard are not asked. Tokens: unified; otp (channel `SMS` only).',
    policy: {
      opens: ['unified', 'otp'],
      right: 'send',
      plan: 'unified',
      isForServers: true,
    },
    ...byInput(sendOtpInput, 'The passcode.', previewOtp),
  }),
}));
