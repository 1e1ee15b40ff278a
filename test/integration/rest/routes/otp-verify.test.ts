import { describe, expect, test } from 'vitest';
import { verifiedOtpData } from '../../../../src/rest/schemas.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { storedPin, wrongCode } from '../../../support/otp/pins.ts';
import { expirePin, OTP_AREAS, otpPath, sendPin, setOtpLimits, verifyPin } from '../../../support/otp/rest-calls.ts';
import { expectLimit, expectProblem, PROBLEM_MEMBERS } from '../../../support/problems.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

describe.each(OTP_AREAS)('the right code, on the path of %s', area => {
  test('is answered with exactly the documented data', async () => {
    const { pinId, code, recipient } = await sendPin(on, customer, { area });
    const { status, text, body, headers } = await verifyPin(on, customer, { pinId, pin: code }, area);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(JSON.parse(text))).toEqual(['success', 'message', 'data']);
    const { verifiedAt } = verifiedOtpData.parse(body.data);
    expect(Object.entries(body.data ?? {})).toEqual([
      ['pinId', pinId],
      ['recipient', recipient],
      ['status', 'verified'],
      ['verifiedAt', verifiedAt],
    ]);
    expect(Math.abs(Date.parse(verifiedAt) - Date.now())).toBeLessThan(30_000);
  });

  test.each([
    [['pin']],
    [['otp']],
    [['code']],
    [['pin', 'otp']],
    [['pin', 'code']],
    [['otp', 'code']],
    [['pin', 'otp', 'code']],
  ])('is read from %j', async names => {
    const { pinId, code } = await sendPin(on, customer, { area });
    const given = Object.fromEntries(names.map(name => [name, code]));
    expect((await verifyPin(on, customer, { pinId, ...given }, area)).status).toBe(200);
  });

  test('is read past names that are null', async () => {
    const { pinId, code } = await sendPin(on, customer, { area });
    const body = { pinId, pin: null, otp: code, code: null, clientIp: null };
    expect((await verifyPin(on, customer, body, area)).status).toBe(200);
  });

  test.each([[['pin', 'otp']], [['pin', 'code']], [['otp', 'code']], [['pin', 'otp', 'code']]])(
    'is not looked at where %j differ',
    async names => {
      const pin = await sendPin(on, customer, { area });
      const given = Object.fromEntries(names.map((name, index) => [name, index === 0 ? wrongCode(pin) : pin.code]));
      const answer = await verifyPin(on, customer, { pinId: pin.pinId, ...given }, area);
      expectProblem(answer, 400, 'invalid_input');
      expect(answer.body.errors?.map(error => error.field)).toEqual(names);
      expect(answer.text).not.toContain(pin.code);
      await expect(storedPin(on.sql, pin.pinId)).resolves.toMatchObject({ status: 'sent', attempts: 0 });
    },
  );

  test('is right once', async () => {
    const { pinId, code } = await sendPin(on, customer, { area });
    await verifyPin(on, customer, { pinId, pin: code }, area);
    const again = await verifyPin(on, customer, { pinId, pin: code }, area);
    expectProblem(again, 409, 'otp_already_verified');
    expect(Object.keys(again.body)).toEqual([...PROBLEM_MEMBERS]);
  });

  test('is right with the zeros in front only', async () => {
    const { pinId, code } = await sendPin(on, customer, { area });
    expectProblem(await verifyPin(on, customer, { pinId, pin: `0${code}` }, area), 400, 'otp_incorrect');
  });

  test('is over after its time', async () => {
    const { pinId, code } = await sendPin(on, customer, { area });
    await expirePin(on, pinId);
    const answer = await verifyPin(on, customer, { pinId, pin: code }, area);
    expectProblem(answer, 410, 'otp_expired');
    expect(Object.keys(answer.body)).toEqual([...PROBLEM_MEMBERS]);
  });

  test('is over where a newer one was sent', async () => {
    const own = await on.customer();
    const older = await sendPin(on, own, { area, to: '+12025550100' });
    const newer = await sendPin(on, own, { area, to: '+12025550100' });
    expectProblem(await verifyPin(on, own, { pinId: older.pinId, pin: older.code }, area), 410, 'otp_expired');
    expect((await verifyPin(on, own, { pinId: newer.pinId, pin: newer.code }, area)).status).toBe(200);
  });
});

describe.each(OTP_AREAS)('a wrong code, on the path of %s', area => {
  test('is answered with the tries that are left, in data only', async () => {
    const pin = await sendPin(on, customer, { area });
    const answer = await verifyPin(on, customer, { pinId: pin.pinId, pin: wrongCode(pin) }, area);
    expectProblem(answer, 400, 'otp_incorrect');
    expect(Object.keys(answer.body)).toEqual([...PROBLEM_MEMBERS, 'data']);
    expect(answer.body.data).toEqual({ attemptsRemaining: 4 });
    expect(answer.text).not.toContain(pin.code);
  });

  test('blocks the passcode as the fifth of them, for the right code too', async () => {
    const own = await on.customer();
    const pin = await sendPin(on, own, { area });
    const remaining: unknown[] = [];
    for (const name of ['pin', 'otp', 'code', 'pin', 'otp']) {
      const answer = await verifyPin(on, own, { pinId: pin.pinId, [name]: wrongCode(pin) }, area);
      expectProblem(answer, 400, 'otp_incorrect');
      remaining.push(answer.body.data?.attemptsRemaining);
    }
    expect(remaining).toEqual([4, 3, 2, 1, 0]);
    for (const code of [pin.code, wrongCode(pin)]) {
      const answer = await verifyPin(on, own, { pinId: pin.pinId, pin: code }, area);
      expectProblem(answer, 423, 'otp_blocked');
      expect(Object.keys(answer.body)).toEqual([...PROBLEM_MEMBERS]);
    }
  });

  test('leaves room for the right one', async () => {
    const pin = await sendPin(on, customer, { area });
    for (let number = 0; number < 4; number++) {
      await verifyPin(on, customer, { pinId: pin.pinId, pin: wrongCode(pin, number) }, area);
    }
    expect((await verifyPin(on, customer, { pinId: pin.pinId, pin: pin.code }, area)).status).toBe(200);
  });

  test('of another length is a wrong one', async () => {
    const pin = await sendPin(on, customer, { area });
    for (const code of ['1', pin.code.slice(1), '1'.repeat(32)]) {
      expectProblem(await verifyPin(on, customer, { pinId: pin.pinId, pin: code }, area), 400, 'otp_incorrect');
    }
  });

  test('is one of so many for its recipient in a day', async () => {
    const own = await on.customer();
    await setOtpLimits(on, own, { wrongCodesPerDay: 1, cooldownSeconds: 0 });
    const pin = await sendPin(on, own, { area });
    expectProblem(await verifyPin(on, own, { pinId: pin.pinId, pin: wrongCode(pin) }, area), 400, 'otp_incorrect');
    const limited = await verifyPin(on, own, { pinId: pin.pinId, pin: pin.code }, area);
    expectLimit(limited, 'rate_limited', 86_400);
    expect(Object.keys(limited.body)).toEqual([...PROBLEM_MEMBERS, 'retryAfter']);
    // A newer pin of the same recipient does not help.
    const newer = await sendPin(on, own, { area, to: `+${pin.recipient}` });
    expectLimit(await verifyPin(on, own, { pinId: newer.pinId, pin: newer.code }, area), 'rate_limited', 86_400);
  });

  test('is one of so many from its address in five minutes', async () => {
    const own = await on.customer();
    await setOtpLimits(on, own, { wrongCodesPerAddress: 1 });
    const [one, two] = [await sendPin(on, own, { area }), await sendPin(on, own, { area })];
    const guess = (pin: string, pinId: string, clientIp: string) => verifyPin(on, own, { pinId, pin, clientIp }, area);
    expectProblem(await guess(wrongCode(one), one.pinId, '2001:db8::1'), 400, 'otp_incorrect');
    // The same network of 64 bits is one address.
    expectLimit(await guess(two.code, two.pinId, '2001:db8::2'), 'rate_limited', 300);
    expect((await guess(two.code, two.pinId, '2001:db8:0:1::2')).status).toBe(200);
  });

  test('counts for the address of the caller where none is named', async () => {
    const own = await on.customer();
    await setOtpLimits(on, own, { wrongCodesPerAddress: 1 });
    const [one, two] = [await sendPin(on, own, { area }), await sendPin(on, own, { area })];
    await verifyPin(on, own, { pinId: one.pinId, pin: wrongCode(one) }, area);
    expectLimit(await verifyPin(on, own, { pinId: two.pinId, pin: two.code }, area), 'rate_limited', 300);
  });
});

test('the SMS path is open while the unified API is off', async () => {
  const off = await on.customer({ unifiedApi: false });
  const { body } = await on.rest('POST', otpPath('otp', 'send'), {
    token: off.tokens.otp,
    body: { to: '+12025550100' },
  });
  const answer = await verifyPin(on, off, { pinId: body.data?.pinId, pin: '1' }, 'otp');
  expectProblem(answer, 400, 'otp_incorrect');
});

test('a code of any number of digits is a wrong one', async () => {
  const { pinId } = await sendPin(on, customer);
  expectProblem(await verifyPin(on, customer, { pinId, pin: '1'.repeat(5_000) }), 400, 'otp_incorrect');
});

test('a passcode that no channel accepted is over', async () => {
  const { body } = await on.rest('POST', otpPath('otp', 'send'), {
    token: customer.tokens.otp,
    body: { to: '+12025550101' },
  });
  expectProblem(await verifyPin(on, customer, { pinId: body.data?.pinId, pin: '1' }, 'otp'), 410, 'otp_expired');
});

test('a hundred verifies of one code at once are one success', async () => {
  const own = await on.customer();
  const { pinId, code } = await sendPin(on, own);
  const answers = await Promise.all(Array.from({ length: 100 }, () => verifyPin(on, own, { pinId, pin: code })));
  expect(answers.filter(answer => answer.status === 200)).toHaveLength(1);
  expect(answers.filter(answer => answer.status === 409)).toHaveLength(99);
});

test('the cooldown of a recipient is no limit of its verifies', async () => {
  const own = await on.customer();
  const pin = await sendPin(on, own);
  await verifyPin(on, own, { pinId: pin.pinId, pin: wrongCode(pin) });
  expect((await verifyPin(on, own, { pinId: pin.pinId, pin: pin.code })).status).toBe(200);
});
