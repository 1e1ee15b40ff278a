import { afterEach, describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { updateBilling } from '../../../src/modules/billing/update-billing.ts';
import { listInbound } from '../../../src/modules/inbound/list-inbound.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { removeSenderRule, setSenderRule } from '../../../src/modules/sender-rules/manage-sender-rules.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { REFUSED, setUpScriptedSends, UNKNOWN } from '../../support/messaging/scripted-sends.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { makeAccount, OPERATOR } from '../../support/services.ts';
import { makeEndpoint, storedEvents } from '../../support/webhooks/stored-webhooks.ts';

const NUMBER = '15550100199';
const TO_US = '+12025550100';
const TO_GERMANY = '+4915112345678';

const { t, account, asked, answerWith, holdAnswer, send, startWith } = setUpScriptedSends({
  credits: 5,
  senders: [
    { channel: 'sms', address: 'ACME', isDefault: true },
    { channel: 'sms', address: '72345' },
    { channel: 'chat_qr', address: '15550000001', isDefault: true },
  ],
});

const operator = () => t.ctxFor(OPERATOR);
const replace = (number = NUMBER) =>
  setSenderRule(operator(), { country: 'US', alphanumeric: 'replaced', numericSender: `+${number}` });
const refuse = () => setSenderRule(operator(), { country: 'US', alphanumeric: 'refused' });

afterEach(async () => {
  await removeSenderRule(operator(), { country: 'US' }).catch(() => undefined);
});

async function moneyOf(): Promise<unknown> {
  const [row] = await t.sql(
    `select credits, held, (select count(*)::int from ledger l where l.account_id = a.id and kind <> 'adjustment') as entries
     from accounts a where id = $1`,
    [toUuid(account.accountId)],
  );
  return row;
}

const UNTOUCHED = { credits: 5, held: 0, entries: 0 };

const NOT_POSSIBLE = {
  channel: 'sms',
  provider: null,
  sender: 'ACME',
  status: 'failed',
  errorCode: 'sender_not_possible',
  errorMessage: 'An SMS to US cannot come from a name. Send it from a number, or over another channel.',
  credits: 0,
};

const storedAttempts = (messageId: string) =>
  t.sql(
    'select channel, sender, provider, status, error_code, credits from attempts where message_id = $1 order by id',
    [toUuid(messageId)],
  );

describe('without a rule', () => {
  test('a name sends to the United States', async () => {
    expect(await send({ to: TO_US })).toMatchObject({ attempts: [{ sender: 'ACME', status: 'sent' }] });
    expect(asked.map(({ from }) => from)).toEqual(['ACME']);
  });
});

describe('where names are replaced', () => {
  test('the SMS goes out from the number, which the attempt shows, and is paid', async () => {
    await replace();
    const message = await send({ to: TO_US });
    expect(message).toMatchObject({ sender: 'ACME', attempts: [{ sender: NUMBER, status: 'sent', credits: 1 }] });
    expect(asked.map(({ from }) => from)).toEqual([NUMBER]);
    expect(await storedAttempts(message.id)).toMatchObject([{ sender: NUMBER, status: 'sent', credits: 1 }]);
    expect(await moneyOf()).toEqual({ credits: 4, held: 0, entries: 1 });
  });

  test('everything else goes out from its own sender', async () => {
    await replace();
    await send({ to: TO_GERMANY });
    await send({ to: TO_US, sender: '72345' });
    await send({ to: TO_US, channels: ['chat_qr'], chatFrom: '15550000001' });
    expect(asked.map(({ from }) => from)).toEqual(['ACME', '72345', '15550000001']);
  });

  test('a later SMS of a route does so too', async () => {
    await replace();
    answerWith(({ channel }) => (channel === 'sms' ? { kind: 'accepted', providerMessageId: newId('sbx') } : REFUSED));
    await send({ to: TO_US, channels: ['chat_qr', 'sms'], chatFrom: '15550000001' });
    expect(asked.map(({ from }) => from)).toEqual(['15550000001', NUMBER]);
  });

  test('an attempt goes out as it began, though the rule goes before it is stored', async () => {
    await replace();
    const held = holdAnswer();
    const sending = send({ to: TO_US });
    await held.called;
    await removeSenderRule(operator(), { country: 'US' });
    held.answer(UNKNOWN);
    expect(await sending).toMatchObject({ attempts: [{ sender: NUMBER, status: 'unknown' }] });
  });

  test('a passcode goes out from the number, and again from it', async () => {
    await replace();
    const ctx = t.ctxFor(account.actor('unified'));
    const { id } = await sendOtp(ctx, { to: TO_US, channels: ['sms'] });
    const again = await resendOtp(ctx, { pinId: id });
    expect(again).toMatchObject({ sender: 'ACME', attemptsMade: [{ sender: NUMBER, status: 'sent' }] });
    expect(asked.map(({ from }) => from)).toEqual([NUMBER, NUMBER]);
  });
});

describe('what comes to the number in the place of a name, by a shared connection', () => {
  const shared = { id: newId('con'), accountId: null, providerId: 'http-sms', channel: 'sms' } as const;
  const person = TO_US.slice(1);
  const receive = (text: string, { from = person, to = NUMBER } = {}) =>
    receiveInbound(operator(), shared, [{ providerMessageId: null, from, to, type: 'text', text }]);

  test('is of the account that wrote from it: a STOP is heeded', async () => {
    await replace();
    await makeAccount(t, { senders: [{ channel: 'sms', address: 'OTHER' }] });
    await send({ to: TO_US });
    const [stopped] = await receive('STOP');
    expect(stopped).toMatchObject({
      result: 'stored',
      changes: [{ account_id: toUuid(account.accountId), person, is_suppressed: true }],
    });
    await expect(send({ to: TO_US })).rejects.toMatchObject({ code: 'recipient_suppressed' });
  });

  test('is of the last that wrote, though another account has the number as a sender', async () => {
    const to = '15550100198';
    await replace(to);
    const owner = await makeAccount(t, { senders: [{ channel: 'sms', address: to }] });
    await receive('Hello', { to });
    await send({ to: TO_US });
    await receive('Yes, please.', { to });
    const of = async (actor: typeof account.actor) =>
      (await listInbound(t.ctxFor(actor('unified')), {})).rows.map(({ text }) => text);
    expect([await of(owner.actor), await of(account.actor)]).toEqual([['Hello'], ['Yes, please.']]);
  });

  test('is of nobody where nobody wrote to the person', async () => {
    await replace();
    await send({ to: TO_US });
    expect(await receive('Hello', { from: newRecipient() })).toMatchObject([{ result: 'unowned' }]);
  });

  test('is answered from the number', async () => {
    await replace();
    await send({ to: TO_US });
    const [received] = await receive('Yes, please.');
    const replyTo = received?.messageId ?? '';
    const answer = await sendMessage(t.ctxFor(account.actor('unified')), { replyTo, text: 'At nine, then.' });
    expect(answer).toMatchObject({ sender: 'ACME', attempts: [{ sender: NUMBER, status: 'sent' }] });
  });
});

describe('where names are refused', () => {
  test.each(['fallback', 'all'] as const)(
    'an SMS fails before anything is held or asked, and says why, %s',
    async deliveryMode => {
      await refuse();
      const message = await send({ to: TO_US, deliveryMode });
      expect(message).toMatchObject({ status: 'failed', channel: null, attempts: [NOT_POSSIBLE] });
      expect([asked, await moneyOf()]).toEqual([[], UNTOUCHED]);
      expect(await storedAttempts(message.id)).toMatchObject([{ status: 'failed', error_code: 'sender_not_possible' }]);
    },
  );

  test('it fails so for an account that could not pay, or has reached its cap', async () => {
    await refuse();
    await updateBilling(operator(), { accountId: account.accountId, dailySpendCap: 0 });
    expect(await send({ to: TO_US })).toMatchObject({ attempts: [NOT_POSSIBLE] });
    await startWith(0);
    expect(await send({ to: TO_US })).toMatchObject({ attempts: [NOT_POSSIBLE] });
  });

  test('the next channel follows, and the one before it was asked', async () => {
    await refuse();
    const chat = { chatFrom: '15550000001', to: TO_US };
    expect(await send({ ...chat, channels: ['sms', 'chat_qr'] })).toMatchObject({ status: 'sent', channel: 'chat_qr' });
    answerWith(() => REFUSED);
    const last = await send({ ...chat, channels: ['chat_qr', 'sms'] });
    expect(last).toMatchObject({ status: 'failed', attempts: [{ errorCode: 'refused' }, NOT_POSSIBLE] });
    expect([asked.map(({ channel }) => channel), await moneyOf()]).toEqual([['chat_qr', 'chat_qr'], UNTOUCHED]);
  });

  test('a number sends', async () => {
    await refuse();
    expect(await send({ to: TO_US, sender: '72345' })).toMatchObject({ status: 'sent' });
  });

  test('the same request again is answered the same, though the rule has gone', async () => {
    await refuse();
    const request = { to: TO_US, reference: newId('msg') };
    const first = await send(request);
    await removeSenderRule(operator(), { country: 'US' });
    expect(await send(request)).toMatchObject({ id: first.id, status: 'failed', attempts: [NOT_POSSIBLE] });
    expect(asked).toEqual([]);
  });

  test('it is told to webhooks', async () => {
    await refuse();
    await makeEndpoint(t, account.accountId);
    await send({ to: TO_US });
    const events = await storedEvents(t, account.accountId);
    expect(events.map(({ event }) => event)).toEqual(['sms.failed', 'message.failed', 'message.routed']);
    expect(events[0]?.data).toMatchObject({ provider: null, errorCode: 'sender_not_possible', credits: 0 });
  });

  test('it is failed for that reason, and not unknown, where its process died over it', async () => {
    await refuse();
    const { id } = await send({ to: TO_US });
    await putUnderWay(t.sql, id);
    await recoverSends(operator(), MESSAGE);
    expect(await storedAttempts(id)).toMatchObject([{ status: 'failed', error_code: 'sender_not_possible' }]);
    expect([asked, await moneyOf()]).toEqual([[], UNTOUCHED]);
  });

  test('a passcode fails, costs nothing, and may be asked for again at once', async () => {
    await refuse();
    const ctx = t.ctxFor(account.actor('unified'));
    for (let number = 0; number < 2; number++) {
      const otp = await sendOtp(ctx, { to: '+12125550143', channels: ['sms'] });
      expect(otp).toMatchObject({ status: 'failed', attemptsMade: [NOT_POSSIBLE] });
    }
    expect([asked, await moneyOf()]).toEqual([[], UNTOUCHED]);
  });
});
