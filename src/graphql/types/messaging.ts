/** Messages in GraphQL: `sendMessage`, `message`, `messages`. */

import type { Ctx } from '../../context.ts';
import { ORDINARY } from '../../kernel/field-policy.ts';
import { findMessage, listMessages, loadAttempts } from '../../modules/messaging/list-messages.ts';
import { Message } from '../../modules/messaging/message.entity.ts';
import { sendMessageInput } from '../../modules/messaging/send-message.input.ts';
import { sendMessage } from '../../modules/messaging/send-message.ts';
import type { ChannelAttempt } from '../../modules/routing/attempt.entity.ts';
import { builder } from '../builder.ts';
import { toConnection } from '../connection.ts';
import { ChannelEnum, DeliveryModeEnum, StatusEnum } from '../enums.ts';

/** A message that was just sent has its attempts; those of a page are loaded by one query. */
async function attemptsOf(messages: readonly Message[], ctx: Ctx): Promise<ChannelAttempt[][]> {
  const bare = messages.filter(({ attempts }) => !attempts);
  const loaded =
    bare.length === 0
      ? []
      : await loadAttempts(
          ctx,
          bare.map(({ id }) => id),
        );
  return messages.map(message => message.attempts ?? loaded[bare.indexOf(message)] ?? []);
}

/** `Attempt` */
export const AttemptRef = builder.objectRef<ChannelAttempt>('Attempt').implement({
  description: 'One try to hand a message or a passcode to one provider over one channel.',
  fields: t => ({
    id: t.exposeID('id', { description: 'The same as `attemptId`, for client caches.' }),
    attemptId: t.exposeString('id', { description: 'Id of the attempt, `att_…`.' }),
    channel: t.expose('channel', { type: ChannelEnum, description: 'The channel that was tried.' }),
    provider: t.exposeString('provider', {
      nullable: true,
      description: 'The provider that the attempt went through; null: none is connected for its channel (`no_route`).',
    }),
    status: t.expose('status', { type: StatusEnum, description: 'Where the attempt stands.' }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      description: 'Why it failed, in a word; null where it did not.',
    }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Why it failed, in a sentence; null where it did not.',
    }),
    segments: t.expose('segments', {
      type: 'NonNegativeInt',
      description: 'SMS segments of the text; 0 on chat channels.',
    }),
    credits: t.expose('credits', {
      type: 'NonNegativeInt',
      description: 'SMS credits that it costs; 0 where nothing was accepted.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it was started.' }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its outcome was known; null while it is under way.',
      resolve: attempt => attempt.finishedAt ?? null,
    }),
  }),
});

/** `Message` */
const MessageRef = builder.objectType(Message, {
  name: 'Message',
  description: 'One text to one recipient, with every attempt that was made for it.',
  fields: t => ({
    id: t.exposeID('id', { description: 'The same as `messageId`, for client caches.' }),
    messageId: t.exposeString('id', { description: 'Id of the message, `msg_…`.' }),
    reference: t.exposeString('reference', {
      nullable: true,
      description: 'Your own reference; null where none was given.',
    }),
    recipient: t.exposeString('recipient', { description: 'The recipient in digits-only form.' }),
    text: t.exposeString('text', { description: 'The text.' }),
    status: t.expose('status', { type: StatusEnum, description: 'Where the message stands.' }),
    deliveryMode: t.expose('deliveryMode', { type: DeliveryModeEnum, description: 'How its channels were used.' }),
    channels: t.field({
      type: [ChannelEnum],
      description: 'The channels of the request, in order.',
      resolve: message => message.channels,
    }),
    channel: t.expose('channel', {
      type: ChannelEnum,
      nullable: true,
      description: 'The first channel that was accepted; null: none.',
    }),
    sender: t.exposeString('sender', {
      nullable: true,
      description: 'The SMS sender name; null where SMS is not among the channels.',
    }),
    chatFrom: t.exposeString('chatFrom', {
      nullable: true,
      description: 'The QR sender number; null where chat_qr is not among the channels.',
    }),
    segments: t.expose('segments', {
      type: 'NonNegativeInt',
      description: 'SMS segments of the text, at most 10 where it goes by SMS.',
    }),
    attempts: t.loadableList({
      type: AttemptRef,
      description: 'The attempts in the order in which they were made.',
      resolve: message => message,
      load: attemptsOf,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was accepted.' }),
  }),
});

const CloudTemplateInput = builder.inputType('CloudTemplateInput', {
  description: 'An approved template of the cloud channel.',
  fields: t => ({
    name: t.string({ required: true, description: 'Name of the template.' }),
    language: t.string({ required: true, description: 'Language of the template, like `en_US`.' }),
    components: t.field({
      type: ['JSONObject'],
      description: 'The components of the template, handed to the provider as they are.',
    }),
  }),
});

const SendMessageInput = builder.inputType('SendMessageInput', {
  description: 'One text to one recipient.',
  fields: t => ({
    to: t.string({ required: true, description: 'Recipient phone number with country code, with or without `+`.' }),
    text: t.string({ required: true, description: 'The text, 1 to 1,600 characters, at most 10 segments by SMS.' }),
    channels: t.field({
      type: [ChannelEnum],
      description: 'The channels in order of preference. Absent: every channel whose own fields are present.',
    }),
    deliveryMode: t.field({
      type: DeliveryModeEnum,
      description: 'How several channels are used. Absent: `FALLBACK`.',
    }),
    chatFrom: t.string({ description: 'Number of the QR sender. Required for `CHAT_QR`.' }),
    sender: t.string({ description: 'Approved SMS sender name. Required for `SMS`.' }),
    cloudTemplate: t.field({
      type: CloudTemplateInput,
      description: 'Template settings. Required for `CHAT_CLOUD` where the cloud number takes templates only.',
    }),
    reference: t.string({
      description:
        'Your own idempotency reference, 1 to 255 visible characters: the same request with the same reference is sent once in 30 days. The header `Idempotency-Key` does the same.',
    }),
  }),
});

const MessageConnection = builder.connectionObject(
  { type: MessageRef, name: 'MessageConnection', description: 'A page of messages.' },
  { name: 'MessageEdge', description: 'A message and its cursor.' },
);

const MessageFilter = builder.inputType('MessageFilter', {
  description: 'Which messages to list; what is absent does not narrow.',
  fields: t => ({
    status: t.field({ type: StatusEnum, description: 'Messages that stand there.' }),
    channel: t.field({ type: ChannelEnum, description: 'Messages that were accepted by this channel.' }),
    recipient: t.string({ description: 'Messages to this phone number.' }),
    reference: t.string({ description: 'Messages with this reference.' }),
    from: t.field({ type: 'DateTime', description: 'Messages accepted at this time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Messages accepted before this time.' }),
  }),
});

builder.mutationField('sendMessage', t =>
  t.field({
    type: MessageRef,
    description:
      'Sends a text over the channels of its route. A message that no channel accepted is answered with status `FAILED`, not as an error. Tokens: unified; sms (channel `SMS` only).',
    policy: { ...ORDINARY, opens: ['unified', 'sms'], plan: 'unified', isAlone: true, deadlineFor: 'nobody' },
    args: {
      input: t.arg({
        type: SendMessageInput,
        required: true,
        description: 'The message.',
        validate: { schema: sendMessageInput },
      }),
    },
    resolve: (_root, { input }, ctx) => sendMessage(ctx, input),
  }),
);

builder.queryFields(t => ({
  message: t.field({
    type: MessageRef,
    nullable: true,
    description: 'A message of the account; null where there is none. Tokens: unified, sms (its own), management.',
    policy: { ...ORDINARY, opens: ['unified', 'sms', 'management'] },
    args: { id: t.arg.string({ required: true, description: 'Id of the message, `msg_…`.' }) },
    resolve: (_root, { id }, ctx) => findMessage(ctx, id),
  }),
  messages: t.field({
    type: MessageConnection,
    description: 'The messages of the account, newest first. Tokens: unified, sms (its own), management.',
    policy: { ...ORDINARY, opens: ['unified', 'sms', 'management'] },
    args: {
      first: t.arg.int({ description: 'How many, 1 to 200; 50 where absent.' }),
      after: t.arg.string({ description: 'The `endCursor` of the page before.' }),
      filter: t.arg({ type: MessageFilter, description: 'Which messages.' }),
    },
    resolve: async (_root, args, ctx) => toConnection(await listMessages(ctx, args)),
  }),
}));
