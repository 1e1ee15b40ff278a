import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { removeSenderRule, setSenderRule } from '../../../../src/modules/sender-rules/manage-sender-rules.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { arrivedText } from '../../../support/otp/rest-calls.ts';
import { OPERATOR } from '../../../support/services.ts';

const on = setUpApp({ env: { DOORS: 'infobip' } });
const customer = setUpCustomer(on);

/** Calls a path as the clients of Infobip do. */
function call(method: string, path: string, body?: object, token = customer.tokens.otp) {
  return on.rest(method, `/2fa/2/${path}`, { body, headers: { authorization: `App ${token}` } });
}

const requestTo = (to: string) => ({ applicationId: 'HJ675435E3A6EA43432G5F37A635KJ8B', messageId: '0130269F', to });
const wrongFor = (code: string): string => (code === '000000' ? '000001' : '000000');

/** A PIN that was sent, and its code. */
async function sent() {
  const to = newRecipient();
  const { body } = await call('POST', 'pin', requestTo(to));
  const code = /[0-9]{6}/.exec(await arrivedText(on, customer, `+${to}`))?.[0] ?? '';
  return { to, pinId: String(body.pinId), code };
}

describe('2FA in the shape of Infobip', () => {
  test('sends a PIN', async () => {
    const to = newRecipient();
    const { status, body } = await call('POST', 'pin?ncNeeded=false', { ...requestTo(to), from: 'ACME' });
    expect(status).toBe(200);
    expect(body).toEqual({
      pinId: expect.stringMatching(/^[0-9A-F]{32}$/),
      to,
      ncStatus: 'NC_NOT_CONFIGURED',
      smsStatus: 'MESSAGE_SENT',
    });
  });

  test('says that a PIN was not sent', async () => {
    const { body } = await call('POST', 'pin', requestTo('12025550101'));
    expect(body).toMatchObject({ smsStatus: 'MESSAGE_NOT_SENT' });
  });

  test('verifies the right PIN once', async () => {
    const { to, pinId, code } = await sent();
    const ofNumber = (filter = '') => call('GET', `applications/HJ6754/verifications?msisdn=${to}${filter}`);
    const pending = { msisdn: to, verified: false, sentAt: expect.any(Number) };
    expect((await ofNumber()).body).toEqual({ verifications: [pending] });
    expect((await ofNumber('&verified=true')).body).toEqual({ verifications: [] });
    const { status, body } = await call('POST', `pin/${pinId}/verify`, { pin: code });
    expect([status, body]).toEqual([200, { pinId, msisdn: to, verified: true, attemptsRemaining: 4 }]);
    const verified = { ...pending, verified: true, verifiedAt: expect.any(Number) };
    expect((await ofNumber('&verified=true&sent=true')).body).toEqual({ verifications: [verified] });
    expect((await call('POST', `pin/${pinId}/verify`, { pin: code })).status).toBe(409);
  });

  test('says of a wrong PIN how many tries are left, and then that there are none', async () => {
    const { pinId, code } = await sent();
    const guess = () => call('POST', `pin/${pinId}/verify`, { pin: wrongFor(code) });
    expect((await guess()).body).toMatchObject({ verified: false, pinError: 'WRONG_PIN', attemptsRemaining: 4 });
    for (let tries = 0; tries < 4; tries++) await guess();
    const last = await guess();
    expect([last.status, last.body]).toEqual([
      200,
      expect.objectContaining({ verified: false, pinError: 'NO_MORE_PIN_ATTEMPTS', attemptsRemaining: 0 }),
    ]);
  });

  test('makes callers wait before a PIN is sent again', async () => {
    const { pinId } = await sent();
    const { status, body } = await call('POST', `pin/${pinId}/resend`, {});
    expect([status, body]).toEqual([429, failure('TOO_MANY_REQUESTS')]);
  });

  test('takes a resend without a body', async () => {
    const { pinId } = await sent();
    await on.sql(`update otps set resend_available_at = now() where id = $1`, [toUuid(`pin_${pinId.toLowerCase()}`)]);
    const { status, body } = await call('POST', `pin/${pinId}/resend`);
    expect([status, body]).toEqual([200, expect.objectContaining({ pinId, smsStatus: 'MESSAGE_SENT' })]);
  });

  test('says that a PIN was not sent again', async () => {
    const { pinId, code } = await sent();
    await on.sql(`update otps set resend_available_at = now() where id = $1`, [toUuid(`pin_${pinId.toLowerCase()}`)]);
    const operator = () => on.app.makeCtx(OPERATOR, 'test');
    await setSenderRule(operator(), { country: 'US', alphanumeric: 'refused' });
    const { status, body } = await call('POST', `pin/${pinId}/resend`);
    await removeSenderRule(operator(), { country: 'US' });
    expect([status, body]).toEqual([200, expect.objectContaining({ pinId, smsStatus: 'MESSAGE_NOT_SENT' })]);
    expect((await call('POST', `pin/${pinId}/verify`, { pin: code })).body).toMatchObject({ verified: true });
  });

  const failure = (messageId: string) => ({
    requestError: { serviceException: { messageId, text: expect.any(String) } },
  });

  test.each([
    ['a number that is none', 'pin', { ...requestTo('12') }, 400, 'BAD_REQUEST'],
    ['values for a template', 'pin', { ...requestTo('12025550100'), placeholders: { a: 'b' } }, 400, 'BAD_REQUEST'],
    ['a look-up of the number', 'pin?ncNeeded=true', requestTo('12025550100'), 400, 'BAD_REQUEST'],
    ['a PIN of nobody', `pin/${'0'.repeat(32)}/verify`, { pin: '123456' }, 404, 'PIN_NOT_FOUND'],
    ['an id that is none', 'pin/none/verify', { pin: '123456' }, 404, 'PIN_NOT_FOUND'],
  ])('refuses %s', async (_what, path, body, status, messageId) => {
    const answer = await call('POST', path, body);
    expect([answer.status, answer.body]).toEqual([status, failure(messageId)]);
  });

  test.each([
    ['pin?foo=1', 'foo: is not carried over by this door; leave it out'],
    ['pin?constructor=1', 'constructor: is not carried over by this door; leave it out'],
    ['pin?ncNeeded=false&ncNeeded=true', 'ncNeeded: must be given once'],
    [`pin/${'0'.repeat(32)}/resend?foo=1`, 'foo: is not read in the query string; leave it out'],
    [`pin/${'0'.repeat(32)}/verify?pin=1`, 'pin: is not read in the query string; leave it out'],
  ])('refuses the query string of %s', async (path, text) => {
    const { status, body } = await call(
      'POST',
      path,
      path.includes('verify') ? { pin: '123456' } : requestTo('12025550100'),
    );
    expect([status, body]).toEqual([400, { requestError: { serviceException: { messageId: 'BAD_REQUEST', text } } }]);
  });

  test.each(['constructor', 'toString', 'valueOf'])('refuses a member %s as any other', async name => {
    const { status, body } = await call('POST', 'pin', { ...requestTo('12025550100'), [name]: 1 });
    expect([status, body]).toEqual([400, failure('BAD_REQUEST')]);
    expect(JSON.stringify(body)).toContain(`"${name}: `);
  });

  test('tells wrong PINs at once how many tries each has left', async () => {
    const { pinId, code } = await sent();
    const guess = () => call('POST', `pin/${pinId}/verify`, { pin: wrongFor(code) });
    const answers = await Promise.all(Array.from({ length: 5 }, guess));
    const left = answers.map(({ body }) => Number(body.attemptsRemaining)).sort((a, b) => b - a);
    expect(left).toEqual([4, 3, 2, 1, 0]);
  });

  test('refuses a token that is not alive', async () => {
    const { status, body } = await call('POST', 'pin', requestTo('12025550100'), 'hg_otp_nobody');
    expect([status, body]).toEqual([401, failure('UNAUTHORIZED')]);
  });

  test('refuses our own form of Authorization', async () => {
    const { status } = await on.rest('POST', '/2fa/2/pin', {
      token: customer.tokens.otp,
      body: requestTo('12025550100'),
    });
    expect(status).toBe(401);
  });
});
