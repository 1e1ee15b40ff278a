import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { hashToken, newToken } from '../../../../src/kernel/crypto/secrets.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { codeOf } from '../../../../src/modules/otp/send/code.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { arrivedText } from '../../../support/otp/rest-calls.ts';
import { loggedRequests } from '../../../support/requests/logged-requests.ts';

const KEY = Buffer.alloc(32, 9).toString('base64');
const TOKEN = newToken('otp');
const on = setUpApp({
  env: {
    DOORS: 'supabase',
    SUPABASE_HOOK_SECRET: `v1,whsec_${KEY}`,
    SUPABASE_HOOK_TOKEN: TOKEN,
    SUPABASE_HOOK_TEXT: '{{code}} opens the shop.',
  },
});
const customer = setUpCustomer(on);

beforeAll(async () => {
  await on.sql(`update tokens set hash = $1 where account_id = $2 and area = 'otp'`, [
    hashToken(TOKEN).toString('hex'),
    toUuid(customer.accountId),
  ]);
});

/** Calls the hook as the server of Supabase does. */
function call(payload: object, { key = KEY, at = new Date(), others = '' } = {}) {
  const body = JSON.stringify(payload);
  const signature = new Webhook(key).sign('hook_1', at, body);
  return on.rest('POST', '/hooks/supabase/send-sms', {
    body,
    headers: {
      'webhook-id': 'hook_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': others + signature,
    },
  });
}

const LATER = 'The code could not be sent. Try again later.';

const payloadFor = (phone: string, otp: string) => ({ user: { id: 'a', phone, aud: 'authenticated' }, sms: { otp } });

describe('the hook of Supabase', () => {
  test.each(['561166', '000000', '0000000001', '999999'])('sends the code that it is given: %s', async otp => {
    const phone = newRecipient();
    const { status, text, headers } = await call(payloadFor(phone, otp));
    expect([status, text, headers.get('content-type')]).toEqual([200, '{}', 'application/json']);
    expect(await arrivedText(on, customer, `+${phone}`)).toBe(`${otp} opens the shop.`);
  });

  test('stores nothing of the code but what is derived from it with the key', async () => {
    const phone = newRecipient();
    await call(payloadFor(phone, '48151623'));
    const rows = await on.sql<{ id: string; nonce: string; key_id: string; length: number; stored: string }>(
      'select *, to_jsonb(o)::text as stored from otps o where recipient = $1',
      [phone],
    );
    expect(rows).toHaveLength(1);
    for (const { id, nonce, key_id: keyId, length, stored } of rows) {
      const pinId = `pin_${id.replaceAll('-', '')}`;
      expect(codeOf(on.app.services.keys, { id: pinId, nonce, keyId, length })).toBe('48151623');
      expect(stored).not.toContain('48151623');
    }
  });

  test('sends to the number that a newer server names, and to the new number of a user who had none', async () => {
    const [named, added] = [newRecipient(), newRecipient()];
    await call({ user: { phone: '12025550100' }, sms: { otp: '111222', phone: named } });
    await call({ user: { phone: '', new_phone: added }, sms: { otp: '333444' } });
    expect(await arrivedText(on, customer, `+${named}`)).toContain('111222');
    expect(await arrivedText(on, customer, `+${added}`)).toContain('333444');
  });

  test('tells the person why nothing was sent, with the status that Supabase reads', async () => {
    const phone = newRecipient();
    await call(payloadFor(phone, '123123'));
    const again = await call(payloadFor(phone, '321321'));
    expect(again.status).toBe(200);
    expect(again.body.error).toEqual({ http_code: 429, message: expect.stringContaining('Wait') });
    const logged = await loggedRequests(on, customer.accountId);
    expect(logged.at(-1)).toMatchObject({ path: '/hooks/supabase/send-sms', status: 200, code: 'otp_cooldown' });
  });

  test('answers a repeat of a call as the first, and sends once', async () => {
    const phone = newRecipient();
    const calls = [await call(payloadFor(phone, '414243')), await call(payloadFor(phone, '414243'))];
    expect(calls.map(({ status, text }) => [status, text])).toEqual(Array(2).fill([200, '{}']));
    const rows = await on.sql('select 1 from otps where recipient = $1', [phone]);
    expect(rows).toHaveLength(1);
  });

  test('refuses a repeat while the first call runs, and answers it once that is sent', async () => {
    const slow = payloadFor('12025550107', '515253');
    const first = call(slow);
    const isPending = async () =>
      (await on.sql(`select 1 from otps where recipient = '12025550107' and status = 'pending'`)).length > 0;
    await vi.waitFor(async () => expect(await isPending()).toBe(true), { timeout: 10_000 });
    const { status, body, headers } = await call(slow);
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(body.error).toMatchObject({ http_code: 503 });
    expect((await first).text).toBe('{}');
    expect((await call(slow)).text).toBe('{}');
  });

  test.each([
    [
      'of a user who changes the number',
      { user: { phone: '12025550100', new_phone: '12025550106' }, sms: { otp: '123456' } },
    ],
    ['of a second factor', { user: { phone: '12025550100' }, sms: { otp: '123456', sms_type: 'mfa' } }],
  ])('refuses a code %s where an older server does not say to which', async (_what, payload) => {
    const { status, body } = await call(payload);
    expect([status, body.error]).toEqual([200, { http_code: 400, message: LATER }]);
    const logged = await loggedRequests(on, customer.accountId);
    expect(logged.at(-1)).toMatchObject({ code: 'invalid_input', field: 'sms.phone' });
  });

  test('is refused a body that is too large with its own status', async () => {
    const { status, body } = await call({ user: { phone: '1'.repeat(70_000) } });
    expect([status, body.error]).toEqual([413, expect.objectContaining({ http_code: 413 })]);
  });

  test.each([
    ['a number that is none', payloadFor('12', '123456'), 400, expect.stringMatching(/^user.phone: /)],
    ['a code that is none', payloadFor('12025550100', 'abc'), 400, LATER],
    ['a payload of another hook', { user: {} }, 400, LATER],
    ['a number that takes no SMS', payloadFor('12025550101', '123456'), 502, LATER],
  ])('refuses %s in words for people', async (_what, payload, httpCode, message) => {
    const { status, body } = await call(payload);
    expect(status).toBe(200);
    expect(body.error).toEqual({ http_code: httpCode, message });
  });

  test('takes one right signature among several', async () => {
    expect((await call(payloadFor('12025550100', '123456'), { others: 'v1,AAAA, ' })).status).toBe(200);
  });

  test.each([
    ['another secret', { key: Buffer.alloc(32, 1).toString('base64') }],
    ['an old timestamp', { at: new Date(Date.now() - 600_000) }],
  ])('is refused with %s', async (_what, how) => {
    const { status, body } = await call(payloadFor('12025550100', '123456'), how);
    expect(status).toBe(401);
    expect(body.error).toMatchObject({ http_code: 401 });
  });
});
