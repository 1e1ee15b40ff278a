import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { deadTokens } from '../../support/actors.ts';
import { OPERATOR_TOKEN, type RestCall } from '../../support/app.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { SMS } from '../../support/messaging/send-cases.ts';
import { loggedRequests } from '../../support/requests/logged-requests.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

const SEND = '/api/omni/send';

/** Asks, and answers what the log then has of the account. */
async function logged(method: string, path: string, call: RestCall = {}, token = customer.tokens.unified) {
  const { status } = await on.rest(method, path, { token, ...call });
  return { status, rows: await loggedRequests(on, customer.accountId) };
}

describe('a refused request', () => {
  test('is kept with its code, its field, its token, its address and its id', async () => {
    const { headers } = await on.rest('POST', SEND, { token: customer.tokens.unified, body: { ...SMS, sendr: 'X' } });
    const rows = await loggedRequests(on, customer.accountId);
    const [token] = await on.sql<{ id: string }>(`select id from tokens where account_id = $1 and area = 'unified'`, [
      toUuid(customer.accountId),
    ]);
    expect(rows).toEqual([
      {
        actor: 'token',
        token_id: token?.id,
        method: 'POST',
        path: SEND,
        operation: null,
        status: 400,
        code: 'invalid_input',
        field: 'sendr',
        client_address: '127.0.0.1',
        duration_ms: expect.any(Number),
        request_id: headers.get('x-request-id'),
        left_out: 0,
      },
    ]);
  });

  test.each<[number, string, string, RestCall]>([
    [400, 'invalid_json', SEND, { body: '{' }],
    [400, 'invalid_input', SEND, { body: {} }],
    [403, 'sender_not_approved', SEND, { body: { ...SMS, sender: 'NOBODY' } }],
    [403, 'wrong_area', '/api/sms/send', { body: SMS }],
    [413, 'body_too_large', SEND, { body: { ...SMS, text: 'x'.repeat(70_000) } }],
    [415, 'unsupported_media_type', SEND, { body: 'to=1', headers: { 'content-type': 'text/plain' } }],
    [502, 'all_channels_failed', SEND, { body: { ...SMS, to: '+12025550101' } }],
    [404, 'otp_not_found', '/api/omni/otp/verify', { body: { pinId: 'pin_0', pin: '482913' } }],
  ])('%i %s of %s is kept', async (status, code, path, call) => {
    expect(await logged('POST', path, call)).toEqual({
      status,
      rows: [expect.objectContaining({ method: 'POST', path, status, code })],
    });
  });

  test('402 is kept', async () => {
    const poor = await on.customer({ credits: 0 });
    await on.rest('POST', SEND, { token: poor.tokens.unified, body: SMS });
    const rows = await loggedRequests(on, poor.accountId);
    expect(rows).toMatchObject([{ status: 402, code: 'insufficient_balance' }]);
  });

  test('429 is kept', async () => {
    await on.sql('update accounts set rate_limit = 1 where id = $1', [toUuid(customer.accountId)]);
    on.app.authenticator.forget();
    const path = '/api/omni/logs';
    for (let nth = 0; nth < 3; nth++) await on.rest('GET', path, { token: customer.tokens.unified });
    const rows = await loggedRequests(on, customer.accountId);
    expect(rows.at(-1)).toMatchObject({ status: 429, code: 'rate_limited', path, method: 'GET' });
  });

  test('of an operator who acts for the account is its', async () => {
    const headers = { 'x-account-id': customer.accountId };
    const { rows } = await logged('POST', SEND, { body: {}, headers }, OPERATOR_TOKEN);
    expect(rows).toMatchObject([{ actor: 'operator', token_id: null, code: 'invalid_input' }]);
  });

  test('holds no number, no text and no code of what was sent', async () => {
    const body = { to: 'Ada 482913', text: 'Dear Ada', channels: ['sms'], sender: 'DEMO', 'sender-482913': '1' };
    await on.rest('POST', SEND, {
      token: customer.tokens.unified,
      body,
      headers: { 'x-request-id': '12025550100' },
    });
    await on.rest('POST', `${SEND}?to=12025550100`, { token: customer.tokens.unified, body });
    expect(JSON.stringify(await loggedRequests(on, customer.accountId))).not.toMatch(/2025550100|482913|Ada/);
  });
});

test('an accepted request is not kept', async () => {
  expect(await logged('POST', SEND, { body: SMS })).toEqual({ status: 200, rows: [] });
});

test('an accepted request is kept where the account asks for it', async () => {
  await on.sql('update accounts set logs_accepted = true where id = $1', [toUuid(customer.accountId)]);
  on.app.authenticator.forget();
  const { rows } = await logged('POST', SEND, { body: SMS });
  expect(rows).toMatchObject([{ path: SEND, status: 200, code: null, field: null, actor: 'token' }]);
});

describe('a request of nobody who is known', () => {
  test('at a path of the API is kept for the operator', async () => {
    const { headers } = await on.rest('POST', SEND, { body: SMS });
    const rows = await loggedRequests(on, null);
    expect(rows.filter(row => row.request_id === headers.get('x-request-id'))).toMatchObject([
      { actor: 'stranger', path: SEND, status: 401, code: 'unauthenticated', token_id: null },
    ]);
  });

  test('with a revoked token is kept as one', async () => {
    const dead = await deadTokens(on, customer);
    const { headers } = await on.rest('POST', SEND, { token: dead.revoked, body: SMS });
    const rows = await loggedRequests(on, null);
    expect(rows.map(row => row.request_id)).toContain(headers.get('x-request-id'));
  });

  test('at no path of the API is not kept', async () => {
    const before = await loggedRequests(on, null);
    expect((await on.rest('GET', '/wp-admin')).status).toBe(404);
    expect((await on.rest('DELETE', '/healthz')).status).toBe(405);
    expect(await loggedRequests(on, null)).toEqual(before);
  });
});
