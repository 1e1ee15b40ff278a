/** A message as a send: what its attempts carry, and what its end means. */
import { runSql } from '../../db/statements/sql.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import { maskPhone } from '../../kernel/phone.ts';
import { Attempt, isChannelAttempt } from '../routing/attempt.entity.ts';
import { resumeRouting } from '../routing/recovery/recover.ts';
import { outcomeOf, templateFor, textFor } from '../routing/routing.policy.ts';
import type { SendKind } from '../routing/send-kind.ts';
import { defineSettle } from '../routing/settle.ts';
import { withUnderWay } from '../routing/under-way.ts';
import { isOnList } from '../suppressions/is-on-list.ts';
import { messageOutcome, messageRouted } from '../webhooks/events/event-data.sql.ts';
import { storeAnswer } from './answer.ts';
import { Message } from './message.entity.ts';

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
  contentOf: (_ctx, message, channel) => ({
    text: textFor(channel, message.text, message),
    template: templateFor(channel, message.cloudTemplate),
    secret: null,
    validitySeconds: null,
  }),
  end(message, attempts) {
    const outcome = outcomeOf(attempts);
    Object.assign(message, outcome);
    const { reference } = message;
    const answer = reference == null ? null : storeAnswer(message, attempts);
    return { ...outcome, kept: reference == null || answer === null ? null : { reference, answer } };
  },
  purpose: 'message',
  table: 'messages',
  settle: defineSettle({
    table: 'messages',
    key: 'message_id',
    events: (sends, attempts) => [
      messageOutcome(sends, sends, `${sends}.is_over and ${sends}.is_news`, attempts),
      messageRouted(sends, sends, `${sends}.is_over and not ${sends}.waits`, attempts),
    ],
  }),
  idOf: uuid => fromUuid('msg', uuid),
  async resume(ctx, id, lease, known) {
    const em = ctx.services.database.fork();
    const send = await em.findOneOrFail(Message, { id });
    const made = await em.find(Attempt, { messageId: id });
    const attempts = withUnderWay(made.filter(isChannelAttempt), send, MESSAGE.attemptOf(send));
    const isSuppressed = await isOnList(ctx, send);
    await resumeRouting(ctx, MESSAGE, { send, lease, attempts, isWanted: true, isSuppressed, known });
  },
  async withdrawn(ctx, { id, accountId, area, reference }) {
    if (reference == null) return;
    await runSql(
      ctx.services.database.sql(),
      'delete from idempotency_keys where account_id = $1 and area = $2 and reference = $3 and message_id = $4',
      [toUuid(accountId), area, reference, toUuid(id)],
    );
  },
  routed(ctx, { id, status, channel, recipient, deliveryMode }) {
    ctx.services.metrics.messages.inc({ delivery_mode: deliveryMode, status });
    if (!ctx.log.isLevelEnabled('debug')) return;
    ctx.log.debug({ messageId: id, status, channel, recipient: maskPhone(recipient) }, 'a message was routed');
  },
};
