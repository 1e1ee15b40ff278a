import { createSchema, createYoga } from 'graphql-yoga';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMetrics, type Metrics } from '../../../../src/observability/metrics.ts';
import { styleOf } from '../../../../src/rest/http.ts';
import { createAdmission } from '../../../../src/rest/overload/admission.ts';
import { ConcurrencyLimit } from '../../../../src/rest/overload/concurrency-limit.ts';
import { routes } from '../../../../src/rest/routes.ts';
import { type Connection, type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { headOf, type RawClient, readAnswer, speak } from '../../../support/processes/raw-http.ts';

let listener: Listener;
let metrics: Metrics;
let release: PromiseWithResolvers<void>;
/** The client whose request is worked on. */
let occupant: RawClient;
/** The paths that came through, in order. */
let entered: string[];

beforeEach(async () => {
  entered = [];
  release = Promise.withResolvers<void>();
  metrics = createMetrics(false);
  const admission = createAdmission({
    limit: new ConcurrencyLimit(1),
    metrics,
    styleOf: path => styleOf(routes, path),
    trustedProxies: { hops: 1 },
  });
  listener = await listen(answer, { host: '127.0.0.1', port: 0, admission });
});
afterEach(async () => {
  release.resolve();
  await listener.drain(1_000);
});

/** An application that works on what comes until it is released; it knows accounts by their tokens. */
async function answer(request: Request, { onAccount, takeBody }: Connection): Promise<Response> {
  const { pathname } = new URL(request.url);
  entered.push(pathname);
  const account = request.headers.get('authorization')?.replace('Bearer ', '');
  if (account) onAccount?.(account);
  if (pathname.startsWith('/slow')) await release.promise;
  const [, status] = /^\/refused\/(\d+)$/.exec(pathname) ?? [];
  const type = request.headers.get('x-answer-type') ?? 'application/json';
  if (status) return new Response('', { status: Number(status), headers: { 'content-type': type } });
  if (!pathname.endsWith('/stream')) return new Response(String(takeBody?.() ?? ''));
  return await yoga.fetch('http://gateway.test/graphql', {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: '{"query":"subscription { silence }"}',
  });
}

/** Answers streams that go on until nobody follows them. */
const yoga = createYoga({
  logging: false,
  schema: createSchema({
    typeDefs: 'type Query { nothing: Int } type Subscription { silence: Int }',
    resolvers: { Subscription: { silence: { subscribe: makeSilence } } },
  }),
});

/** Not a generator: one that waits for ever could not be ended from outside. */
function makeSilence(): AsyncIterableIterator<unknown> {
  const silence = Promise.withResolvers<IteratorResult<unknown>>();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => silence.promise,
    async return() {
      silence.resolve({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
  };
}

const LAST = ['Connection: close'];

async function ask(method: string, path: string, more: readonly string[] = LAST) {
  const client = await speak(listener.url, headOf(method, path, more));
  return readAnswer(await client.closed());
}

/** Begins a request that is worked on, and waits until it is. */
async function occupy(): Promise<void> {
  const before = entered.length;
  occupant = await speak(listener.url, headOf('GET', '/slow', ['Authorization: Bearer acc_1']));
  await expect.poll(() => entered.length).toBe(before + 1);
}

/** Makes a flood: one request is worked on, and more wait than may. */
async function flood(): Promise<void> {
  await occupy();
  await Promise.all(Array.from({ length: 66 }, () => speak(listener.url, headOf('GET', '/slow'))));
  await expect.poll(async () => (await metrics.shed.get()).values[0]?.value ?? 0).toBeGreaterThan(20);
}

describe('while there is too much to do', () => {
  beforeEach(flood);

  test('a path of the facade is answered 503 with a problem', async () => {
    const { status, headers, body } = await ask('POST', '/api/omni/send', [...LAST, 'Content-Length: 2', '', '{}']);
    expect([status, headers.get('retry-after'), headers.get('content-type')]).toEqual([
      503,
      '1',
      'application/problem+json',
    ]);
    expect(body).toMatchObject({ success: false, code: 'overloaded', status: 503, retryAfter: 1 });
    expect(body.requestId).toBe(headers.get('x-request-id'));
  });

  test('GraphQL is answered 503 with an error', async () => {
    const { status, headers, body } = await ask('POST', '/graphql', LAST);
    expect([status, headers.get('retry-after'), headers.get('content-type')]).toEqual([
      503,
      '1',
      'application/graphql-response+json; charset=utf-8',
    ]);
    expect(body).toEqual({
      errors: [{ message: expect.any(String), extensions: { code: 'OVERLOADED', retryAfter: 1 } }],
    });
  });

  test('plants are answered 503 with an Error', async () => {
    const { status, body } = await ask('POST', '/plants/?x=1', LAST);
    expect([status, body]).toEqual([503, { error: 503, message: expect.any(String) }]);
  });

  test('the caller’s own request id is told back', async () => {
    expect((await ask('GET', '/a', [...LAST, 'X-Request-Id: mine'])).headers.get('x-request-id')).toBe('mine');
  });

  test.each(['/healthz', '/readyz', '/metrics'])('%s passes', async path => {
    expect((await ask('GET', path)).status).toBe(200);
    expect(entered.at(-1)).toBe(path);
  });

  test('a connection that was refused may go on', async () => {
    const client = await speak(listener.url, headOf('GET', '/a'));
    await client.until(/overloaded/);
    release.resolve();
    client.socket.write(headOf('GET', '/healthz', LAST));
    expect(await client.closed()).toContain('200 OK');
  });

  test('what was taken on is brought to its end', async () => {
    release.resolve();
    expect(await occupant.until(/\r\n\r\n/)).toContain('200 OK');
  });
});

test('an account that has nothing here gets the next place, in the middle of another’s flood', async () => {
  // The token is known from before.
  await ask('GET', '/a', [...LAST, 'Authorization: Bearer acc_2']);
  await flood();
  entered.length = 0;
  const modest = speak(listener.url, headOf('GET', '/modest', [...LAST, 'Authorization: Bearer acc_2']));
  await expect.poll(async () => (await metrics.waiting.get()).values[0]?.value).toBe(1);
  release.resolve();
  expect(readAnswer(await (await modest).closed()).status).toBe(200);
  expect(entered).toEqual(['/modest']);
});

test('a request that drips in has no place yet', async () => {
  await speak(listener.url, headOf('POST', '/slow', ['Content-Length: 10']));
  expect((await ask('GET', '/a')).status).toBe(200);
});

test('a stream that is followed has no place any more', async () => {
  const stream = await speak(listener.url, headOf('GET', '/stream'));
  await stream.until(/:\n\n/);
  expect((await ask('GET', '/a')).status).toBe(200);
  stream.socket.destroy();
});

test('who went away while waiting is not worked on', async () => {
  await occupy();
  const gone = await speak(listener.url, headOf('GET', '/gone'));
  await expect.poll(async () => (await metrics.waiting.get()).values[0]?.value).toBe(1);
  gone.socket.destroy();
  await expect.poll(async () => (await metrics.waiting.get()).values[0]?.value).toBe(0);
  release.resolve();
  await ask('GET', '/a');
  expect(entered).toEqual(['/slow', '/a']);
});

test('what was begun has its place until it ends, though its caller is gone', async () => {
  await occupy();
  occupant.socket.destroy();
  const next = await speak(listener.url, headOf('GET', '/a', LAST));
  await expect.poll(async () => (await metrics.waiting.get()).values[0]?.value).toBe(1);
  expect(entered).toEqual(['/slow']);
  release.resolve();
  expect(await next.closed()).toContain('200 OK');
});

test.each([429, 503])(
  'a stream that is refused again with %i is told so after other refusals of the account',
  async status => {
    const told: string[] = [];
    const refusal = async (name: string, more: readonly string[] = []): Promise<void> => {
      const head = headOf('GET', `/refused/${status}`, ['Authorization: Bearer one', 'Connection: close', ...more]);
      const client = await speak(listener.url, head);
      await client.closed();
      told.push(name);
    };
    const events = ['Accept: text/event-stream', 'X-Answer-Type: text/event-stream'];
    // The first one tells whose token it is.
    await refusal('first');
    await refusal('stream', events);
    void refusal('stream again', events);
    // Whoever may be told by events, as some clients say with each request, is told like all others.
    for (const name of ['a', 'b', 'c']) await refusal(name, ['Accept: application/json, text/event-stream']);
    expect(told).toEqual(['first', 'stream', 'a', 'b', 'c']);
  },
);

describe('strangers', () => {
  /** Makes one of an address wait, and then a flood of another; answers what became of the one. */
  async function isShed(address: string): Promise<boolean> {
    const asked = ['X-Forwarded-For: 2001:db8:0:1::1'];
    await speak(listener.url, headOf('GET', '/slow', asked));
    await Promise.all(Array.from({ length: 66 }, () => speak(listener.url, headOf('GET', '/slow', asked))));
    await expect.poll(async () => (await metrics.shed.get()).values[0]?.value ?? 0).toBeGreaterThan(20);
    const other = await speak(listener.url, headOf('GET', '/a', [...LAST, `X-Forwarded-For: ${address}`]));
    await expect
      .poll(async () => other.heard() !== '' || (await metrics.waiting.get()).values[0]?.value === 1)
      .toBe(true);
    return other.heard() !== '';
  }

  test('behind a trusted proxy are told apart by their address', async () => {
    expect(await isShed('192.0.2.1')).toBe(false);
  });

  test('of one IPv6 network are one caller', async () => {
    expect(await isShed('2001:db8:0:1::2')).toBe(true);
  });
});

describe('a body', () => {
  test.each([
    ['of one piece', ['Content-Length: 5'], 'hello'],
    ['in chunks', ['Transfer-Encoding: chunked'], '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n'],
  ])('%s comes through', async (_title, more, text) => {
    const client = await speak(listener.url, headOf('POST', '/a', [...LAST, ...more]) + text);
    expect(await client.closed()).toMatch(/\r\n\r\nhello$/);
  });

  test('does not become the next request', async () => {
    const client = await speak(listener.url, headOf('POST', '/a', ['Content-Length: 5']));
    client.socket.write(`hello${headOf('GET', '/b', LAST)}`);
    await client.closed();
    expect(entered.toSorted()).toEqual(['/a', '/b']);
  });
});

describe('the address of a request', () => {
  test('of 8 KiB is read', async () => {
    expect((await ask('GET', `/${'a'.repeat(8 * 1024 - 1)}`)).status).toBe(200);
  });

  test('of one character more is refused with 414', async () => {
    const { status, headers, body } = await ask('GET', `/${'a'.repeat(8 * 1024)}`);
    expect([status, body.status, body.code]).toEqual([414, 414, 'invalid_input']);
    expect(headers.get('x-request-id')).toBe(body.requestId);
  });
});
