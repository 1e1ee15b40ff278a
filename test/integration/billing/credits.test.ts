import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import type { Status } from '../../../src/kernel/status.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { verifyOtp } from '../../../src/modules/otp/verify/verify-otp.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { acceptedOutcome } from '../../support/app.ts';
import { adjust } from '../../support/billing/money-audit.ts';
import { setUpMoney, textOf } from '../../support/billing/money-fixture.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { REFUSED, UNKNOWN } from '../../support/messaging/scripted-sends.ts';
import { makePin, newRecipient, wrongCode } from '../../support/otp/pins.ts';
import { refusal } from '../../support/refusal.ts';
import { OPERATOR } from '../../support/services.ts';
import { makeEndpoint, storedEvents } from '../../support/webhooks/stored-webhooks.ts';

const { account, answerWith, asked, holdAnswer, money, send, sendBoth, sendCode, startWith, t, takeOver } =
  setUpMoney();

const SHORT = refusal('insufficient_balance');

/** The outcomes of the attempts, in the order of the route. */
function outcomes(
  attempts: readonly { channel: string; status: Status; errorCode?: string | null | undefined }[] = [],
) {
  return attempts.map(({ channel, status, errorCode }) => `${channel} ${status}${errorCode ? ` ${errorCode}` : ''}`);
}

/** How many rows of a table the account has. */
async function count(table: string): Promise<number | undefined> {
  const [row] = await t.sql<{ n: number }>(`select count(*)::int as n from ${table} where account_id = $1`, [
    toUuid(account.accountId),
  ]);
  return row?.n;
}

describe('an SMS', () => {
  test('holds what it would cost while its provider works', async () => {
    const provider = holdAnswer();
    const sending = send({ text: textOf(3) });
    await provider.called;
    expect(await money()).toEqual({ credits: 7, held: 3, spent: 0 });
    provider.answer(acceptedOutcome());
    await sending;
  });

  test('costs a credit for each segment when it is accepted', async () => {
    const { attempts } = await send({ text: textOf(3) });
    expect(attempts?.[0]?.credits).toBe(3);
    expect(await money()).toEqual({ credits: 7, held: 0, spent: 3 });
  });

  test.each([
    ['is refused', REFUSED],
    ['has an outcome that nobody knows', UNKNOWN],
    ['is put off', { kind: 'unavailable', code: 'down', message: 'Down.' }],
  ] as const)('costs nothing where it %s', async (_title, outcome) => {
    answerWith(() => outcome);
    await send({ text: textOf(3) });
    expect(await money()).toEqual({ credits: 10, held: 0, spent: 0 });
  });

  test('of a token of the area sms costs the same', async () => {
    await send({}, 'sms');
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('that a dead process left costs nothing', async () => {
    const provider = holdAnswer();
    const sending = send().catch(() => null);
    await provider.called;
    await takeOver();
    expect(await money()).toEqual({ credits: 10, held: 0, spent: 0 });
    provider.answer(UNKNOWN);
    await sending;
  });

  test('that a living process has in hand is not taken from it', async () => {
    const provider = holdAnswer();
    const sending = send();
    await provider.called;
    await recoverSends(t.ctxFor(OPERATOR), MESSAGE);
    provider.answer(acceptedOutcome());
    expect(await sending).toMatchObject({ status: 'sent' });
  });

  test('is paid with the last credit', async () => {
    await startWith(1);
    await send();
    expect(await money()).toEqual({ credits: 0, held: 0, spent: 1 });
  });

  test('goes out as often as there are credits, however many are sent at once', async () => {
    const sent = await Promise.allSettled(Array.from({ length: 50 }, () => send()));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(asked).toHaveLength(10);
    expect(await money()).toEqual({ credits: 0, held: 0, spent: 10 });
  });
});

describe('a message by SMS alone that the balance does not pay for', () => {
  test('is refused', async () => {
    await startWith(2);
    await expect(send({ text: textOf(3) })).rejects.toEqual(SHORT);
  });

  test('asks no provider', async () => {
    await startWith(0);
    await expect(send()).rejects.toEqual(SHORT);
    expect(asked).toEqual([]);
  });

  test.each(['messages', 'attempts', 'idempotency_keys'])('leaves no row in %s', async table => {
    await startWith(0);
    await expect(send({ reference: 'short' })).rejects.toEqual(SHORT);
    expect(await count(table)).toBe(0);
  });

  test('leaves its reference free for use after a top-up', async () => {
    await startWith(0);
    await expect(send({ reference: 'again' })).rejects.toEqual(SHORT);
    await adjust(t.sql, account.accountId, 1);
    await expect(send({ reference: 'again' })).resolves.toMatchObject({ status: 'sent', reference: 'again' });
  });

  test('keeps none of the others out that are paid for', async () => {
    await startWith(2);
    const sent = await Promise.allSettled([send({ text: textOf(3) }), send(), send()]);
    expect(sent.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });
});

describe('a repeat of a reference', () => {
  test('is answered with the first answer though nothing is left', async () => {
    await startWith(1);
    const first = await send({ to: '+12125550198', reference: 'last' });
    const again = await send({ to: '+12125550198', reference: 'last' });
    expect([again.id, again.status]).toEqual([first.id, 'sent']);
    expect(await money()).toEqual({ credits: 0, held: 0, spent: 1 });
  });

  test('at the same time is never told that the balance is low', async () => {
    await startWith(1);
    const twins = await Promise.allSettled(
      Array.from({ length: 10 }, () => send({ to: '+12125550198', reference: 'twins' })),
    );
    const reasons = twins.filter(twin => twin.status === 'rejected').map(twin => twin.reason);
    expect(reasons).toEqual(Array.from({ length: 9 }, () => refusal('reference_in_flight')));
  });

  test('at the same time takes the credits of nobody else', async () => {
    await startWith(2);
    const [, , other] = await Promise.allSettled([
      send({ to: '+12125550198', reference: 'mine' }),
      send({ to: '+12125550198', reference: 'mine' }),
      send(),
    ]);
    expect(other?.status).toBe('fulfilled');
  });
});

describe('an SMS among other channels that the balance does not pay for', () => {
  test.each([
    ['fallback', ['sms', 'chat_qr'], ['sms failed insufficient_balance', 'chat_qr sent'], 'chat_qr'],
    ['all', ['sms', 'chat_qr'], ['sms failed insufficient_balance', 'chat_qr sent'], 'chat_qr'],
    ['all', ['chat_qr', 'sms'], ['chat_qr sent', 'sms failed insufficient_balance'], 'chat_qr'],
  ] as const)('%s over %j: the routing goes on', async (mode, channels, expected, channel) => {
    await startWith(0);
    const message = await sendBoth(mode, channels);
    expect(outcomes(message.attempts)).toEqual(expected);
    expect([message.status, message.channel]).toEqual(['sent', channel]);
    expect(asked.map(request => request.channel)).toEqual(['chat_qr']);
    expect(await money()).toEqual({ credits: 0, held: 0, spent: 0 });
  });

  test('fallback, the last one: the message has failed', async () => {
    await startWith(0);
    answerWith(() => REFUSED);
    const message = await sendBoth('fallback', ['chat_qr', 'sms']);
    expect(outcomes(message.attempts)).toEqual(['chat_qr failed refused', 'sms failed insufficient_balance']);
    expect(message.status).toBe('failed');
  });

  test('is told as sms.failed', async () => {
    await startWith(0);
    await makeEndpoint(t, account.accountId, { status: 'paused' });
    await sendBoth('fallback', ['sms', 'chat_qr']);
    const events = await storedEvents(t, account.accountId);
    expect(events.map(({ event }) => event)).toEqual(['sms.failed', 'message.sent', 'message.routed']);
    expect(events[0]?.data).toMatchObject({ errorCode: 'insufficient_balance', credits: 0 });
  });

  test('has failed, and is not unknown, where its process died before it said so', async () => {
    await startWith(0);
    answerWith(() => REFUSED);
    const { id } = await sendBoth('all', ['sms', 'chat_qr']);
    // As the accept has left them.
    await putUnderWay(t.sql, id);
    await takeOver();
    const rows = await t.sql<{ status: string; error_code: string }>(
      `select status, error_code from attempts where message_id = $1 and channel = 'sms'`,
      [toUuid(id)],
    );
    expect(rows).toEqual([{ status: 'failed', error_code: 'insufficient_balance' }]);
    expect(await money()).toEqual({ credits: 0, held: 0, spent: 0 });
  });

  test('is not made where a channel before it was accepted', async () => {
    await startWith(0);
    expect(outcomes((await sendBoth('fallback', ['chat_qr', 'sms'])).attempts)).toEqual(['chat_qr sent']);
  });

  test('holds the credits when its turn has come, and not before', async () => {
    const provider = holdAnswer();
    const sending = sendBoth('fallback', ['chat_qr', 'sms']);
    await provider.called;
    expect(await money()).toEqual({ credits: 10, held: 0, spent: 0 });
    answerWith(acceptedOutcome);
    provider.answer(REFUSED);
    await sending;
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });
});

describe('an OTP', () => {
  test('costs what its SMS costs', async () => {
    await sendCode();
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('costs it once more when it is sent again', async () => {
    const { pinId } = await makePin(t.sql, { accountId: account.accountId });
    await resendOtp(t.ctxFor(account.actor('unified')), { pinId });
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('is sent again by a chat where nothing pays for its SMS, and holds nothing', async () => {
    await startWith(0);
    const { pinId } = await makePin(t.sql, { accountId: account.accountId });
    await t.sql(`update otps set channels = '{chat_qr,sms}', chat_from = '15550000001' where id = $1`, [toUuid(pinId)]);
    const provider = holdAnswer();
    const resending = resendOtp(t.ctxFor(account.actor('unified')), { pinId });
    await provider.called;
    expect(await money()).toEqual({ credits: 0, held: 0, spent: 0 });
    provider.answer(acceptedOutcome());
    await resending;
    expect(asked.map(request => request.channel)).toEqual(['chat_qr']);
  });

  test('is not sent again where nothing pays for it', async () => {
    await startWith(0);
    const { pinId } = await makePin(t.sql, { accountId: account.accountId });
    await expect(resendOtp(t.ctxFor(account.actor('unified')), { pinId })).rejects.toEqual(SHORT);
    expect(await count('attempts')).toBe(0);
  });

  test('to a number of the sandbox is refused for its cost, since it has no cooldown', async () => {
    await startWith(0);
    const { pinId } = await makePin(t.sql, { accountId: account.accountId, recipient: '12025550100' });
    await t.sql(`update otps set resend_available_at = now() + interval '60 s' where id = $1`, [toUuid(pinId)]);
    await expect(resendOtp(t.ctxFor(account.actor('unified')), { pinId })).rejects.toEqual(SHORT);
  });

  test.each(['otps', 'attempts'])('that nothing pays for leaves no row in %s', async table => {
    await startWith(0);
    await expect(sendCode()).rejects.toEqual(SHORT);
    expect(await count(table)).toBe(0);
  });

  test('that nothing pays for starts no cooldown', async () => {
    await startWith(0);
    const to = `+${newRecipient()}`;
    await expect(sendCode({ to })).rejects.toEqual(SHORT);
    await adjust(t.sql, account.accountId, 1);
    await expect(sendCode({ to })).resolves.toMatchObject({ status: 'sent' });
  });

  test('that nothing pays for cancels no older code', async () => {
    await startWith(0);
    const { pinId, code, recipient } = await makePin(t.sql, { accountId: account.accountId });
    await expect(sendCode({ to: `+${recipient}` })).rejects.toEqual(SHORT);
    const verified = await verifyOtp(t.ctxFor(account.actor('unified')), { pinId, pin: code });
    expect(verified.status).toBe('verified');
  });

  test('goes by chat where nothing pays for its SMS', async () => {
    await startWith(0);
    const otp = await sendCode({ channels: ['sms', 'chat_qr'], chatFrom: '15550000001', sender: 'ACME' });
    expect(outcomes(otp.attemptsMade)).toEqual(['sms failed insufficient_balance', 'chat_qr sent']);
  });
});

describe('nothing is paid for', () => {
  test('chat', async () => {
    await send({ channels: ['chat_qr'], chatFrom: '15550000001', text: textOf(3) });
    expect(await count('ledger')).toBe(1);
  });

  test('chat, though nothing is left', async () => {
    await startWith(0);
    const message = await send({ channels: ['chat_qr'], chatFrom: '15550000001' });
    expect(message.status).toBe('sent');
  });

  test.each(['right', 'wrong'])('a %s code', async kind => {
    const pin = await makePin(t.sql, { accountId: account.accountId });
    const code = kind === 'right' ? pin.code : wrongCode(pin);
    await verifyOtp(t.ctxFor(account.actor('unified')), { pinId: pin.pinId, pin: code }).catch(() => null);
    expect(await count('ledger')).toBe(1);
  });
});
