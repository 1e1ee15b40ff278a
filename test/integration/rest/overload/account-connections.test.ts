import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMetrics } from '../../../../src/observability/metrics.ts';
import { styleOf } from '../../../../src/rest/http.ts';
import { createAdmission } from '../../../../src/rest/overload/admission.ts';
import { ConcurrencyLimit } from '../../../../src/rest/overload/concurrency-limit.ts';
import { boundConnections } from '../../../../src/rest/overload/connection-bound.ts';
import { routes } from '../../../../src/rest/routes.ts';
import { type Listener, listen } from '../../../../src/rest/server/listen.ts';
import type { Customer } from '../../../support/app.ts';
import { setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { headOf, type RawClient, readAnswer, speak } from '../../../support/processes/raw-http.ts';

const MOST = 2;

const on = setUpApp();
const customer: Customer = setUpOwnCustomer(on);
let listener: Listener;

beforeEach(async () => {
  const metrics = createMetrics(false);
  const parts = { connectionsPerAddress: 100, connectionsPerAccount: MOST, trustedProxies: null, metrics };
  const bound = boundConnections({ ...parts, log: { warn: () => undefined } });
  const admission = createAdmission({
    limit: new ConcurrencyLimit(8),
    metrics,
    styleOf: path => styleOf(routes, path),
    // The test's own callers are all from this machine, which has no bound.
    bound: { use: (socket, accountId) => bound.use(socket, accountId, '192.0.2.1') },
  });
  listener = await listen((request, connection) => on.app.fetch(request, connection), {
    host: '127.0.0.1',
    port: 0,
    admission,
  });
});
afterEach(() => listener.drain(100));

const logs = (token: string): string => headOf('GET', '/api/omni/logs?limit=1', [`Authorization: Bearer ${token}`]);

/** Asks on a new connection, and leaves it open. */
async function ask(token: string): Promise<RawClient> {
  const client = await speak(listener.url, logs(token));
  await client.until(/"requestId"|"data":/);
  return client;
}

const MESSAGE =
  'The account has 2 connections here, as many as it may (CONNECTIONS_PER_ACCOUNT). Close some of them first.';

describe('an account with as many connections as it may have', () => {
  let open: RawClient[];

  beforeEach(async () => {
    open = [await ask(customer.tokens.unified), await ask(customer.tokens.unified)];
    for (const client of open) expect(readAnswer(client.heard()).status).toBe(200);
  });

  test('is refused one more in a sentence, and it is closed', async () => {
    const refused = await speak(listener.url, logs(await customer.token('unified')));
    const { status, headers, body } = readAnswer(await refused.closed());
    expect([status, headers.get('retry-after'), headers.get('connection')]).toEqual([429, '5', 'close']);
    expect(body).toMatchObject({ code: 'rate_limited', message: MESSAGE, retryAfter: 5 });
  });

  test('is refused one more by GraphQL too', async () => {
    const text = JSON.stringify({ query: '{ __typename }' });
    const lines = [`Authorization: Bearer ${customer.tokens.sms}`, 'Content-Type: application/json'];
    const head = headOf('POST', '/graphql', [...lines, `Content-Length: ${text.length}`]);
    const { status, headers, body } = readAnswer(await (await speak(listener.url, head + text)).closed());
    expect([status, headers.get('connection')]).toEqual([429, 'close']);
    expect(body).toMatchObject({ errors: [{ message: MESSAGE, extensions: { code: 'RATE_LIMITED' } }] });
  });

  test('goes on with those that it has', async () => {
    const [first] = open;
    first?.socket.write(logs(customer.tokens.unified));
    expect((await first?.until(/200 OK[\s\S]*200 OK/))?.match(/200 OK/g)).toHaveLength(2);
  });

  test('takes none of another account', async () => {
    const other = await on.customer();
    expect(readAnswer((await ask(other.tokens.unified)).heard()).status).toBe(200);
  });

  test('has room again when one of them is closed', async () => {
    open[0]?.socket.destroy();
    await expect
      .poll(async () => readAnswer((await ask(customer.tokens.unified)).heard()).status, { timeout: 10_000 })
      .toBe(200);
  });
});
