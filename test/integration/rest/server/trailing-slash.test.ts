/** A slash at the end of a path is the same path (contract §4), but for health and metrics. */
import { describe, expect, test } from 'vitest';
import { routes } from '../../../../src/rest/routes.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';

const on = setUpApp({ env: { CORS_ORIGINS: 'https://app.example' } });
const customer = setUpCustomer(on);

describe.each(routes.map(({ path }) => path))('%s/', path => {
  const ask = async (method: string, at: string) => {
    const { status, headers, text } = await on.rest(method, at, { headers: { 'x-request-id': 'same' } });
    return { status, type: headers.get('content-type'), allow: headers.get('allow'), text };
  };

  test.each(['GET', 'POST', 'DELETE'])('answers %s as without the slash, and leads nowhere else', async method => {
    await expect(ask(method, `${path}/`)).resolves.toEqual(await ask(method, path));
  });

  test('with two of them is nothing', async () => {
    expect((await ask('GET', `${path}//`)).status).toBe(404);
  });
});

test.each(['/healthz/', '/readyz/', '/metrics/'])('%s is nothing', async path => {
  for (const method of ['GET', 'POST']) expect((await on.rest(method, path)).status).toBe(404);
});

test.each([
  ['POST', '/graphql'],
  ['DELETE', '/graphql'],
  ['GET', '/openapi.json'],
  ['POST', '/docs'],
  ['POST', '/receipts/con_1/a'],
])('%s %s/ is answered as without the slash', async (method, path) => {
  const statusOf = async (at: string) => (await on.rest(method, at)).status;
  expect(await statusOf(`${path}/`)).toBe(await statusOf(path));
});

test('a send, a page of the log and a plant are answered', async () => {
  const token = customer.tokens.unified;
  expect((await on.rest('POST', '/api/omni/send/', { token, body: SMS })).status).toBe(200);
  const { status, body } = await on.rest('GET', '/api/omni/logs/?limit=1', { token });
  expect([status, body.data?.logs]).toEqual([200, [expect.anything()]]);
  expect((await on.rest('POST', '/plants/', { token, body: { id: 1, name: 'Fern' } })).text).toBe('{"name":"Fern"}');
});

test('counts for the same operation in the metrics', async () => {
  await on.rest('POST', '/api/omni/send/', { token: customer.tokens.unified, body: SMS });
  const { text } = await on.rest('GET', '/metrics');
  expect(text).not.toContain('/api/omni/send/');
});

test('is open to the same pages', async () => {
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
  const { status, headers: answered } = await on.rest('OPTIONS', '/api/omni/send/', { headers });
  expect([status, answered.get('access-control-allow-origin')]).toEqual([204, 'https://app.example']);
});
