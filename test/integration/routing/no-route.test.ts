import { describe, expect, test } from 'vitest';
import type { Ctx } from '../../../src/context.ts';
import { fromUuid, newId, toUuid } from '../../../src/kernel/ids.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import type { SendMessageInput } from '../../../src/modules/messaging/send-message.input.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../src/modules/otp/verify/verify-otp.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { listSandboxMessages } from '../../../src/modules/sandbox/list-sandbox-messages.ts';
import { setUpServices, setUpSharedAccount } from '../../support/fixtures.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { makeAccount, OPERATOR, storedMessage, type TestAccount } from '../../support/services.ts';
import { makeEndpoint, storedEvents } from '../../support/webhooks/stored-webhooks.ts';

const t = setUpServices({ hasSandbox: false });
const account = setUpSharedAccount(t);

const ctx = (by: TestAccount = account): Ctx => t.ctxFor(by.actor('unified'));

const SMS: SendMessageInput = { to: '+12025550100', text: 'Hello', channels: ['sms'], sender: 'ACME' };
const CHAT_THEN_SMS: SendMessageInput = { ...SMS, channels: ['chat_qr', 'sms'], chatFrom: '15550000001' };

/** The credits of an account, and the number of its ledger entries. */
async function moneyOf({ accountId }: TestAccount): Promise<unknown> {
  const [row] = await t.sql(
    `select credits, (select count(*)::int from ledger l where l.account_id = a.id) as entries from accounts a where id = $1`,
    [toUuid(accountId)],
  );
  return row;
}

/** How an attempt that nobody made is stored. */
const FAILED = ['failed', 'no_route'];

const attempt = (channel: string) => ({
  channel,
  provider: null,
  status: 'failed',
  errorCode: 'no_route',
  credits: 0,
  providerMessageId: null,
});

describe('a message that nobody is connected for', () => {
  test.each([
    ['fallback', 'fallback' as const],
    ['all at once', 'all' as const],
  ])('fails on every channel and leaves the money alone, %s', async (_how, deliveryMode) => {
    const before = await moneyOf(account);
    const message = await sendMessage(ctx(), { ...CHAT_THEN_SMS, deliveryMode });
    expect(message).toMatchObject({ status: 'failed', channel: null, attempts: ['chat_qr', 'sms'].map(attempt) });
    const { attempts } = await storedMessage(t, message.id);
    expect(attempts.map(({ status, error_code }) => [status, error_code])).toEqual([FAILED, FAILED]);
    expect(await moneyOf(account)).toEqual(before);
  });

  test('fails so for an account that could not pay either', async () => {
    const poor = await makeAccount(t.services, { credits: 0 });
    expect(await sendMessage(ctx(poor), SMS)).toMatchObject({ status: 'failed', attempts: [attempt('sms')] });
  });

  test('is answered alike when its reference comes again', async () => {
    const input = { ...SMS, reference: newId('msg') };
    const first = await sendMessage(ctx(), input);
    const again = await sendMessage(ctx(), input);
    expect(again).toMatchObject({ id: first.id, status: 'failed', attempts: [attempt('sms')] });
  });

  test('is told to webhooks as one that failed', async () => {
    const listening = await makeAccount(t.services);
    await makeEndpoint(t, listening.accountId);
    await sendMessage(ctx(listening), SMS);
    const events = await storedEvents(t, listening.accountId);
    expect(events.map(({ event }) => event)).toEqual(['sms.failed', 'message.failed', 'message.routed']);
    expect(events[0]?.data).toMatchObject({ provider: null, errorCode: 'no_route', credits: 0 });
  });

  test('counts for the metrics without a provider', async () => {
    await sendMessage(ctx(), SMS);
    const { values } = await t.services.metrics.attempts.get();
    expect(values.map(({ labels }) => labels.provider)).toEqual(expect.arrayContaining(['none']));
    expect(values.map(({ labels }) => labels.provider)).not.toContain('sandbox');
  });

  test('is failed, and not unknown, where its process died over it', async () => {
    const message = await sendMessage(ctx(), CHAT_THEN_SMS);
    const id = toUuid(message.id);
    // As it stood before the first of its attempts was settled.
    await t.sql('delete from attempts where message_id = $1 and channel = $2', [id, 'sms']);
    await putUnderWay(t.sql, message.id);
    await recoverSends(t.ctxFor(OPERATOR), MESSAGE);
    expect(await storedMessage(t, fromUuid('msg', id))).toMatchObject({
      status: 'failed',
      attempts: [
        { channel: 'chat_qr', status: 'failed', error_code: 'no_route' },
        { channel: 'sms', status: 'failed', error_code: 'no_route' },
      ],
    });
  });
});

describe('a passcode that nobody is connected for', () => {
  test('fails, costs nothing, and is over', async () => {
    const before = await moneyOf(account);
    const otp = await sendOtp(ctx(), { to: `+${newRecipient()}`, channels: ['sms'] });
    expect(otp).toMatchObject({ status: 'failed', attemptsMade: [attempt('sms')] });
    expect(await moneyOf(account)).toEqual(before);
    await expect(verifyOtp(ctx(), { pinId: otp.id, pin: '1' })).rejects.toMatchObject({ code: 'otp_expired' });
  });

  test('may be asked for again at once', async () => {
    const to = `+${newRecipient()}`;
    await sendOtp(ctx(), { to, channels: ['sms'] });
    await expect(sendOtp(ctx(), { to, channels: ['sms'] })).resolves.toMatchObject({ status: 'failed' });
  });
});

test.each(['unified', 'management'] as const)('the phones are closed to a token of the area %s', async area => {
  const asked = listSandboxMessages(t.ctxFor(account.actor(area)), { to: '+12025550100' });
  await expect(asked).rejects.toMatchObject({ code: 'not_found' });
});

test('the phones tell other areas nothing of it', async () => {
  const asked = listSandboxMessages(t.ctxFor(account.actor('otp')), { to: '+12025550100' });
  await expect(asked).rejects.toMatchObject({ code: 'wrong_area' });
});
