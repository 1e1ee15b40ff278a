import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import type { Customer, RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { OTP_AREAS, type OtpArea, otpPath, setOtpLimits } from '../../../support/otp/rest-calls.ts';
import { expectProblem, PROBLEM_MEMBERS } from '../../../support/problems.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

type Body = Readonly<Record<string, unknown>>;

function send(body: unknown, area: OtpArea = 'unified', of: Customer = customer): Promise<RestAnswer> {
  return on.rest('POST', otpPath(area, 'send'), { token: of.tokens[area], body });
}

async function countOtps(of: Customer): Promise<number | undefined> {
  const [row] = await on.sql<{ count: number }>(
    `select (select count(*) from otps where account_id = $1)::int
       + (select count(*) from attempts where account_id = $1)::int as count`,
    [toUuid(of.accountId)],
  );
  return row?.count;
}

describe('a passcode that is refused', () => {
  const FAULTS: [string, Body, string, RegExp?][] = [
    ['no recipient', { to: undefined }, 'to', /^is required$/],
    ['null as the recipient', { to: null }, 'to'],
    ['a number as the recipient', { to: 12025550100 }, 'to'],
    ['a national number', { to: '0301234567' }, 'to'],
    ['3 digits', { length: 3 }, 'length', /4 to 10/],
    ['11 digits', { length: 11 }, 'length', /4 to 10/],
    ['4.5 digits', { length: 4.5 }, 'length', /whole number.*4 to 10/],
    ['digits as text', { length: '6' }, 'length', /4 to 10/],
    ['59 seconds', { expiresIn: 59 }, 'expiresIn', /seconds from 60 to 3600/],
    ['3601 seconds', { expiresIn: 3_601 }, 'expiresIn', /seconds from 60 to 3600/],
    ['a part of a second', { expiresIn: 60.5 }, 'expiresIn', /seconds from 60 to 3600/],
    ['seconds as text', { expiresIn: '300' }, 'expiresIn', /seconds from 60 to 3600/],
    ['a template without {{code}}', { template: 'Hello' }, 'template', /\{\{code\}\}/],
    ['a template with {{name}}', { template: '{{name}}: {{code}}' }, 'template', /\{\{name\}\}/],
    ['a template with broken braces', { template: '{{code}' }, 'template'],
    ['an empty template', { template: '' }, 'template'],
    ['a template of eleven segments', { template: `{{code}}${'a'.repeat(1_560)}` }, 'template', /segments/],
    ['NUL in the template', { template: '{{code}}\u0000' }, 'template'],
    ['an address that is none', { clientIp: 'localhost' }, 'clientIp', /IPv4 or IPv6/],
    ['an address with a port', { clientIp: '203.0.113.7:80' }, 'clientIp', /IPv4 or IPv6/],
    ['a number as the address', { clientIp: 7 }, 'clientIp'],
    ['an empty autofill', { autofill: {} }, 'autofill'],
    ['a site and an app', { autofill: { domain: 'example.com', appHash: 'FA+9qCX9VSu' } }, 'autofill'],
    ['a site with a path', { autofill: { domain: 'example.com/a' } }, 'autofill.domain'],
    ['a hash that is too short', { autofill: { appHash: 'FA+9' } }, 'autofill.appHash'],
    ['a name that is nearly its own', { Length: 6 }, 'Length', /did you mean length/],
    ['a channel twice', { channels: ['sms', 'sms'] }, 'channels'],
    ['an unknown channel', { channels: ['fax'] }, 'channels.0'],
  ];

  test.each(FAULTS)('for %s, on both paths', async (_name, fields, field, message) => {
    const own = await on.customer();
    for (const area of OTP_AREAS) {
      const answer = await send({ to: newPhone(), ...fields }, area, own);
      expectProblem(answer, 400, 'invalid_input');
      expect(Object.keys(answer.body)).toEqual([...PROBLEM_MEMBERS, 'errors']);
      expect([...new Set(answer.body.errors?.map(error => error.field))]).toEqual([field]);
      if (message) expect(answer.body.errors?.[0]?.message).toMatch(message);
    }
    await expect(countOtps(own)).resolves.toBe(0);
  });

  test.each<[string, Body, string]>([
    ['an unknown delivery mode', { deliveryMode: 'both' }, 'deliveryMode'],
    ['chat_qr without chatFrom', { channels: ['chat_qr'] }, 'chatFrom'],
    ['chat_cloud without a template', { channels: ['chat_cloud'] }, 'cloudTemplate'],
    ...[14, 3_601, 30.5, '30', 0, -30, true].map((fallbackAfter): [string, Body, string] => [
      `${JSON.stringify(fallbackAfter)} as fallbackAfter`,
      { fallbackAfter },
      'fallbackAfter',
    ]),
    ['a status that no channel is waited for', { fallbackAfter: 30, successStatus: 'sent' }, 'successStatus'],
    ['a status in upper case', { fallbackAfter: 30, successStatus: 'READ' }, 'successStatus'],
    ['a name that is nearly that of a time', { fallback_after: 30 }, 'fallback_after'],
  ])('for %s', async (_name, fields, field) => {
    const own = await on.customer();
    const answer = await send({ to: newPhone(), ...fields }, 'unified', own);
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors?.map(error => error.field)).toEqual([field]);
    await expect(countOtps(own)).resolves.toBe(0);
  });

  test.each<[string, string, string]>([
    ['no JSON', '{"to":', 'invalid_json'],
    ['a list', '[]', 'invalid_input'],
  ])('for a body that is %s', async (_name, body, code) => {
    for (const area of OTP_AREAS) expectProblem(await send(body, area), 400, code);
  });

  test('without a sender that could be the default', async () => {
    const own = await on.customer({ senders: [{ channel: 'sms', address: 'WAITING', approved: false }] });
    const answer = await send({ to: newPhone() }, 'otp', own);
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors?.map(error => error.field)).toEqual(['sender']);
  });

  test('for a default sender that is not approved', async () => {
    const own = await on.customer({
      senders: [{ channel: 'sms', address: 'WAITING', approved: false, isDefault: true }],
    });
    expectProblem(await send({ to: newPhone() }, 'otp', own), 403, 'sender_not_approved');
  });

  test('for a sender that is not approved', async () => {
    for (const area of OTP_AREAS) {
      expectProblem(await send({ to: newPhone(), sender: 'OTHER' }, area), 403, 'sender_not_approved');
    }
  });

  test('without a token before anything is said about the body', async () => {
    for (const area of OTP_AREAS) {
      const answer = await on.rest('POST', otpPath(area, 'send'), { body: '{' });
      expectProblem(answer, 401, 'unauthenticated');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test.each([
    ['unified', 'otp'],
    ['unified', 'sms'],
    ['unified', 'management'],
    ['otp', 'unified'],
    ['otp', 'sms'],
    ['otp', 'management'],
  ] as const)('on the path of %s with a token of %s, whatever the body', async (area, other) => {
    const answer = await on.rest('POST', otpPath(area, 'send'), { token: customer.tokens[other], body: '{' });
    expectProblem(answer, 403, 'wrong_area');
  });

  test('while the unified API is off, before anything is said about the body', async () => {
    const off = await on.customer({ unifiedApi: false });
    expectProblem(await send('{', 'unified', off), 403, 'unified_api_disabled');
  });

  test('after the plan has ended', async () => {
    const ended = await on.customer({ planExpiresAt: new Date(Date.now() - 60_000) });
    expectProblem(await send({ to: newPhone() }, 'unified', ended), 403, 'plan_expired');
  });

  test.each(OTP_AREAS)('by another method or as another type, on the path of %s', async area => {
    const path = otpPath(area, 'send');
    const get = await on.rest('GET', path, { token: customer.tokens[area] });
    expectProblem(get, 405, 'method_not_allowed');
    expect(get.headers.get('allow')).toBe('POST');
    const form = { token: customer.tokens[area], body: 'to=1', headers: { 'content-type': 'text/plain' } };
    expectProblem(await on.rest('POST', path, form), 415, 'unsupported_media_type');
    expectProblem(await send(' '.repeat(65_537), area), 413, 'body_too_large');
  });

  test('by the fraud guard, on the recipient', async () => {
    const own = await on.customer();
    await setOtpLimits(on, own, { fraudMode: 'BLOCK', countries: ['DE'] });
    const answer = await send({ to: newPhone() }, 'unified', own);
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors?.map(error => error.field)).toEqual(['to']);
  });
});
