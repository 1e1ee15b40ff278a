import { describe, expect, test } from 'vitest';
import { newId } from '../../../../src/kernel/ids.ts';
import type { RestAnswer, TestApp } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { makePin, storedPin, wrongCode } from '../../../support/otp/pins.ts';
import { OTP_AREAS, otpPath, sendPin, verifyPin } from '../../../support/otp/rest-calls.ts';
import { expectLimit, expectProblem, PROBLEM_MEMBERS } from '../../../support/problems.ts';
import { emptyBuckets } from '../../../support/request-buckets.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

/** The answer, without the id of the request. */
function told({ status, body, headers }: RestAnswer): unknown {
  const { requestId, ...rest } = body;
  return { status, body: rest, members: Object.keys(body), headers: [...headers.keys()].sort() };
}

describe.each(OTP_AREAS)('a passcode that the caller does not have, on the path of %s', area => {
  test('is not found, with one answer for all of them', async () => {
    const other = await on.customer();
    const theirs = await sendPin(on, other, { area });
    const ofOtherArea = await sendPin(on, customer, { area: area === 'otp' ? 'unified' : 'otp' });
    const blocked = await sendPin(on, other, { area });
    for (let number = 0; number < 5; number++) {
      await verifyPin(on, other, { pinId: blocked.pinId, pin: wrongCode(blocked, number) }, area);
    }
    const used = await sendPin(on, other, { area });
    await verifyPin(on, other, { pinId: used.pinId, pin: used.code }, area);
    const bodies: Readonly<Record<string, unknown>>[] = [
      { pinId: newId('pin'), pin: '123456' },
      { pinId: 'pin_1', pin: '123456' },
      { pinId: 'p'.repeat(5_000), pin: '123456' },
      { pinId: '\u0000', pin: '123456' },
      { pinId: newId('msg'), pin: '123456' },
      { pinId: theirs.pinId, pin: theirs.code },
      { pinId: theirs.pinId, pin: wrongCode(theirs) },
      { pinId: ofOtherArea.pinId, pin: ofOtherArea.code },
      { pinId: ofOtherArea.pinId, pin: wrongCode(ofOtherArea) },
      { pinId: blocked.pinId, pin: blocked.code },
      { pinId: used.pinId, pin: used.code },
    ];
    const [first, ...rest] = await Promise.all(bodies.map(body => verifyPin(on, customer, body, area)));
    if (!first) throw new Error('there is no answer');
    expectProblem(first, 404, 'otp_not_found');
    expect(Object.keys(first.body)).toEqual([...PROBLEM_MEMBERS]);
    for (const answer of rest) expect(told(answer)).toEqual(told(first));
    for (const { pinId } of [theirs, ofOtherArea]) {
      await expect(storedPin(on.sql, pinId)).resolves.toMatchObject({ status: 'sent', attempts: 0 });
    }
  });

  test('is not found where its id is in upper case only by its own account', async () => {
    const { pinId, code } = await sendPin(on, customer, { area });
    const written = `pin_${pinId.slice(4).toUpperCase()}`;
    const own = await verifyPin(on, customer, { pinId: written, pin: code }, area);
    expect([own.status, own.body.data?.pinId]).toEqual([200, pinId]);
  });
});

describe.each(OTP_AREAS)('a verify that is refused, on the path of %s', area => {
  const PIN_ID = 'pin_5f1d7a84c3b24e0f9a6d2c1b8e7f4a30';
  const DIGITS = 'must be a string of digits';
  const FAULTS: [string, Readonly<Record<string, unknown>>, [string, string | RegExp][]][] = [
    ['nothing', {}, [['pinId', 'is required']]],
    ['no code', { pinId: PIN_ID }, [['pin', 'is required']]],
    ['null as the code', { pinId: PIN_ID, pin: null }, [['pin', 'is required']]],
    ['an empty code', { pinId: PIN_ID, pin: '' }, [['pin', DIGITS]]],
    ['a code of letters', { pinId: PIN_ID, pin: 'abcdef' }, [['pin', DIGITS]]],
    ['a code with a blank', { pinId: PIN_ID, pin: ' 123456' }, [['pin', DIGITS]]],
    ['digits that are not ASCII', { pinId: PIN_ID, pin: '١٢٣٤٥٦' }, [['pin', DIGITS]]],
    ['a number as the code', { pinId: PIN_ID, pin: 123456 }, [['pin', DIGITS]]],
    ['a list as the code', { pinId: PIN_ID, pin: ['123456'] }, [['pin', DIGITS]]],
    ['a number as the alias otp', { pinId: PIN_ID, otp: 123456 }, [['otp', DIGITS]]],
    ['letters as the alias code', { pinId: PIN_ID, code: '12a456' }, [['code', DIGITS]]],
    ['a right name and a wrong one', { pinId: PIN_ID, pin: '123456', code: 123456 }, [['code', DIGITS]]],
    ['no pinId', { pin: '123456' }, [['pinId', 'is required']]],
    ['an empty pinId', { pinId: '', pin: '123456' }, [['pinId', 'must not be empty']]],
    ['an address that is none', { pinId: PIN_ID, pin: '123456', clientIp: 'x' }, [['clientIp', /IPv4 or IPv6/]]],
    [
      'a name that is nearly its own',
      { PinId: PIN_ID, pin: '123456' },
      [['PinId', 'is not a field of this request; did you mean pinId?']],
    ],
  ];

  test.each(FAULTS)('for %s', async (_name, body, faults) => {
    const answer = await verifyPin(on, customer, body, area);
    expectProblem(answer, 400, 'invalid_input');
    expect(Object.keys(answer.body)).toEqual([...PROBLEM_MEMBERS, 'errors']);
    expect(answer.body.errors).toEqual(
      faults.map(([field, message]) => ({
        field,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      })),
    );
  });

  const post = (call: Parameters<TestApp['rest']>[2]) => on.rest('POST', otpPath(area, 'verify'), call);

  test('for a body that is no JSON', async () => {
    expectProblem(await post({ token: customer.tokens[area], body: '{"pinId":' }), 400, 'invalid_json');
  });

  test('for a body that is no object', async () => {
    expectProblem(await post({ token: customer.tokens[area], body: '"pin"' }), 400, 'invalid_input');
  });

  test('for a body that is too large', async () => {
    expectProblem(await post({ token: customer.tokens[area], body: ' '.repeat(65_537) }), 413, 'body_too_large');
  });

  test('as a form', async () => {
    const call = { token: customer.tokens[area], body: 'pin=1', headers: { 'content-type': 'text/plain' } };
    expectProblem(await post(call), 415, 'unsupported_media_type');
  });

  test('without a token, before anything is said about the body', async () => {
    const answer = await post({ body: '{' });
    expectProblem(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('with a token of another area, before anything is said about the body', async () => {
    const others = (['unified', 'sms', 'otp', 'management'] as const).filter(other => other !== area);
    for (const other of others) {
      expectProblem(await post({ token: customer.tokens[other], body: '{' }), 403, 'wrong_area');
    }
  });

  test('by another method', async () => {
    const answer = await on.rest('GET', otpPath(area, 'verify'), { token: customer.tokens[area] });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test('by the limit of requests of its token, which leaves the passcode as it is', async () => {
    const own = await on.customer({ rateLimit: 1 });
    const pin = await makePin(on.sql, { accountId: own.accountId, area }, on.app.services.keys);
    const wrong = await verifyPin(on, own, { pinId: pin.pinId, pin: wrongCode(pin) }, area);
    expectProblem(wrong, 400, 'otp_incorrect');
    await emptyBuckets(on.sql, own.accountId);
    const limited = await verifyPin(on, own, { pinId: pin.pinId, pin: pin.code }, area);
    expectLimit(limited, 'rate_limited', 2);
    for (const { headers } of [wrong, limited]) expect(headers.get('ratelimit-policy')).toBe('"requests";q=2;w=2');
    await expect(storedPin(on.sql, pin.pinId)).resolves.toMatchObject({ status: 'sent', attempts: 1 });
  });
});

test.each([
  ['unified_api_disabled', { unifiedApi: false }],
  ['plan_expired', { planExpiresAt: new Date(Date.now() - 60_000) }],
])('%s closes the unified path, before anything is said about the body', async (code, seed) => {
  const off = await on.customer(seed);
  const answer = await on.rest('POST', otpPath('unified', 'verify'), { token: off.tokens.unified, body: '{' });
  expectProblem(answer, 403, code);
});
