import { beforeAll, describe, expect, test } from 'vitest';
import { logsData, problem } from '../../../../src/rest/schemas.ts';
import type { Customer, RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { EVERY_CHANNEL, SMS } from '../../../support/messaging/send-cases.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

beforeAll(async () => {
  await send(customer, { ...EVERY_CHANNEL, to: '12025550103' });
  await send(customer, SMS);
});

function send(of: Customer, body: object): Promise<RestAnswer> {
  return on.rest('POST', '/api/omni/send', { token: of.tokens.unified, body });
}

function logs(query = '', of: Customer = customer): Promise<RestAnswer> {
  return on.rest('GET', `/api/omni/logs${query}`, { token: of.tokens.unified });
}

test('every attempt is an entry, newest first, in the documented shape', async () => {
  const { status, body, headers } = await logs();
  expect([status, body.success]).toEqual([200, true]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(Object.keys(body.data ?? {})).toEqual(['logs', 'nextCursor']);
  const data = logsData.parse(body.data);
  expect(data.nextCursor).toBeNull();
  expect(data.logs.map(entry => `${entry.type} ${entry.channel} ${entry.status}`)).toEqual([
    'message_attempt sms sent',
    'message_attempt sms sent',
    'message_attempt chat_cloud failed',
    'message_attempt chat_qr failed',
  ]);
  const keys =
    'id type messageId pinId channel provider recipient status errorCode errorMessage segments credits latencyMs createdAt';
  expect(Object.keys(data.logs[0] ?? {})).toEqual(keys.split(' '));
});

test('no entry holds the text', async () => {
  const own = await on.customer();
  await send(own, { ...SMS, text: 'a secret text' });
  expect((await logs('', own)).text).not.toContain('secret');
});

test('pages follow each other by nextCursor, without a gap or a repeat', async () => {
  const whole = logsData.parse((await logs()).body.data).logs.map(entry => entry.id);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await logs(`?limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    const page = logsData.parse(body.data);
    expect(page.logs).toHaveLength(1);
    seen.push(...page.logs.map(entry => entry.id));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(whole);
});

test.each(['?limit=1', '?limit=200', '?limit=007', '?unknown=1'])('takes %s', async query => {
  expect((await logs(query)).status).toBe(200);
});

test('an account without attempts has an empty log', async () => {
  const { body } = await logs('', await on.customer());
  expect(body.data).toEqual({ logs: [], nextCursor: null });
});

describe('refuses', () => {
  test.each([
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?limit=-1', 'limit'],
    ['?limit=1.5', 'limit'],
    ['?limit=ten', 'limit'],
    ['?limit=', 'limit'],
    ['?limit=1e2', 'limit'],
    ['?limit=1&limit=2', 'limit'],
    ['?limit=99999999999999999999', 'limit'],
    ['?cursor=x', 'cursor'],
    ['?cursor=', 'cursor'],
    ['?cursor=%00', 'cursor'],
  ])('%s', async (query, field) => {
    const { status, body } = await logs(query);
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(problem.safeParse(body).error).toBeUndefined();
    expect(body.errors?.map(error => error.field)).toEqual([field]);
    expect(body.detail).toContain(field);
  });

  test('a call without a token', async () => {
    const { status, headers } = await on.rest('GET', '/api/omni/logs');
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('the method %s', async method => {
    const { status, headers } = await on.rest(method, '/api/omni/logs', { token: customer.tokens.unified });
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
  });
});
