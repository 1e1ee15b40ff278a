import { describe, expect, test } from 'vitest';
import type { SendRequest } from '../../../src/channels/contract.ts';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import type { Ctx } from '../../../src/context.ts';
import { createKeyRing, type KeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { OTP } from '../../../src/modules/otp/send/otp-kind.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../src/modules/otp/verify/verify-otp.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { acceptedOutcome, scriptedProviders } from '../../support/app.ts';
import { setUpServices, setUpSharedAccount } from '../../support/fixtures.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { OPERATOR } from '../../support/services.ts';

const REFUSED: SendOutcome = { kind: 'rejected', code: 'refused', message: 'Refused.' };
const OLD_SECRET = Buffer.alloc(32, 1);
const NEW_SECRET = Buffer.alloc(32, 2);

const t = setUpServices({
  providers: scriptedProviders(request => {
    sent.push(request);
    return refused.has(request.channel) ? REFUSED : acceptedOutcome();
  }),
});
const account = setUpSharedAccount(t);
let refused: ReadonlySet<string> = new Set();
const sent: SendRequest[] = [];
let lastNumber = 7_000;

/** The context of a process with these keys. */
function ctxOf(keys: KeyRing = t.services.keys): Ctx {
  const ctx = t.ctxFor(account.actor('unified'));
  return ctx.with({ services: { ...t.services, keys } });
}

function newRecipient(): string {
  return `+1202557${lastNumber++}`;
}

/** The texts sent to a recipient, oldest first. */
function textsTo(recipient: string): string[] {
  return sent.filter(request => `+${request.to}` === recipient).map(request => request.text);
}

function codeIn(text: string | undefined): string {
  return /\d{6}/.exec(text ?? '')?.[0] ?? '';
}

async function row(pinId: string): Promise<Record<string, unknown> | undefined> {
  const [found] = await t.sql<Record<string, unknown>>('select * from otps where id = $1', [toUuid(pinId)]);
  return found;
}

describe('while the secret key is changed', () => {
  const before = createKeyRing(OLD_SECRET, []);
  const after = createKeyRing(NEW_SECRET, [OLD_SECRET]);

  test('a code that was made under the former key is verified', async () => {
    const to = newRecipient();
    const otp = await sendOtp(ctxOf(before), { to });
    await expect(verifyOtp(ctxOf(after), { pinId: otp.id, pin: codeIn(textsTo(to)[0]) })).resolves.toMatchObject({
      status: 'verified',
    });
  });

  test('the same code is sent again', async () => {
    const to = newRecipient();
    const otp = await sendOtp(ctxOf(before), { to });
    await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(otp.id)]);
    await resendOtp(ctxOf(after), { pinId: otp.id });
    const [first, second] = textsTo(to);
    expect(second).toBe(first);
  });

  test('a code whose key nobody has any more is over, counts nothing, and is not sent again', async () => {
    const to = newRecipient();
    const otp = await sendOtp(ctxOf(before), { to });
    const stranger = createKeyRing(NEW_SECRET, []);
    const guess = verifyOtp(ctxOf(stranger), { pinId: otp.id, pin: codeIn(textsTo(to)[0]) });
    await expect(guess).rejects.toMatchObject({ code: 'otp_expired' });
    await expect(row(otp.id)).resolves.toMatchObject({ attempts: 0, status: 'sent' });
    await expect(resendOtp(ctxOf(stranger), { pinId: otp.id })).rejects.toMatchObject({ code: 'otp_expired' });
  });
});

describe('a passcode that a dead process left', () => {
  /** One whose first channel was being asked when the process died. */
  async function leave(): Promise<{ id: string; to: string }> {
    const to = newRecipient();
    const otp = await sendOtp(ctxOf(), { to, channels: ['chat_qr', 'sms'], chatFrom: '15550000001' });
    await putUnderWay(t.sql, otp.id);
    return { id: otp.id, to };
  }

  test('goes on with the next channel and the same code', async () => {
    const { id, to } = await leave();
    await recoverSends(t.ctxFor(OPERATOR), OTP);
    const texts = textsTo(to);
    expect(texts).toHaveLength(2);
    expect(codeIn(texts[1])).toBe(codeIn(texts[0]));
    await expect(row(id)).resolves.toMatchObject({ status: 'sent', channel: 'sms', lease_until: null });
    await expect(verifyOtp(ctxOf(), { pinId: id, pin: codeIn(texts[0]) })).resolves.toMatchObject({
      status: 'verified',
    });
  });

  test('that was verified meanwhile is sent to nobody any more', async () => {
    const { id, to } = await leave();
    await verifyOtp(ctxOf(), { pinId: id, pin: codeIn(textsTo(to)[0]) });
    await recoverSends(t.ctxFor(OPERATOR), OTP);
    expect(textsTo(to)).toHaveLength(1);
    await expect(row(id)).resolves.toMatchObject({ status: 'verified', lease_until: null });
  });

  test('during a resend takes no attempt of the first send for one of it', async () => {
    const { id, to } = await leave();
    await t.sql(`update attempts set status = 'sent' where pin_id = $1`, [toUuid(id)]);
    await t.sql('update otps set resends = 1 where id = $1', [toUuid(id)]);
    await recoverSends(t.ctxFor(OPERATOR), OTP);
    expect(textsTo(to)).toHaveLength(2);
  });
});

describe('a report of the provider', () => {
  async function report(pinIds: readonly string[], status: 'delivered' | 'failed'): Promise<void> {
    const receipts = await Promise.all(
      pinIds.map(async pinId => {
        const providerMessageId = newId('sbx');
        const [attempt] = await t.sql<{ provider: string }>(
          'update attempts set provider_message_id = $2 where pin_id = $1 returning provider',
          [toUuid(pinId), providerMessageId],
        );
        const errorMessage = 'Your code 123456 did not arrive.';
        return { providerMessageId, status, errorCode: null, errorMessage, provider: attempt?.provider ?? '' };
      }),
    );
    await recordReceipts(t.ctxFor(OPERATOR), receipts);
  }

  test('that a refused passcode arrived makes its code good', async () => {
    refused = new Set(['sms']);
    const to = newRecipient();
    const otp = await sendOtp(ctxOf(), { to });
    refused = new Set();
    expect(otp.status).toBe('failed');
    await report([otp.id], 'delivered');
    await expect(row(otp.id)).resolves.toMatchObject({ status: 'sent', channel: 'sms' });
    await expect(verifyOtp(ctxOf(), { pinId: otp.id, pin: codeIn(textsTo(to)[0]) })).resolves.toMatchObject({
      status: 'verified',
    });
  });

  test('brings no code back that a newer one has replaced', async () => {
    refused = new Set(['sms']);
    const to = newRecipient();
    const older = await sendOtp(ctxOf(), { to });
    refused = new Set();
    await sendOtp(ctxOf(), { to });
    await report([older.id], 'delivered');
    await expect(row(older.id)).resolves.toMatchObject({ status: 'failed' });
  });

  test('brings no code back behind a newer one that was used or is over', async () => {
    for (const status of ['verified', 'blocked', 'expired', 'cancelled']) {
      refused = new Set(['sms']);
      const to = newRecipient();
      const older = await sendOtp(ctxOf(), { to });
      refused = new Set();
      const newer = await sendOtp(ctxOf(), { to });
      await t.sql('update otps set status = $2 where id = $1', [toUuid(newer.id), status]);
      await report([older.id], 'delivered');
      await expect(row(older.id)).resolves.toMatchObject({ status: 'failed', channel: 'sms' });
    }
  });

  test('brings no code back behind a newer one that was used before its provider had answered', async () => {
    refused = new Set(['sms']);
    const to = newRecipient();
    const older = await sendOtp(ctxOf(), { to });
    refused = new Set();
    const id = toUuid((await sendOtp(ctxOf(), { to })).id);
    await t.sql(`update otps set status = 'verified', lease_until = now() + interval '1 minute' where id = $1`, [id]);
    await t.sql('delete from attempts where pin_id = $1', [id]);
    await report([older.id], 'delivered');
    await expect(row(older.id)).resolves.toMatchObject({ status: 'failed', channel: 'sms' });
    await t.sql('update otps set lease_until = null where id = $1', [id]);
  });

  test('makes a refused code good behind a newer one that was refused too', async () => {
    refused = new Set(['sms']);
    const to = newRecipient();
    const older = await sendOtp(ctxOf(), { to });
    await sendOtp(ctxOf(), { to });
    refused = new Set();
    await report([older.id], 'delivered');
    await expect(row(older.id)).resolves.toMatchObject({ status: 'sent', channel: 'sms' });
  });

  test('that two refused passcodes of one recipient arrived, at once, makes the newer one good', async () => {
    refused = new Set(['sms']);
    const to = newRecipient();
    const older = await sendOtp(ctxOf(), { to });
    const newer = await sendOtp(ctxOf(), { to });
    refused = new Set();
    await report([older.id, newer.id], 'delivered');
    await expect(row(older.id)).resolves.toMatchObject({ status: 'failed', channel: 'sms' });
    await expect(row(newer.id)).resolves.toMatchObject({ status: 'sent', channel: 'sms' });
  });

  test('loses what could be the code', async () => {
    const otp = await sendOtp(ctxOf(), { to: newRecipient() });
    await report([otp.id], 'failed');
    await expect(
      t.sql('select status, error_message from attempts where pin_id = $1', [toUuid(otp.id)]),
    ).resolves.toEqual([{ status: 'failed', error_message: 'Your code … did not arrive.' }]);
  });
});

test('the right code is not turned down for what others guess from an address that is out of budget', async () => {
  const to = '+12025550100';
  const otp = await sendOtp(ctxOf(), { to });
  const code = codeIn(textsTo(to).at(-1));
  const wrong = code === '000000' ? '000001' : '000000';
  await t.sql(
    `insert into otp_addresses select $1, '203.0.113.66', array_fill(now(), array[30]), 0, now() on conflict do nothing`,
    [toUuid(account.accountId)],
  );
  // In one group, the others first.
  const others = Array.from({ length: 40 }, () =>
    verifyOtp(ctxOf(), { pinId: otp.id, pin: wrong, clientIp: '203.0.113.66' }).catch((error: unknown) => error),
  );
  const mine = verifyOtp(ctxOf(), { pinId: otp.id, pin: code, clientIp: '198.51.100.9' });
  await expect(mine).resolves.toMatchObject({ status: 'verified' });
  for (const error of await Promise.all(others)) {
    expect(['rate_limited', 'otp_already_verified']).toContain((error as { code?: string }).code);
  }
});

test('a recipient whose row is gone has no budget', async () => {
  const to = newRecipient();
  const otp = await sendOtp(ctxOf(), { to });
  await t.sql('delete from otp_recipients where account_id = $1 and recipient = $2', [
    toUuid(account.accountId),
    to.slice(1),
  ]);
  const guess = verifyOtp(ctxOf(), { pinId: otp.id, pin: codeIn(textsTo(to)[0]) });
  await expect(guess).rejects.toMatchObject({ code: 'rate_limited', details: { retryAfter: 1 } });
});
