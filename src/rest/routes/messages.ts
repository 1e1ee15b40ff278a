/** The paths that send messages. */
import type { z } from 'zod';
import { AppError } from '../../kernel/errors.ts';
import { messageData } from '../../modules/answers/message.data.ts';
import { type SendMessageInput, sendMessageInput } from '../../modules/messaging/send-message.input.ts';
import { lowerWords, upperRoute } from '../enum-case.ts';
import { failure, type PlainAnswer, type Shown, success } from '../envelope.ts';
import { mount, type Route, type RouteOptions } from '../mount.ts';

const sendOptions: Omit<RouteOptions<SendMessageInput, 'send-message'>, 'summary' | 'description' | 'area'> = {
  input: sendMessageInput,
  variables: input => ({ input: upperRoute(input) }),
  answer: (result, requestId) => answerSend(lowerWords(result), requestId),
  data: messageData,
  failures: [402, 403, 409, 422, 502],
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

/** `POST /api/omni/send` and `POST /api/sms/send`. */
export const messageRoutes: readonly Route[] = [
  mount('send-message').at('POST', '/api/omni/send', {
    ...sendOptions,
    summary: 'Send a message',
    description:
      'Sends a text over the selected channels, one after another (fallback) or all at once. Every channel attempt is logged.',
    area: 'unified',
  }),
  mount('send-message').at('POST', '/api/sms/send', {
    ...sendOptions,
    summary: 'Send an SMS',
    description: 'Sends a text by SMS. Takes the SMS token.',
    area: 'sms',
  }),
];
