/** A message as a send: what its attempts carry, and what its end means. */
import { maskPhone } from '../../kernel/phone.ts';
import { outcomeOf, templateFor } from '../routing/routing.policy.ts';
import type { SendKind } from '../routing/send-kind.ts';
import { defineSettle } from '../routing/settle.ts';
import { messageOutcome, messageRouted } from '../webhooks/event-data.sql.ts';
import { storeAnswer } from './answer.ts';
import type { Message } from './message.entity.ts';

/** Messages on their way. */
export const MESSAGE: SendKind<Message> = {
  attemptOf: ({ id, reference }) => ({
    type: 'message_attempt',
    messageId: id,
    pinId: null,
    resend: null,
    reference,
    country: null,
  }),
  contentOf: (_ctx, { text, cloudTemplate }, channel) => ({
    text,
    template: templateFor(channel, cloudTemplate),
    secret: null,
  }),
  end(message, attempts) {
    const outcome = outcomeOf(attempts);
    Object.assign(message, outcome);
    const { reference } = message;
    return { ...outcome, kept: reference == null ? null : { reference, answer: storeAnswer(message, attempts) } };
  },
  table: 'messages',
  settle: defineSettle({
    table: 'messages',
    key: 'message_id',
    events: attempts => [
      messageOutcome('held', 'held', 'held.is_over', attempts),
      messageRouted('held', 'held', 'held.is_over', attempts),
    ],
  }),
  routed(ctx, { id, status, channel, recipient, deliveryMode }) {
    ctx.services.metrics.messages.inc({ delivery_mode: deliveryMode, status });
    if (!ctx.log.isLevelEnabled('debug')) return;
    ctx.log.debug({ messageId: id, status, channel, recipient: maskPhone(recipient) }, 'a message was routed');
  },
};
