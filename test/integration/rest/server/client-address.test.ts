import { type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGraphqlHandler } from '../../../../src/graphql/server/server.ts';
import type { TrustedProxies } from '../../../../src/kernel/network/address.ts';
import { createLogger } from '../../../../src/observability/logger.ts';
import { createHttp } from '../../../../src/rest/http.ts';
import { routes } from '../../../../src/rest/routes.ts';
import { type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { requestFactsOf } from '../../../../src/rest/server/request-context.ts';
import { createTestApp, type TestApp } from '../../../support/app.ts';
import { OPERATOR } from '../../../support/services.ts';

let on: TestApp;
let trusted: TrustedProxies | null = null;
/** The addresses that verbs were told, the latest last. */
const seen: string[] = [];
let listener: Listener;

beforeAll(async () => {
  on = await createTestApp();
  const log = createLogger('silent');
  const http = createHttp({
    schema: on.app.schema,
    routes,
    doors: [],
    requestLog: on.app.requestLog,
    trustedProxies: null,
    nameOperation: () => null,
    graphql: createGraphqlHandler(on.app.schema, log, {
      playground: true,
      trustedDocuments: null,
      streamsPerAccount: 1,
    }),
    authenticate: async () => OPERATOR,
    signedIn: async () => OPERATOR,
    makeCtx(actor, requestId, asked, connection) {
      const request = requestFactsOf(asked.headers, connection, { trustedProxies: trusted, publicUrl: null });
      seen.push(request.clientAddress);
      return on.app.makeCtx(actor, requestId).with({ request });
    },
    takeReports: async () => null,
    ownerOf: () => null,
    sends: on.app.services.sends,
    findFault: async () => null,
    hasRoom: () => true,
    isDraining: () => false,
    prove: () => null,
    metrics: on.app.services.metrics,
    traces: null,
    log,
    pagesDirectory: '/nonexistent',
    playground: true,
    corsOrigins: [],
    servesApi: true,
    version: '0',
  });
  listener = await listen(http.fetch, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await listener.drain(1_000);
  await on.close();
});

/** Asks over a socket of its own, and answers the address that the verb was told. */
async function addressSeen(path: string, headers: OutgoingHttpHeaders = {}): Promise<string | undefined> {
  seen.length = 0;
  const body = JSON.stringify({ query: '{ account { id } }' });
  await new Promise<void>((resolve, reject) => {
    const asked = request(
      new URL(path, listener.url),
      { method: 'POST', agent: false, headers: { 'content-type': 'application/json', ...headers } },
      answer => answer.resume().on('end', resolve),
    );
    asked.on('error', reject);
    asked.end(body);
  });
  return seen.at(-1);
}

describe.each(['/graphql', '/api/omni/send'])('%s', path => {
  test('is told the address of the socket', async () => {
    trusted = null;
    expect(await addressSeen(path)).toBe('127.0.0.1');
  });

  test('is told the same address whatever the headers of a stranger say', async () => {
    trusted = null;
    const headers = {
      'x-forwarded-for': '192.0.2.1',
      'x-real-ip': '192.0.2.2',
      'x-client-ip': '192.0.2.3',
      'cf-connecting-ip': '192.0.2.4',
      'true-client-ip': '192.0.2.5',
      forwarded: 'for=192.0.2.6',
    };
    expect(await addressSeen(path, headers)).toBe('127.0.0.1');
  });

  test('is told the address that a trusted proxy says', async () => {
    trusted = { hops: 1 };
    expect(await addressSeen(path, { 'x-forwarded-for': '192.0.2.9, 192.0.2.1' })).toBe('192.0.2.1');
  });

  test.each([
    ['127.0.0.0/8', '192.0.2.1'],
    ['127.0.0.2/32', '127.0.0.1'],
  ])('with the proxies of %s is told %s', async (network, address) => {
    trusted = { networks: [network] };
    expect(await addressSeen(path, { 'x-forwarded-for': '192.0.2.1' })).toBe(address);
  });

  test('is told the nearest of two lines of the header', async () => {
    trusted = { hops: 1 };
    expect(await addressSeen(path, { 'x-forwarded-for': ['192.0.2.9', '192.0.2.1'] })).toBe('192.0.2.1');
  });
});

/** Asks and resets the connection at once: the request can still be read, but the system does not know any more whose it is. */
function askAndVanish(): Promise<void> {
  const { hostname, port } = new URL(listener.url);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname, () => {
    socket.write('POST /graphql HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 0\r\n\r\n');
    socket.resetAndDestroy();
  });
  socket.on('error', reject);
  socket.on('close', () => resolve());
  return promise;
}

test('a request whose caller is gone before it is read reaches no verb', async () => {
  trusted = null;
  const reached: string[] = [];
  const quiet = await listen(
    (_request, { peer }) => {
      reached.push(peer);
      return new Response();
    },
    { host: '127.0.0.1', port: 0 },
  );
  const usual = listener;
  listener = quiet;
  try {
    await Promise.all(Array.from({ length: 20 }, askAndVanish));
    await addressSeen('/graphql');
  } finally {
    listener = usual;
    await quiet.drain(1_000);
  }
  expect(reached).toEqual(['127.0.0.1']);
});

test('an operation in process comes from this machine', () => {
  expect(on.app.makeCtx(OPERATOR, 'test').request.clientAddress).toBe('127.0.0.1');
});
