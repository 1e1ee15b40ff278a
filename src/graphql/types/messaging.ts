/** Messages in GraphQL: `sendMessage`, `message`, `messages`. */
import { messageData } from '../../modules/answers/message.data.ts';
import { findMessage, listMessages, loadAttempts } from '../../modules/messaging/list-messages.ts';
import { Message } from '../../modules/messaging/message.entity.ts';
import { listMessagesInput } from '../../modules/messaging/message-filter.input.ts';
import { resendMessage } from '../../modules/messaging/resend-message.ts';
import { replyInput, resendMessageInput, sendMessageInput } from '../../modules/messaging/send-message.input.ts';
import { sendMessage } from '../../modules/messaging/send-message.ts';
import { builder } from '../builder.ts';
import { connectionOf, SHORT_PAGES, toConnection } from '../connection.ts';
import { ChannelEnum } from '../enums.ts';
import { argsFrom, byInput, fieldsFrom } from '../from-zod.ts';
import { heldOrLoaded } from '../held-or-loaded.ts';
import { timedFallback } from '../timed-fallback.ts';
import { AttemptRef } from './attempts.ts';
import { MESSAGE_TIMELINE } from './timeline/timeline.ts';

/** `Message` */
export const MessageRef = builder.objectType(Message, {
  name: 'Message',
  description: 'One text to one recipient, with every attempt that was made for it.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `messageId`, for client caches.'),
    ...fieldsFrom(
      t,
      messageData.omit({ attempts: true }),
      { messageId: message => message.id },
      `id accountId area text channels chatFrom sender cloudTemplate smartEncoded leaseUntil underWay held
      heldOn fallbackAfter successStatus goesToSuppressed attempts`,
    ),
    text: t.member('text', 'String', 'The text; empty after `TEXT_RETENTION_DAYS`.'),
    smartEncoded: t.member(
      'smartEncoded',
      'Boolean',
      'Whether the SMS carries the text with its typographic characters as GSM ones (`smartEncoding` of the account).',
    ),
    channels: t.member('channels', [ChannelEnum], 'The channels of the request, in order.'),
    sender: t.nullable('sender', 'String', 'The SMS sender name; null where SMS is not among the channels.'),
    chatFrom: t.nullable('chatFrom', 'String', 'The QR sender number; null where chat_qr is not among the channels.'),
    ...timedFallback(t),
    attempts: t.field({
      type: [AttemptRef],
      description: 'The attempts in the order of the route, then of time.',
      // A message that was just sent has them.
      resolve: heldOrLoaded(message => message.attempts, loadAttempts),
    }),
    timeline: t.field(MESSAGE_TIMELINE),
  }),
});

const MessageConnection = connectionOf(MessageRef, 'Message', 'messages', 'A message');

/** The policy of every mutation that sends a message. */
const sending = {
  opens: ['unified', 'sms'],
  plan: 'unified',
  isAlone: true,
  deadlineFor: 'nobody',
} as const;

builder.mutationFields(t => ({
  sendMessage: t.field({
    type: MessageRef,
    description:
      'Sends a text over the channels of its route. A message that no channel accepted is answered with status `FAILED`, not as an error. Tokens: unified; sms (channel `SMS` only).',
    policy: { ...sending, right: 'send' },
    ...byInput(sendMessageInput, 'The message.', sendMessage),
  }),
  reply: t.field({
    type: MessageRef,
    description:
      'Answers a message that came in: what `sendMessage` does with `replyTo`, for those who may not send to anybody else. Tokens: unified; sms (channel `SMS` only).',
    policy: { ...sending, right: 'reply' },
    ...byInput(replyInput, 'The answer.', sendMessage),
  }),
  resendMessage: t.field({
    type: MessageRef,
    description:
      'Sends the text of a message once more, as a new message to the same recipient over the same route, and answers that one. It costs what any send costs. Tokens: unified; sms (its own).',
    policy: { ...sending, right: 'resend' },
    ...byInput(resendMessageInput, 'The message.', resendMessage),
  }),
}));

builder.queryFields(t => ({
  message: t.field({
    type: MessageRef,
    nullable: true,
    description: 'A message of the account; null where there is none. Tokens: unified, sms (its own), management.',
    policy: { opens: ['unified', 'sms', 'management'] },
    args: { id: t.arg.string({ required: true, description: 'Id of the message, `msg_…`.' }) },
    resolve: (_root, { id }, ctx) => findMessage(ctx, id),
  }),
  messages: t.field({
    type: MessageConnection,
    description: `The messages of the account, newest first. ${SHORT_PAGES} Tokens: unified, sms (its own), management.`,
    policy: { opens: ['unified', 'sms', 'management'], plan: 'tokens' },
    ...argsFrom(listMessagesInput),
    resolve: async (_root, args, ctx) => toConnection(await listMessages(ctx, args)),
  }),
}));
