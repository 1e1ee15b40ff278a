import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SendRequest } from '../../src/channels/contract.ts';
import { toUuid } from '../../src/kernel/ids.ts';
import { resendOtp } from '../../src/modules/otp/resend-otp.ts';
import { sendOtp } from '../../src/modules/otp/send-otp.ts';
import { verifyOtp } from '../../src/modules/otp/verify-otp.ts';
import { acceptedOutcome, scriptedProviders } from '../support/app.ts';
import { createTestServices, makeAccount, type TestAccount, type TestServices } from '../support/services.ts';

let t: TestServices;
let account: TestAccount;
const sent: SendRequest[] = [];

beforeAll(async () => {
  t = await createTestServices({
    providers: scriptedProviders(request => {
      sent.push(request);
      return acceptedOutcome();
    }),
  });
  account = await makeAccount(t.services);
});
afterAll(() => t.close());

const ctx = (area: 'unified' | 'otp' = 'unified') => t.ctxFor(account.actor(area));
let last = 1000;
const recipient = () => `+1202555${last++}`;
const codeTo = (to: string) => /\d{6}/.exec(sent.findLast(request => `+${request.to}` === to)?.text ?? '')?.[0] ?? '';
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('core', () => {
  test('sends and verifies', async () => {
    const to = recipient();
    const otp = await sendOtp(ctx(), { to });
    expect(otp).toMatchObject({ status: 'sent', channel: 'sms' });
    expect(otp.expiresAt.getTime() - otp.createdAt.getTime()).toBe(300_000);
    const verified = await verifyOtp(ctx(), { pinId: otp.id, pin: codeTo(to) });
    expect(verified).toMatchObject({ id: otp.id, status: 'verified', recipient: to.slice(1) });
    expect(verified.verifiedAt).toBeInstanceOf(Date);
    await expect(verifyOtp(ctx(), { pinId: otp.id, pin: codeTo(to) })).rejects.toMatchObject({
      code: 'otp_already_verified',
    });
    const rows = await t.sql('select type, status from attempts where pin_id = $1 order by id', [toUuid(otp.id)]);
    expect(rows).toEqual([
      { type: 'otp_attempt', status: 'sent' },
      { type: 'otp_verified', status: 'verified' },
    ]);
  });

  test('blocks', async () => {
    const to = recipient();
    const otp = await sendOtp(ctx(), { to });
    const pin = wrong(codeTo(to));
    for (const attemptsRemaining of [4, 3, 2, 1, 0]) {
      await expect(verifyOtp(ctx(), { pinId: otp.id, pin, clientIp: '203.0.113.1' })).rejects.toMatchObject({
        code: 'otp_incorrect',
        details: { attemptsRemaining },
      });
    }
    await expect(verifyOtp(ctx(), { pinId: otp.id, pin: codeTo(to) })).rejects.toMatchObject({ code: 'otp_blocked' });
  });

  test('cooldown, then resend', async () => {
    const to = recipient();
    const otp = await sendOtp(ctx(), { to });
    await expect(sendOtp(ctx(), { to })).rejects.toMatchObject({ code: 'otp_cooldown' });
    await expect(resendOtp(ctx(), { pinId: otp.id })).rejects.toMatchObject({ code: 'otp_cooldown' });
    const first = codeTo(to);
    await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(otp.id)]);
    const again = await resendOtp(ctx(), { pinId: otp.id });
    expect(again).toMatchObject({ id: otp.id, resends: 1, status: 'sent', expiresAt: otp.expiresAt });
    expect(codeTo(to)).toBe(first);
    expect(again.deliveries).toHaveLength(1);
  });

  test('unknown', async () => {
    const to = recipient();
    const otp = await sendOtp(ctx(), { to });
    for (const actor of ['otp', 'unified'] as const)
      await expect(
        verifyOtp(ctx(actor), { pinId: actor === 'otp' ? otp.id : `pin_${'1'.repeat(32)}`, pin: codeTo(to) }),
      ).rejects.toMatchObject({ code: 'otp_not_found' });
  });

  test('races', async () => {
    const to = recipient();
    const sends = await Promise.allSettled(Array.from({ length: 300 }, () => sendOtp(ctx(), { to })));
    expect(sends.filter(result => result.status === 'fulfilled')).toHaveLength(1);
    const otp = sends.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))[0];
    const results = await Promise.allSettled(
      Array.from({ length: 300 }, () => verifyOtp(ctx(), { pinId: otp?.id ?? '', pin: codeTo(to) })),
    );
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1);
  });
});
