import { describe, expect, test } from 'vitest';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { MESSAGE } from '../../../../src/modules/messaging/message-kind.ts';
import { OTP } from '../../../../src/modules/otp/send/otp-kind.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { recoverSends } from '../../../../src/modules/routing/recovery/recover.ts';
import { routeSend } from '../../../../src/modules/routing/route-send.ts';
import { acceptedOutcome } from '../../../support/app.ts';
import { putUnderWay } from '../../../support/messaging/put-under-way.ts';
import { REFUSED } from '../../../support/messaging/scripted-sends.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { OPERATOR, storedMessage } from '../../../support/services.ts';
import { setUpTelling } from '../../../support/webhooks/event-fixture.ts';
import { makeEndpoint } from '../../../support/webhooks/stored-webhooks.ts';

const { account, answerWith, names, report, send, sendBoth, t } = setUpTelling();

describe('a process that was overtaken', () => {
  /** Lets providers wait for their outcome, recovers what waits for them, and then gives it to them. */
  async function overtake(begin: () => Promise<unknown>, late: SendOutcome): Promise<void> {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<SendOutcome>();
    answerWith(() => {
      asked.resolve();
      return answer.promise;
    });
    const sending = begin().then(
      () => 'answered',
      error => error.code,
    );
    await asked.promise;
    for (const table of ['messages', 'otps'])
      await t.sql(`update ${table} set lease_until = now() - interval '1 s' where account_id = $1`, [
        toUuid(account.accountId),
      ]);
    await recoverSends(t.ctxFor(OPERATOR), MESSAGE);
    await recoverSends(t.ctxFor(OPERATOR), OTP);
    answer.resolve(late);
    expect(await sending).toBe('overloaded');
  }
  const statusOf = async (table: 'messages' | 'otps') =>
    (
      await t.sql<{ status: string; channel: string | null }>(
        `select status, channel from ${table} where account_id = $1`,
        [toUuid(account.accountId)],
      )
    )[0];

  test('tells late that a message was sent', async () => {
    await makeEndpoint(t, account.accountId);
    await overtake(send, acceptedOutcome());
    expect(await names()).toEqual(['message.routed', 'sms.sent', 'message.sent']);
    expect(await statusOf('messages')).toEqual({ status: 'sent', channel: 'sms' });
  });

  test('tells late that a message failed', async () => {
    await makeEndpoint(t, account.accountId);
    await overtake(send, REFUSED);
    expect(await names()).toEqual(['message.routed', 'sms.failed', 'message.failed']);
    expect(await statusOf('messages')).toEqual({ status: 'failed', channel: null });
  });

  test('tells late that an OTP was sent', async () => {
    await makeEndpoint(t, account.accountId);
    await overtake(() => sendOtp(t.ctxFor(account.actor('unified')), { to: `+${newRecipient()}` }), acceptedOutcome());
    expect(await names()).toEqual(['sms.sent', 'otp.sent']);
    expect(await statusOf('otps')).toEqual({ status: 'sent', channel: 'sms' });
  });
});

describe('a message over all channels', () => {
  test('fails where a receipt takes one back before the other is refused', async () => {
    await makeEndpoint(t, account.accountId);
    const refusal = Promise.withResolvers<SendOutcome>();
    const accepted = { kind: 'accepted', providerMessageId: `taken-back-${newRecipient()}` } as const;
    answerWith(({ channel }) => (channel === 'sms' ? refusal.promise : accepted));
    const sending = sendBoth('all');
    await expect.poll(async () => (await report(accepted.providerMessageId, 'failed'))[0]).toBe('raised');
    refusal.resolve(REFUSED);
    const { id } = await sending;
    expect(await names()).toEqual(['sms.failed', 'message.failed', 'message.routed']);
    expect(await storedMessage(t, id)).toMatchObject({ status: 'failed' });
  });

  test('is sent by its last attempt, though a provider took another one back before', async () => {
    await makeEndpoint(t, account.accountId);
    const last = Promise.withResolvers<SendOutcome>();
    const accepted = { kind: 'accepted', providerMessageId: `taken-back-${newRecipient()}` } as const;
    answerWith(({ channel }) => (channel === 'sms' ? last.promise : accepted));
    const sending = sendBoth('all');
    await expect.poll(async () => (await report(accepted.providerMessageId, 'failed'))[0]).toBe('raised');
    last.resolve(acceptedOutcome());
    const { id } = await sending;
    expect((await names()).toSorted()).toEqual(['message.routed', 'message.sent', 'sms.sent']);
    expect(await storedMessage(t, id)).toMatchObject({ status: 'sent' });
  });

  test('leaves no attempt pending where its outcome could not be stored at once', async () => {
    await makeEndpoint(t, account.accountId);
    const message = await sendBoth('all');
    await t.sql('delete from webhook_events where account_id = $1', [toUuid(account.accountId)]);
    const lease = await putUnderWay(t.sql, message.id, 'held');
    const held = Promise.withResolvers<SendOutcome>();
    answerWith(({ channel }) => (channel === 'sms' ? held.promise : acceptedOutcome()));
    let settles = 0;
    const kind: typeof MESSAGE = {
      ...MESSAGE,
      settle: database => item => {
        settles += 1;
        if (settles > 1) return MESSAGE.settle(database)(item);
        held.resolve(acceptedOutcome());
        return Promise.reject(new Error('the database failed over'));
      },
    };
    // The first attempts are paid already.
    const attempts = (message.attempts ?? []).map(attempt => ({
      ...attempt,
      id: newId('att'),
      status: 'pending' as const,
    }));
    const routing = { send: message, kind, lease, shortage: null, attempts, rest: [] };
    await expect(routeSend(t.ctxFor(account.actor('unified')), routing)).resolves.toHaveLength(2);
    await expect
      .poll(async () => (await storedMessage(t, message.id)).attempts.map(({ status }) => status))
      .toEqual(['sent', 'sent']);
    expect((await names()).toSorted()).toEqual(['message.routed', 'message.sent', 'sms.sent']);
  });
});
