import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { openListener } from '../../../src/rest/overload/open-listener.ts';
import { routes } from '../../../src/rest/routes.ts';
import type { Connection } from '../../../src/rest/server/listen.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { headOf, readAnswer, speak } from '../../support/processes/raw-http.ts';
import { loggedRequests } from '../../support/requests/logged-requests.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);
const metrics = createMetrics(false);

/** Held until a test is over. */
let release: PromiseWithResolvers<void>;
let isOccupied: boolean;
beforeEach(() => {
  [release, isOccupied] = [Promise.withResolvers<void>(), false];
});

/** The application, but for a path that is worked on until it is released. */
async function answer(request: Request, connection: Connection): Promise<Response> {
  if (!request.url.endsWith('/slow')) return on.app.fetch(request, connection);
  isOccupied = true;
  await release.promise;
  return new Response('done');
}

const listener = oncePerTest(
  () =>
    openListener(answer, {
      host: '127.0.0.1',
      port: 0,
      trustedProxies: null,
      publicUrl: null,
      maxConcurrentRequests: 1,
      connectionsPerAddress: 1_000,
      connectionsPerAccount: 1_000,
      routes,
      requestLog: on.app.requestLog,
      metrics,
      log: createLogger('silent'),
    }),
  async made => {
    release.resolve();
    await made.drain(1_000);
  },
);

async function ask(token: string, path = '/api/omni/logs', more: readonly string[] = []) {
  const head = headOf('GET', path, ['Connection: close', `Authorization: Bearer ${token}`, ...more]);
  return readAnswer(await (await speak(listener.url, head)).closed());
}

describe('a token that was let in before', () => {
  test('tells whose request it is when it was revoked since', async () => {
    const token = await liveToken();
    expect((await ask(token.secret)).status).toBe(200);
    await on.sql('update tokens set revoked_at = now() where id = $1', [token.id]);
    on.app.authenticator.forget();
    expect((await ask(token.secret)).status).toBe(401);
    expect(await loggedRequests(on, customer.accountId)).toMatchObject([
      { actor: 'token', token_id: token.id, status: 401, code: 'unauthenticated', path: '/api/omni/logs' },
    ]);
  });

  test('tells whose request it is when its head is refused', async () => {
    expect((await ask(customer.tokens.unified)).status).toBe(200);
    const { status, headers } = await ask(customer.tokens.unified, '/api/omni//15550000001');
    expect(status).toBe(400);
    expect(await loggedRequests(on, customer.accountId)).toMatchObject([
      {
        status: 400,
        code: 'invalid_input',
        field: 'path',
        path: '/api/omni//…',
        request_id: headers.get('x-request-id'),
      },
    ]);
  });

  test('tells whose request it is in an overload', async () => {
    const token = customer.tokens.unified;
    // The token is known from before.
    expect((await ask(token)).status).toBe(200);
    await speak(listener.url, headOf('GET', '/slow', [`Authorization: Bearer ${token}`]));
    await expect.poll(() => isOccupied).toBe(true);
    await Promise.all(Array.from({ length: 66 }, () => speak(listener.url, headOf('GET', '/slow'))));
    await expect.poll(async () => (await metrics.shed.get()).values[0]?.value ?? 0).toBeGreaterThan(20);
    const { status, headers } = await ask(token);
    expect(status).toBe(503);
    expect(await loggedRequests(on, customer.accountId)).toMatchObject([
      { status: 503, code: 'overloaded', path: '/api/omni/logs', request_id: headers.get('x-request-id') },
    ]);
  });
});

test('a head of nobody who is known is not kept', async () => {
  const { headers } = await ask('hg_uni_nobody', '/api/omni//logs');
  const rows = await loggedRequests(on, null);
  expect(rows.map(row => row.request_id)).not.toContain(headers.get('x-request-id'));
});

/** A token of the customer, by its id. */
async function liveToken(): Promise<{ readonly secret: string; readonly id: string }> {
  const secret = await customer.token('unified');
  const [row] = await on.sql<{ id: string }>(`select id from tokens where account_id = $1 order by id desc limit 1`, [
    toUuid(customer.accountId),
  ]);
  return { secret, id: row?.id ?? '' };
}
