import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { resendOtp } from '../../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../../src/modules/otp/verify/verify-otp.ts';
import type { ChannelAttempt } from '../../../../src/modules/routing/attempt.entity.ts';
import { recordReceipts } from '../../../../src/modules/routing/receipts/record-receipts.ts';
import { REFUSED } from '../../../support/messaging/scripted-sends.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { OPERATOR } from '../../../support/services.ts';
import { setUpTelling } from '../../../support/webhooks/event-fixture.ts';
import { makeEndpoint, storedEvents } from '../../../support/webhooks/stored-webhooks.ts';

const { account, answerWith, asked, names, only, t } = setUpTelling();

describe('the events of an OTP', () => {
  const otp = (input: Partial<Parameters<typeof sendOtp>[1]> = {}, area: 'unified' | 'otp' = 'unified') =>
    sendOtp(t.ctxFor(account.actor(area)), { to: `+${newRecipient()}`, ...input });
  const codeOf = (recipient: string): string =>
    /\d{6}/.exec(asked.findLast(request => request.to === recipient)?.text ?? '')?.[0] ?? '';
  const verify = (pinId: string, pin: string, area: 'unified' | 'otp' = 'unified') =>
    verifyOtp(t.ctxFor(account.actor(area)), { pinId, pin });
  const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

  test('one that was accepted', async () => {
    await makeEndpoint(t, account.accountId);
    const { id, recipient, expiresAt } = await otp();
    expect(await names()).toEqual(['sms.sent', 'otp.sent']);
    const { data } = await only('otp.sent');
    expect(data).toMatchObject({
      pinId: id,
      recipient,
      status: 'sent',
      channel: 'sms',
      expiresAt: expiresAt.toISOString(),
      verifiedAt: null,
      errorCode: null,
      attempts: [{ channel: 'sms', status: 'sent' }],
    });
    expect((await only('sms.sent')).data).toMatchObject({ pinId: id, messageId: null });
  });

  test('tells when it may be sent again, as the API does: until it is over, or was sent again three times', async () => {
    await makeEndpoint(t, account.accountId, { events: ['otp.sent', 'otp.failed', 'otp.verified'] });
    const { id, recipient, resendAvailableAt } = await otp({ expiresIn: 3_600 });
    const told = async () => (await only('otp.sent')).data.resendAvailableAt;
    expect(await told()).toBe(resendAvailableAt.toISOString());
    for (const isLast of [false, false, true]) {
      await t.sql('delete from webhook_events where account_id = $1', [toUuid(account.accountId)]);
      await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(id)]);
      await resendOtp(t.ctxFor(account.actor('unified')), { pinId: id });
      expect(await told()).toEqual(isLast ? null : expect.any(String));
    }
    await verify(id, codeOf(recipient));
    expect((await only('otp.verified')).data.resendAvailableAt).toBeNull();
    answerWith(() => REFUSED);
    await otp();
    expect((await only('otp.failed')).data.resendAvailableAt).toBeNull();
  });

  test('one that no channel accepted', async () => {
    await makeEndpoint(t, account.accountId);
    answerWith(() => REFUSED);
    await otp();
    expect(await names()).toEqual(['sms.failed', 'otp.failed']);
    expect((await only('otp.failed')).data).toMatchObject({ status: 'failed', errorCode: 'all_channels_failed' });
  });

  describe('that receipts take back', () => {
    const report = (attempts: readonly ChannelAttempt[], status: 'failed' | 'expired' | 'delivered') =>
      recordReceipts(
        t.ctxFor(OPERATOR),
        attempts.map(({ provider, providerMessageId }) => ({
          provider: provider ?? '',
          providerMessageId: providerMessageId ?? '',
          status,
          errorCode: null,
          errorMessage: null,
        })),
      );
    const byAll = () => otp({ channels: ['chat_qr', 'sms'], chatFrom: '15550000001', deliveryMode: 'all' });

    test.each(['failed', 'expired'] as const)('on its only channel, as %s', async status => {
      const { id, recipient, attemptsMade = [] } = await otp();
      await makeEndpoint(t, account.accountId);
      await report(attemptsMade, status);
      expect(await names()).toEqual(['sms.failed', 'otp.failed']);
      const { data } = await only('otp.failed');
      expect(data).toMatchObject({
        pinId: id,
        status: 'sent',
        errorCode: 'all_channels_failed',
        attempts: [{ status }],
      });
      expect((await verify(id, codeOf(recipient))).status).toBe('verified');
    });

    test('is told with the last of its channels, once', async () => {
      const { attemptsMade = [] } = await byAll();
      await makeEndpoint(t, account.accountId, { events: ['otp.failed'] });
      await report(attemptsMade.slice(0, 1), 'failed');
      expect(await names()).toEqual([]);
      await report(attemptsMade.slice(1), 'failed');
      expect(await names()).toEqual(['otp.failed']);
      await report(attemptsMade, 'failed');
      expect(await names()).toEqual(['otp.failed']);
    });

    test('on all of its channels at once is told once', async () => {
      const { attemptsMade = [] } = await byAll();
      await makeEndpoint(t, account.accountId, { events: ['otp.failed'] });
      await report(attemptsMade, 'failed');
      expect(await names()).toEqual(['otp.failed']);
    });

    test('is not told of a code that was used, nor of the texts before a resend', async () => {
      const used = await otp();
      await verify(used.id, codeOf(used.recipient));
      const resent = await otp();
      await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(resent.id)]);
      await resendOtp(t.ctxFor(account.actor('unified')), { pinId: resent.id });
      await makeEndpoint(t, account.accountId, { events: ['otp.failed'] });
      await report([...(used.attemptsMade ?? []), ...(resent.attemptsMade ?? [])], 'failed');
      expect(await names()).toEqual([]);
    });
  });

  test('an OTP by SMS only is sent as an SMS, and verified as any other', async () => {
    await makeEndpoint(t, account.accountId);
    const { id, recipient } = await otp({}, 'otp');
    await verify(id, codeOf(recipient), 'otp');
    expect(await names()).toEqual(['sms.sent', 'otp.verified']);
  });

  test('the right code', async () => {
    await makeEndpoint(t, account.accountId, { events: ['otp.verified'] });
    const { id, recipient } = await otp();
    const verified = await verify(id, codeOf(recipient));
    const { data } = await only('otp.verified');
    expect(data).toMatchObject({ pinId: id, recipient, status: 'verified', errorCode: null });
    expect(new Date(String(data.verifiedAt))).toEqual(verified.verifiedAt);
  });

  test('each wrong code, and the guess that finds it blocked', async () => {
    await makeEndpoint(t, account.accountId, { events: ['otp.failed'] });
    const { id, recipient } = await otp();
    for (let guess = 0; guess < 6; guess++) await verify(id, wrong(codeOf(recipient))).catch(() => undefined);
    const told = await storedEvents(t, account.accountId);
    expect(told.map(({ data }) => [data.errorCode, data.attemptsRemaining, data.status])).toEqual([
      ['otp_incorrect', 4, 'sent'],
      ['otp_incorrect', 3, 'sent'],
      ['otp_incorrect', 2, 'sent'],
      ['otp_incorrect', 1, 'sent'],
      ['otp_incorrect', 0, 'blocked'],
      ['otp_blocked', 0, 'blocked'],
    ]);
  });

  test('a verify after its expiry', async () => {
    await makeEndpoint(t, account.accountId, { events: ['otp.expired', 'otp.failed'] });
    const { id, recipient } = await otp();
    await t.sql(`update otps set expires_at = now() - interval '1 s' where id = $1`, [toUuid(id)]);
    await verify(id, codeOf(recipient)).catch(() => undefined);
    expect(await names()).toEqual(['otp.expired']);
    expect((await only('otp.expired')).data).toMatchObject({ pinId: id, status: 'expired', errorCode: 'otp_expired' });
  });

  test('a pin that the account does not have tells nothing', async () => {
    await makeEndpoint(t, account.accountId);
    await verify('pin_00000000000000000000000000000001', '123456').catch(() => undefined);
    expect(await names()).toEqual([]);
  });

  test('a resend is told again, with its own attempts', async () => {
    await makeEndpoint(t, account.accountId, { events: ['otp.sent'] });
    const { id } = await otp();
    await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(id)]);
    await resendOtp(t.ctxFor(account.actor('unified')), { pinId: id });
    const told = await storedEvents(t, account.accountId);
    expect(told).toHaveLength(2);
    expect(told.map(({ data }) => (Array.isArray(data.attempts) ? data.attempts.length : 0))).toEqual([1, 1]);
    expect(told[0]?.data.attempts).not.toEqual(told[1]?.data.attempts);
  });

  test('no event holds the code or the text', async () => {
    await makeEndpoint(t, account.accountId);
    const { id, recipient } = await otp();
    const code = codeOf(recipient);
    await verify(id, wrong(code)).catch(() => undefined);
    await verify(id, code);
    const told = JSON.stringify(await storedEvents(t, account.accountId));
    expect(told).not.toContain(code);
    expect(told).not.toContain('verification code is');
  });
});
