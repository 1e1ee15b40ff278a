/** The paths that send messages. */
import type { z } from 'zod';
import { AppError } from '../../kernel/errors.ts';
import { messageData } from '../../modules/answers/message.data.ts';
import { directSmsInput, type SendMessageInput, sendMessageInput } from '../../modules/messaging/send-message.input.ts';
import { senderInput, smsChannelsInput } from '../../modules/routing/route.input.ts';
import { lowerWords } from '../enum-case.ts';
import { failure, type PlainAnswer, type Shown, success } from '../envelope.ts';
import { mount, type Route, type RouteOptions } from '../mount.ts';
import { FAILED_ATTEMPT, SENT_ATTEMPT, SENT_MESSAGE } from './samples.ts';

type Documented = 'input' | 'id' | 'tag' | 'summary' | 'description' | 'area' | 'examples' | 'badRequest';

/** The input of a direct SMS, without the fields of other channels. */
const sendSmsInput = directSmsInput.extend({ channels: smsChannelsInput, sender: senderInput }).meta({
  id: 'SendSmsInput',
  description: 'One text to one recipient by SMS',
  example: { to: '+12025550100', sender: 'DEMO', text: 'Your parcel arrives today.' },
});

const sendOptions: Omit<RouteOptions<SendMessageInput, 'send-message'>, Documented> = {
  variables: input => ({ input }),
  answer: (result, requestId) => answerSend(lowerWords(result), requestId),
  data: messageData,
  errors: [
    'insufficient_balance',
    'sender_not_approved',
    'recipient_suppressed',
    'reference_in_flight',
    'reference_reused',
    'all_channels_failed',
  ],
  hasIdempotencyKey: true,
};

function answerSend(message: Shown<z.infer<typeof messageData>>, requestId: string): PlainAnswer {
  if (message.status === 'failed')
    return failure(new AppError('all_channels_failed', 'No channel accepted the message.'), requestId, 'problem', {
      data: message,
    });
  return success(
    message.status === 'unknown' ? 'The outcome is not known: the provider did not answer.' : 'The message was sent.',
    message,
  );
}

const TEXT = 'Your parcel arrives today.';
const LOST = { status: 'FAILED', channel: null, attempts: [FAILED_ATTEMPT] } as const;
const ON_CHAT = {
  attemptId: 'att_01a2018495c97990aa5329243d8984a0',
  channel: 'CHAT_QR',
  segments: 0,
  credits: 0,
} as const;
const SENT_CHAT = { ...SENT_ATTEMPT, ...ON_CHAT };
const REFUSED_CHAT = {
  ...FAILED_ATTEMPT,
  ...ON_CHAT,
  errorCode: 'recipient_not_found',
  errorMessage: 'The recipient is not on this chat.',
};

/** `POST /api/omni/send` and `POST /api/sms/send`. */
export const messageRoutes: readonly Route[] = [
  mount('send-message').at('POST', '/api/omni/send', {
    ...sendOptions,
    input: sendMessageInput,
    id: 'sendMessage',
    tag: 'Messages',
    summary: 'Send a message',
    description:
      'Sends a text over the selected channels, one after another (fallback) or all at once. Every channel attempt is logged.',
    area: 'unified',
    examples: [
      {
        name: 'sms',
        summary: 'By SMS',
        request: { to: '+12025550100', text: TEXT, channels: ['sms'], sender: 'DEMO', reference: 'order-2042' },
        result: { ...SENT_MESSAGE, reference: 'order-2042' },
      },
      {
        name: 'fallback',
        summary: 'By chat, else by SMS',
        request: {
          to: '+12025550102',
          text: TEXT,
          channels: ['chat_qr', 'sms'],
          deliveryMode: 'fallback',
          chatFrom: '15550000001',
          sender: 'DEMO',
        },
        result: { ...SENT_MESSAGE, recipient: '12025550102', attempts: [REFUSED_CHAT, SENT_ATTEMPT] },
      },
      {
        name: 'all',
        summary: 'By chat and by SMS at once',
        request: {
          to: '+12025550100',
          text: TEXT,
          channels: ['chat_qr', 'sms'],
          deliveryMode: 'all',
          chatFrom: '15550000001',
          sender: 'DEMO',
        },
        result: { ...SENT_MESSAGE, deliveryMode: 'ALL', channel: 'CHAT_QR', attempts: [SENT_CHAT, SENT_ATTEMPT] },
      },
      {
        name: 'failed',
        summary: 'No channel accepts it (a number of the sandbox)',
        request: { to: '+12025550104', text: TEXT, sender: 'DEMO' },
        result: { ...SENT_MESSAGE, ...LOST, recipient: '12025550104' },
      },
    ],
    badRequest: { to: '0100', text: TEXT, sendr: 'DEMO' },
  }),
  mount('send-message').at('POST', '/api/sms/send', {
    ...sendOptions,
    input: sendSmsInput,
    id: 'sendSms',
    tag: 'SMS',
    summary: 'Send an SMS',
    description: 'Sends a text by SMS. Takes the SMS token.',
    area: 'sms',
    examples: [
      {
        name: 'sms',
        summary: 'One SMS',
        request: { to: '+12025550100', sender: 'DEMO', text: TEXT, reference: 'order-2043' },
        result: { ...SENT_MESSAGE, reference: 'order-2043' },
      },
      {
        name: 'failed',
        summary: 'It is not accepted (a number of the sandbox)',
        request: { to: '+12025550101', sender: 'DEMO', text: TEXT },
        result: { ...SENT_MESSAGE, ...LOST, recipient: '12025550101' },
      },
    ],
    badRequest: { to: '0100', text: TEXT, sendr: 'DEMO' },
  }),
];
