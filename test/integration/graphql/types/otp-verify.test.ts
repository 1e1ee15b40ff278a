import { describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { askerOf, onlyError, otpOf, RESEND_OTP, SEND_OTP, VERIFY_OTP } from '../../../support/otp/graphql-calls.ts';
import { newPhone, storedPin, wrongCode } from '../../../support/otp/pins.ts';
import { arrivedText, expirePin, OTP_AREAS, sendPin, setOtpLimits } from '../../../support/otp/rest-calls.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

const ask = askerOf(on, customer);

const send = (body: { readonly to: string }, token?: string) => ask(SEND_OTP, body, token);

/** Lets the wait of a resend be over. */
async function endWait(pinId: string): Promise<void> {
  await on.sql('update otps set resend_available_at = now() where id = $1', [toUuid(pinId)]);
}

describe('resendOtp', () => {
  test.each(OTP_AREAS)('sends the same code again, with a token of the area %s', async area => {
    const own = await on.customer();
    const recipient = newPhone();
    const token = own.tokens[area];
    const first = otpOf(await send({ to: recipient }, token));
    const text = await arrivedText(on, own, recipient);
    await endWait(first.pinId);
    const again = otpOf(await ask(RESEND_OTP, { pinId: first.pinId }, token));
    expect(again).toMatchObject({
      pinId: first.pinId,
      status: 'SENT',
      channel: 'SMS',
      resends: 1,
      expiresAt: first.expiresAt,
      createdAt: first.createdAt,
      attemptsRemaining: 5,
    });
    // The next one waits 120 s.
    const waitMs = Date.parse(again.resendAvailableAt ?? '') - Date.now();
    expect(Math.abs(waitMs - 120_000)).toBeLessThan(30_000);
    expect(again.attempts).toHaveLength(1);
    expect(again.attempts[0]?.id).not.toBe(first.attempts[0]?.id);
    const { data } = await on.graphql<{ sandboxMessages: { text: string }[] }>(
      'query ($to: String!) { sandboxMessages(to: $to) { text } }',
      { token: own.tokens.management, variables: { to: recipient } },
    );
    expect(data?.sandboxMessages).toEqual([{ text }, { text }]);
  });

  test('says how long to wait', async () => {
    const { pinId } = otpOf(await send({ to: newPhone() }));
    const { extensions } = onlyError(await ask(RESEND_OTP, { pinId }));
    expect(extensions).toEqual({ code: 'OTP_COOLDOWN', retryAfter: expect.any(Number) });
  });

  test('sends three times and no more', async () => {
    const { pinId } = otpOf(await send({ to: newPhone() }));
    const resends: number[] = [];
    for (let count = 0; count < 3; count++) {
      await endWait(pinId);
      const otp = otpOf(await ask(RESEND_OTP, { pinId }));
      resends.push(otp.resends);
      if (count === 2) expect(otp.resendAvailableAt).toBeNull();
    }
    expect(resends).toEqual([1, 2, 3]);
    await endWait(pinId);
    expect(onlyError(await ask(RESEND_OTP, { pinId })).extensions).toEqual({
      code: 'RATE_LIMITED',
      retryAfter: expect.any(Number),
    });
  });

  test('does not find what the caller does not have', async () => {
    const other = await on.customer();
    const theirs = await sendPin(on, other);
    const ofOtherArea = await sendPin(on, customer, { area: 'otp' });
    const answers = await Promise.all(
      [newId('pin'), 'pin_1', '\u0000', theirs.pinId, ofOtherArea.pinId].map(pinId => ask(RESEND_OTP, { pinId })),
    );
    for (const answer of answers) expect(onlyError(answer).extensions).toEqual({ code: 'OTP_NOT_FOUND' });
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
  });

  test('refuses one that was verified', async () => {
    const pin = await sendPin(on, customer);
    otpOf(await ask(VERIFY_OTP, { pinId: pin.pinId, pin: pin.code }));
    expect(onlyError(await ask(RESEND_OTP, { pinId: pin.pinId })).extensions).toEqual({ code: 'OTP_ALREADY_VERIFIED' });
  });

  test('refuses one whose time is over', async () => {
    const pin = await sendPin(on, customer);
    await expirePin(on, pin.pinId);
    expect(onlyError(await ask(RESEND_OTP, { pinId: pin.pinId })).extensions).toEqual({ code: 'OTP_EXPIRED' });
  });

  test('refuses an empty pinId', async () => {
    expect(onlyError(await ask(RESEND_OTP, { pinId: '' })).extensions).toMatchObject({
      code: 'INVALID_INPUT',
      errors: [{ field: 'pinId', message: 'must not be empty' }],
    });
  });
});

describe('verifyOtp', () => {
  test.each(OTP_AREAS)('answers the passcode with the attempts of its sends, with a token of %s', async area => {
    const own = await on.customer();
    const pin = await sendPin(on, own, { area });
    const otp = otpOf(await ask(VERIFY_OTP, { pinId: pin.pinId, pin: pin.code }, own.tokens[area]));
    expect(otp).toMatchObject({
      pinId: pin.pinId,
      recipient: pin.recipient,
      status: 'VERIFIED',
      channel: 'SMS',
      channels: ['SMS'],
      resendAvailableAt: null,
      attemptsRemaining: 4,
      attempts: [{ channel: 'SMS', provider: 'sandbox', status: 'SENT', segments: 1, credits: 1 }],
    });
    expect(Math.abs(Date.parse(otp.verifiedAt ?? '') - Date.now())).toBeLessThan(30_000);
  });

  test('refuses a wrong code with the tries that are left, then every code', async () => {
    const own = await on.customer();
    const mine = await sendPin(on, own);
    const heard: unknown[] = [];
    for (let number = 0; number < 5; number++) {
      const input = { pinId: mine.pinId, pin: wrongCode(mine, number) };
      heard.push(onlyError(await ask(VERIFY_OTP, input, own.tokens.unified)).extensions);
    }
    expect(heard).toEqual([4, 3, 2, 1, 0].map(attemptsRemaining => ({ code: 'OTP_INCORRECT', attemptsRemaining })));
    const last = await ask(VERIFY_OTP, { pinId: mine.pinId, pin: mine.code }, own.tokens.unified);
    expect(onlyError(last).extensions).toEqual({ code: 'OTP_BLOCKED' });
  });

  test('refuses one that was verified', async () => {
    const { pinId, code } = await sendPin(on, customer);
    otpOf(await ask(VERIFY_OTP, { pinId, pin: code }));
    expect(onlyError(await ask(VERIFY_OTP, { pinId, pin: code })).extensions).toEqual({ code: 'OTP_ALREADY_VERIFIED' });
  });

  test('refuses one whose time is over', async () => {
    const { pinId, code } = await sendPin(on, customer);
    await expirePin(on, pinId);
    expect(onlyError(await ask(VERIFY_OTP, { pinId, pin: code })).extensions).toEqual({ code: 'OTP_EXPIRED' });
  });

  test('says how long a limit of wrong codes lasts', async () => {
    const own = await on.customer();
    await setOtpLimits(on, own, { wrongCodesPerDay: 1 });
    const pin = await sendPin(on, own);
    await ask(VERIFY_OTP, { pinId: pin.pinId, pin: wrongCode(pin) }, own.tokens.unified);
    const answer = await ask(VERIFY_OTP, { pinId: pin.pinId, pin: pin.code }, own.tokens.unified);
    expect(onlyError(answer).extensions).toEqual({ code: 'RATE_LIMITED', retryAfter: expect.any(Number) });
  });

  test('does not find what the caller does not have', async () => {
    const theirs = await sendPin(on, await on.customer());
    const ofOtherArea = await sendPin(on, customer, { area: 'otp' });
    const inputs = [
      { pinId: newId('pin'), pin: '123456' },
      { pinId: 'pin_1', pin: '123456' },
      { pinId: theirs.pinId, pin: theirs.code },
      { pinId: ofOtherArea.pinId, pin: ofOtherArea.code },
    ];
    const answers = await Promise.all(inputs.map(input => ask(VERIFY_OTP, input)));
    for (const answer of answers) expect(onlyError(answer).extensions).toEqual({ code: 'OTP_NOT_FOUND' });
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
    await expect(storedPin(on.sql, theirs.pinId)).resolves.toMatchObject({ status: 'sent', attempts: 0 });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no code', {}, 'pin'],
    ['a number as the code', { pin: 123456 }, 'pin'],
    ['letters', { pin: 'abcdef' }, 'pin'],
    ['an alias of REST', { pin: '123456', otp: '123456' }, 'otp'],
    ['an address that is none', { pin: '123456', clientIp: '1.2.3' }, 'clientIp'],
  ])('refuses %s', async (_name, fields, field) => {
    const { extensions } = onlyError(await ask(VERIFY_OTP, { pinId: newId('pin'), ...fields }));
    expect(extensions.code).toBe('INVALID_INPUT');
    expect(extensions.errors?.map(fault => fault.field)).toEqual([field]);
  });

  test('answers the attempts of a resend too', async () => {
    const own = await on.customer();
    const pin = await sendPin(on, own);
    await endWait(pin.pinId);
    otpOf(await ask(RESEND_OTP, { pinId: pin.pinId }, own.tokens.unified));
    const otp = otpOf(await ask(VERIFY_OTP, { pinId: pin.pinId, pin: pin.code }, own.tokens.unified));
    expect(otp.attempts).toHaveLength(2);
    expect(otp.resends).toBe(1);
  });
});
