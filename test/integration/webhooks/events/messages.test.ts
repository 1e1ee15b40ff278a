import { describe, expect, test } from 'vitest';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { MESSAGE } from '../../../../src/modules/messaging/message-kind.ts';
import { recoverSends } from '../../../../src/modules/routing/recovery/recover.ts';
import { acceptedOutcome } from '../../../support/app.ts';
import { putUnderWay } from '../../../support/messaging/put-under-way.ts';
import { REFUSED } from '../../../support/messaging/scripted-sends.ts';
import { makeAccount, OPERATOR } from '../../../support/services.ts';
import { setUpTelling } from '../../../support/webhooks/event-fixture.ts';
import { makeEndpoint, storedEvents } from '../../../support/webhooks/stored-webhooks.ts';

const { account, answerWith, names, only, report, send, sendBoth, t } = setUpTelling();

/** The outcome of a provider that said nothing in time. */
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'timeout', message: 'No answer.' };

describe('the events of a message', () => {
  test('an account without an endpoint has none', async () => {
    await send();
    expect(await names()).toEqual([]);
  });

  test('a unified message that was accepted', async () => {
    await makeEndpoint(t, account.accountId);
    await send();
    expect(await names()).toEqual(['sms.sent', 'message.sent', 'message.routed']);
  });

  test('only those that are subscribed to are written', async () => {
    await makeEndpoint(t, account.accountId, { events: ['message.routed'] });
    await send();
    expect(await names()).toEqual(['message.routed']);
  });

  test('an endpoint of another account hears nothing', async () => {
    const other = await makeAccount(t.services);
    await makeEndpoint(t, other.accountId);
    await send();
    expect(await storedEvents(t, other.accountId)).toEqual([]);
  });

  test('tell what REST answers', async () => {
    await makeEndpoint(t, account.accountId);
    const message = await sendBoth('fallback');
    const { data } = await only('message.sent');
    const { id, reference, recipient, status, deliveryMode, channel, segments, attempts = [], createdAt } = message;
    expect(data).toEqual({
      messageId: id,
      reference: reference ?? null,
      recipient,
      status,
      deliveryMode,
      channel,
      segments,
      createdAt: createdAt.toISOString(),
      attempts: attempts.map(attempt => ({
        attemptId: attempt.id,
        channel: attempt.channel,
        provider: attempt.provider,
        status: attempt.status,
        errorCode: attempt.errorCode ?? null,
        errorMessage: attempt.errorMessage ?? null,
        segments: attempt.segments,
        credits: attempt.credits,
        startedAt: attempt.startedAt.toISOString(),
        finishedAt: attempt.finishedAt?.toISOString() ?? null,
      })),
    });
  });

  test('a fallback tells of the SMS that failed and of the message that was sent', async () => {
    await makeEndpoint(t, account.accountId);
    answerWith(({ channel }) => (channel === 'sms' ? REFUSED : acceptedOutcome()));
    await sendBoth('fallback', ['sms', 'chat_qr']);
    expect(await names()).toEqual(['sms.failed', 'message.sent', 'message.routed']);
    const { data } = await only('message.sent');
    expect(data).toMatchObject({
      status: 'sent',
      channel: 'chat_qr',
      attempts: [{ status: 'failed' }, { status: 'sent' }],
    });
  });

  test('a message that no channel accepted', async () => {
    await makeEndpoint(t, account.accountId);
    answerWith(() => REFUSED);
    await sendBoth('fallback');
    expect(await names()).toEqual(['sms.failed', 'message.failed', 'message.routed']);
    expect((await only('message.failed')).data).toMatchObject({ status: 'failed', channel: null });
  });

  test('`all` is one message, however many channels accept it', async () => {
    await makeEndpoint(t, account.accountId);
    await sendBoth('all');
    const told = await names();
    expect(told.toSorted()).toEqual(['message.routed', 'message.sent', 'sms.sent']);
    expect((await only('message.routed')).data.attempts).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
  });

  test('a direct SMS is told of as an SMS', async () => {
    await makeEndpoint(t, account.accountId);
    const { id, recipient } = await send({}, 'sms');
    expect(await names()).toEqual(['sms.sent']);
    expect((await only('sms.sent')).data).toMatchObject({
      messageId: id,
      pinId: null,
      recipient,
      status: 'sent',
      channel: 'sms',
    });
  });

  test('an outcome that nobody knows is routed, and told when a receipt proves it', async () => {
    await makeEndpoint(t, account.accountId);
    answerWith(() => UNKNOWN);
    const message = await send();
    expect(await names()).toEqual(['message.routed']);
    await t.sql(`update attempts set provider_message_id = 'late-1' where message_id = $1`, [toUuid(message.id)]);
    await report('late-1', 'delivered');
    await report('late-1', 'delivered');
    expect(await names()).toEqual(['message.routed', 'sms.sent', 'message.sent']);
    expect((await only('message.sent')).data).toMatchObject({ status: 'delivered', channel: 'sms' });
  });

  test('a receipt that only confirms tells nothing', async () => {
    await makeEndpoint(t, account.accountId);
    const message = await send();
    await report(message.attempts?.[0]?.providerMessageId, 'delivered');
    expect(await names()).toEqual(['sms.sent', 'message.sent', 'message.routed']);
  });

  test('a receipt that reports it undelivered tells that it failed', async () => {
    await makeEndpoint(t, account.accountId);
    const message = await send();
    await report(message.attempts?.[0]?.providerMessageId, 'failed');
    expect(await names()).toEqual(['sms.sent', 'message.sent', 'message.routed', 'sms.failed', 'message.failed']);
  });

  test('what a dead process left is told once, by who recovers it', async () => {
    await makeEndpoint(t, account.accountId);
    const message = await send();
    await t.sql('delete from webhook_events');
    await putUnderWay(t.sql, message.id);
    await recoverSends(t.ctxFor(OPERATOR), MESSAGE);
    await recoverSends(t.ctxFor(OPERATOR), MESSAGE);
    expect(await names()).toEqual(['message.routed']);
  });
});
