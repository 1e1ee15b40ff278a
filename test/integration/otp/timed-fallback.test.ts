import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Receipt } from '../../../src/channels/contract.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { OTP } from '../../../src/modules/otp/send/otp-kind.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../src/modules/otp/verify/verify-otp.ts';
import type { ChannelAttempt } from '../../../src/modules/routing/attempt.entity.ts';
import { followSends } from '../../../src/modules/routing/follow-ups/follow-sends.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { createFollowUps, type FollowUps } from '../../support/messaging/follow-ups.ts';
import { newPhone } from '../../support/otp/pins.ts';
import {
  createTestServices,
  makeAccount,
  OPERATOR,
  type TestAccount,
  type TestServices,
} from '../../support/services.ts';

let t: TestServices;
let account: TestAccount;
let waits: FollowUps;
/** The texts that phones got, oldest first. */
const texts: string[] = [];

beforeAll(async () => {
  t = await createTestServices({ sandbox: { keepArrival: async ({ request }) => void texts.push(request.text) } });
  waits = createFollowUps(t);
});
beforeEach(async () => {
  texts.length = 0;
  account = await makeAccount(t.services);
  await waits.listen(account);
});
afterAll(() => t.close());

const ROUTE = { channels: ['chat_qr', 'sms'], chatFrom: '15550000001', sender: 'ACME' } as const;

async function send(expiresIn = 300): Promise<{ id: string; providerId: string }> {
  const input = { to: newPhone(), ...ROUTE, channels: [...ROUTE.channels], fallbackAfter: 20, expiresIn };
  const otp = await sendOtp(t.ctxFor(account.actor('unified')), input);
  return { id: otp.id, providerId: otp.attemptsMade?.[0]?.providerMessageId ?? '' };
}

const follow = (): Promise<number> => followSends(t.ctxFor(OPERATOR), OTP);

const codeIn = (text: string | undefined): string => /\d{4,}/.exec(text ?? '')?.[0] ?? '';

test('a code that is not delivered in time goes out by the next channel, and is the same', async () => {
  const { id } = await send();
  expect(await waits.eventsOf(id)).toEqual(['otp.sent']);
  await waits.comeDue(id);
  expect(await follow()).toBe(1);
  expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'sms sent']);
  expect(codeIn(texts[1])).toBe(codeIn(texts[0]));
  // The channel that follows tells of its attempt, and not once more of the code.
  expect(await waits.eventsOf(id)).toEqual(['otp.sent', 'sms.sent']);
  expect(await waits.of(id)).toBeNull();
});

test('a receipt in time ends the wait', async () => {
  const { id, providerId } = await send();
  const status: Receipt['status'] = 'delivered';
  const receipt = { provider: 'sandbox', providerMessageId: providerId, status, errorCode: null, errorMessage: null };
  await recordReceipts(t.ctxFor(OPERATOR), [receipt]);
  expect(await waits.of(id)).toBeNull();
  expect(await waits.eventsOf(id)).toEqual(['otp.sent']);
});

test('a code whose first channel failed is verified after the next one followed', async () => {
  const { id, providerId } = await send();
  const receipt = { provider: 'sandbox', providerMessageId: providerId, errorCode: null, errorMessage: null };
  await recordReceipts(t.ctxFor(OPERATOR), [{ ...receipt, status: 'failed' }]);
  await follow();
  const otp = await verifyOtp(t.ctxFor(account.actor('unified')), { pinId: id, pin: codeIn(texts[0]) });
  expect(otp.status).toBe('verified');
});

test('a code that failed on every channel is failed, and tells it', async () => {
  const input = { to: '+12025550101', ...ROUTE, channels: [...ROUTE.channels], fallbackAfter: 20 };
  const otp = await sendOtp(t.ctxFor(account.actor('unified')), input);
  const providerMessageId = otp.attemptsMade?.[0]?.providerMessageId ?? '';
  const receipt = { provider: 'sandbox', providerMessageId, errorCode: null, errorMessage: null };
  await recordReceipts(t.ctxFor(OPERATOR), [{ ...receipt, status: 'failed' }]);
  await follow();
  expect(await waits.attemptsOf(otp.id)).toEqual(['chat_qr failed', 'sms failed']);
  expect(await waits.eventsOf(otp.id)).toEqual(['otp.sent', 'sms.failed', 'otp.failed']);
  expect(await t.sql('select status from otps where id = $1', [toUuid(otp.id)])).toEqual([{ status: 'failed' }]);
});

test('a code that arrived before it was sent again stays good, though nothing of the resend was delivered', async () => {
  const input = { to: '+12025550101', ...ROUTE, channels: [...ROUTE.channels], fallbackAfter: 20 };
  const report = (attempt: ChannelAttempt | undefined, status: Receipt['status']) => {
    const providerMessageId = attempt?.providerMessageId ?? '';
    const receipt = { provider: 'sandbox', providerMessageId, status, errorCode: null, errorMessage: null };
    return recordReceipts(t.ctxFor(OPERATOR), [receipt]);
  };
  const { id: pinId, attemptsMade: first } = await sendOtp(t.ctxFor(account.actor('unified')), input);
  await report(first?.[0], 'delivered');
  const { attemptsMade: second } = await resendOtp(t.ctxFor(account.actor('unified')), { pinId });
  await report(second?.[0], 'failed');
  await follow();
  expect(await waits.attemptsOf(pinId)).toEqual(['chat_qr delivered', 'chat_qr failed', 'sms failed']);
  expect(await waits.eventsOf(pinId)).not.toContain('otp.failed');
  const otp = await verifyOtp(t.ctxFor(account.actor('unified')), { pinId, pin: codeIn(texts[0]) });
  expect(otp.status).toBe('verified');
});

test('a code that is over by then is followed by nothing', async () => {
  const { id } = await send(60);
  await t.sql(`update otps set expires_at = now() - interval '1 second' where id = $1`, [toUuid(id)]);
  await waits.comeDue(id);
  await follow();
  expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent']);
  expect(await waits.of(id)).toBeNull();
  expect(await waits.eventsOf(id)).toEqual(['otp.sent']);
});

test('a code that was used is followed by nothing, and stays used', async () => {
  const { id } = await send();
  await verifyOtp(t.ctxFor(account.actor('unified')), { pinId: id, pin: codeIn(texts[0]) });
  await waits.comeDue(id);
  await follow();
  expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent']);
  expect(await waits.of(id)).toBeNull();
  expect(await t.sql('select status, channel from otps where id = $1', [toUuid(id)])).toEqual([
    { status: 'verified', channel: 'chat_qr' },
  ]);
});

test('a code that a newer one replaced is followed by nothing', async () => {
  const { id } = await send();
  await t.sql(`update otps set status = 'cancelled' where id = $1`, [toUuid(id)]);
  await waits.comeDue(id);
  await follow();
  expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent']);
});

test('a resend begins with the first channel, which has its time anew', async () => {
  const { id } = await send();
  await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(id)]);
  await resendOtp(t.ctxFor(account.actor('unified')), { pinId: id });
  expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'chat_qr sent']);
  expect(await waits.of(id)).toMatchObject({ is_taken: false });
  await waits.comeDue(id);
  await follow();
  expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'chat_qr sent', 'sms sent']);
  expect(await waits.of(id)).toBeNull();
});
