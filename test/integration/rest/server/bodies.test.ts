import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMetrics, type Metrics } from '../../../../src/observability/metrics.ts';
import { styleOf } from '../../../../src/rest/http.ts';
import { createAdmission } from '../../../../src/rest/overload/admission.ts';
import { ConcurrencyLimit } from '../../../../src/rest/overload/concurrency-limit.ts';
import { routes } from '../../../../src/rest/routes.ts';
import { type Connection, type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { SERVER_TIMES, type ServerTimes } from '../../../../src/rest/server/server-times.ts';
import { headOf, type RawClient, readAnswer, speak } from '../../../support/processes/raw-http.ts';

const BOUNDS = { strangers: 1024 * 1024, all: 2048 * 1024 };
const TOKEN = 'Authorization: Bearer acc_1';
const LAST = 'Connection: close';

/** Most of a body of 64 KiB, and what it takes up at least. */
const HALF = 'a'.repeat(60_000);

let listener: Listener;
let metrics: Metrics;
let release: PromiseWithResolvers<void>;
/** The bodies that came through. */
let entered: string[];

beforeEach(() => begin(SERVER_TIMES));

async function begin(times: ServerTimes): Promise<void> {
  entered = [];
  release = Promise.withResolvers<void>();
  metrics = createMetrics(false);
  const limit = new ConcurrencyLimit(2);
  const admission = createAdmission({ limit, metrics, styleOf: path => styleOf(routes, path), bodyBounds: BOUNDS });
  listener = await listen(answer, { host: '127.0.0.1', port: 0, admission, times });
  // The gate gets to know the token.
  await ask([TOKEN, 'Content-Length: 2', '', '{}']);
}
afterEach(async () => {
  release.resolve();
  await listener.drain(1_000);
});

async function answer(request: Request, { onAccount, takeBody }: Connection): Promise<Response> {
  const account = request.headers.get('authorization')?.replace('Bearer ', '');
  if (account) onAccount?.(account);
  const text = String(takeBody?.() ?? '');
  entered.push(text);
  if (text.includes('slow')) await release.promise;
  return new Response(JSON.stringify({ length: text.length }));
}

async function ask(more: readonly string[], path = '/api/omni/send') {
  const client = await speak(listener.url, headOf('POST', path, [LAST, ...more]).slice(0, -4));
  return readAnswer(await client.closed());
}

/** The memory of bodies, by the metrics. */
async function held(): Promise<number> {
  return (await metrics.bufferedBytes.get()).values[0]?.value ?? 0;
}

/** So many who send most of a body and stop, one after the other; no two of them send the same. */
async function half(count: number, more: readonly string[] = ['Content-Length: 65536']): Promise<RawClient[]> {
  const isChunked = more.some(line => line.endsWith('chunked'));
  const clients: RawClient[] = [];
  for (let index = 0; index < count; index++) {
    const text = HALF + 'a'.repeat(index);
    const sent = isChunked ? `${text.length.toString(16)}\r\n${text}\r\n` : text;
    const before = await taken();
    clients.push(await speak(listener.url, headOf('POST', '/api/omni/send', more) + sent));
    await expect.poll(taken, { interval: 5 }).toBeGreaterThanOrEqual(before + text.length);
  }
  return clients;
}

/** The least that all clients so far have sent, refused ones included. */
async function taken(): Promise<number> {
  return (await held()) + (await shed()) * 70_000;
}

/** How many were refused. */
async function shed(): Promise<number> {
  return (await metrics.shed.get()).values[0]?.value ?? 0;
}

describe('half-sent bodies', () => {
  test.each([
    ['of a known length', ['Content-Length: 65536']],
    ['in chunks', ['Transfer-Encoding: chunked']],
    ['with a token that nobody knows', ['Content-Length: 65536', 'Authorization: Bearer stranger']],
  ])('of strangers %s take up no more than they may together', async (_title, more) => {
    const clients = await half(24, more);
    expect(await held()).toBeGreaterThan(BOUNDS.strangers / 2);
    expect(await held()).toBeLessThanOrEqual(BOUNDS.strangers);
    await expect.poll(() => clients.filter(({ heard }) => heard() !== '').length).toBeGreaterThan(7);
  });

  test('that are over the bound are refused, the oldest first, with 503, when to try again, and the end of the connection', async () => {
    const [first, ...others] = await half(17);
    const { status, headers, body } = readAnswer((await first?.closed()) ?? '');
    expect([status, headers.get('retry-after'), headers.get('connection'), body.code]).toEqual([
      503,
      '1',
      'close',
      'overloaded',
    ]);
    expect(others.map(({ heard }) => heard())).toEqual(Array(16).fill(''));
    expect(await shed()).toBe(1);
  });

  test('of accounts take up no more than all may, and strangers make room first', async () => {
    const strangers = await half(3);
    const known = await half(36, ['Content-Length: 65536', TOKEN]);
    expect(await held()).toBeLessThanOrEqual(BOUNDS.all);
    expect(await Promise.all(strangers.map(({ closed }) => closed()))).toEqual(
      Array(3).fill(expect.stringContaining('HTTP/1.1 503 ')),
    );
    await expect.poll(() => known.filter(({ heard }) => heard() !== '').length).toBeGreaterThan(2);
  });

  test('keep out nobody who sends his whole', async () => {
    await half(20);
    expect(await ask(['Content-Length: 5', '', 'hello'])).toMatchObject({ status: 200, body: { length: 5 } });
    expect(await ask([TOKEN, 'Content-Length: 5', '', 'hello'])).toMatchObject({ status: 200, body: { length: 5 } });
  });

  test('take up nothing once their time is over, and were never worked on', async () => {
    await listener.drain(100);
    await begin({ ...SERVER_TIMES, requestMs: 3_000, headersMs: 2_900, checkEveryMs: 50 });
    const clients = await half(1);
    for (const client of clients) expect(readAnswer(await client.closed()).status).toBe(408);
    await expect.poll(held).toBe(0);
    expect(entered).toEqual(['{}']);
  });

  test.each([
    ['hangs up', (client: RawClient) => client.socket.destroy()],
    ['ends its side', (client: RawClient) => client.socket.end()],
  ])('take up nothing once their caller %s, and were never worked on', async (_title, leave) => {
    const [client] = await half(1);
    if (client) leave(client);
    await expect.poll(held).toBe(0);
    expect(entered).toEqual(['{}']);
  });
});

test('who ends before the body has come is told that it is no request', async () => {
  const client = await speak(listener.url, headOf('POST', '/api/omni/send', ['Content-Length: 10']));
  client.socket.end('{}');
  const { status, headers, body } = readAnswer(await client.closed());
  expect([status, body.code, headers.get('x-request-id')]).toEqual([400, 'invalid_input', body.requestId]);
  expect(entered).toEqual(['{}']);
});

test('a body that waits for its turn, or is worked on, counts until it is answered', async () => {
  const clients = await Promise.all(
    Array.from({ length: 4 }, () =>
      speak(listener.url, headOf('POST', '/a', [LAST, 'Content-Length: 10000']) + 'slow'.repeat(2_500)),
    ),
  );
  await expect.poll(held).toBeGreaterThan(40_000);
  release.resolve();
  for (const client of clients) expect(readAnswer(await client.closed()).status).toBe(200);
  await expect.poll(held).toBe(0);
});

test('large heads count too', async () => {
  const more = ['Content-Length: 10', `X-Large: ${'a'.repeat(15_000)}`];
  const clients = await Promise.all(Array.from({ length: 80 }, () => speak(listener.url, headOf('POST', '/a', more))));
  await expect.poll(() => clients.filter(({ heard }) => heard() !== '').length).toBeGreaterThan(15);
  expect(await held()).toBeLessThanOrEqual(BOUNDS.strangers);
});

describe('a body in chunks of one byte', () => {
  const drops = (count: number): string => '1\r\na\r\n'.repeat(count);

  test('counts for what it takes up', async () => {
    const client = await speak(listener.url, headOf('POST', '/a', ['Transfer-Encoding: chunked']) + drops(400));
    await expect.poll(held).toBeGreaterThan(400 * 400);
    client.socket.destroy();
  });

  test('is read where they are few', async () => {
    const text = `${drops(1_000)}0\r\n\r\n`;
    expect(await ask(['Transfer-Encoding: chunked', '', text])).toMatchObject({ status: 200, body: { length: 1_000 } });
  });

  test('is refused where they are many, and nothing more is read', async () => {
    const client = await speak(listener.url, headOf('POST', '/a', ['Transfer-Encoding: chunked']) + drops(1_100));
    const { status, headers, body } = readAnswer(await client.closed());
    expect([status, headers.get('connection'), body.code]).toEqual([413, 'close', 'body_too_large']);
    expect(await held()).toBe(0);
  });
});

test('a body that is too large is not kept while it waits for its answer', async () => {
  const slow = await Promise.all(
    Array.from({ length: 2 }, () => speak(listener.url, `${headOf('POST', '/a', ['Content-Length: 4'])}slow`)),
  );
  await expect.poll(() => entered.length).toBe(3);
  const large = await speak(listener.url, headOf('POST', '/a', ['Content-Length: 70000']) + 'a'.repeat(70_000));
  await expect.poll(async () => (await metrics.waiting.get()).values[0]?.value).toBe(1);
  expect(await held()).toBeLessThan(30_000);
  release.resolve();
  await large.until(/\r\n\r\n/);
  for (const { socket } of [...slow, large]) socket.destroy();
});
