import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMetrics, type Metrics } from '../../../../src/observability/metrics.ts';
import { styleOf } from '../../../../src/rest/http.ts';
import { createAdmission } from '../../../../src/rest/overload/admission.ts';
import { ConcurrencyLimit } from '../../../../src/rest/overload/concurrency-limit.ts';
import { routes } from '../../../../src/rest/routes.ts';
import { type Connection, type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { SERVER_TIMES, type ServerTimes } from '../../../../src/rest/server/server-times.ts';
import { headOf, type RawClient, readAnswers, speak } from '../../../support/processes/raw-http.ts';

let listener: Listener;
let open: Listener | null = null;
let metrics: Metrics;
let release: PromiseWithResolvers<void>;
/** The paths that came through, in order. */
let entered: string[];

/** The times of a server, but shorter. */
const SHORT: ServerTimes = { ...SERVER_TIMES, requestMs: 700, headersMs: 600, checkEveryMs: 50 };

beforeEach(() => begin(SERVER_TIMES));

async function begin(times: ServerTimes): Promise<void> {
  await open?.drain(100);
  entered = [];
  release = Promise.withResolvers<void>();
  metrics = createMetrics(false);
  const admission = createAdmission({
    limit: new ConcurrencyLimit(2),
    metrics,
    styleOf: path => styleOf(routes, path),
  });
  open = listener = await listen(answer, { host: '127.0.0.1', port: 0, admission, times });
}
afterEach(async () => {
  release.resolve();
  await open?.drain(1_000);
  open = null;
});

/** An application that echoes its request. Paths that begin with `/slow` wait to be released; `/limited` is asked too often. */
async function answer(request: Request, { onAccount, takeBody }: Connection): Promise<Response> {
  const { pathname } = new URL(request.url);
  entered.push(pathname);
  const account = request.headers.get('authorization')?.replace('Bearer ', '');
  if (account) onAccount?.(account);
  const body = String(takeBody?.() ?? '');
  if (pathname.startsWith('/slow')) await release.promise;
  const status = pathname === '/limited' ? 429 : body.length > 65_536 ? 413 : 200;
  return Response.json(
    { path: pathname, body: body.slice(0, 100) },
    { status, headers: { 'x-request-id': request.headers.get('x-request-id') ?? '' } },
  );
}

const LAST = 'Connection: close';

/** A request that names itself, with a body. */
function post(path: string, body: string, more: readonly string[] = []): string {
  return headOf('POST', path, [`X-Request-Id: id-${path.slice(1)}`, `Content-Length: ${body.length}`, ...more]) + body;
}

/** The answers on a connection until it was closed, by the id of each request. */
async function answersOf(client: RawClient): Promise<[id: string | undefined, status: number, path: unknown][]> {
  return readAnswers(await client.closed()).map(({ headers, status, body }) => [
    headers.get('x-request-id'),
    status,
    body.path ?? body.code,
  ]);
}

/** Makes a flood: two requests are worked on, and more wait than may. */
async function flood(): Promise<void> {
  const slow = () => speak(listener.url, headOf('GET', '/slow'));
  await Promise.all(Array.from({ length: 132 }, slow));
  await expect.poll(async () => (await metrics.shed.get()).values[0]?.value ?? 0).toBeGreaterThan(1);
}

describe('requests that are written ahead', () => {
  test('are all answered in their order, each with its own id', async () => {
    const asked = [post('/a', 'first'), headOf('GET', '/b', ['X-Request-Id: id-b']), post('/c', 'third', [LAST])];
    const client = await speak(listener.url, asked.join(''));
    expect(await answersOf(client)).toEqual([
      ['id-a', 200, '/a'],
      ['id-b', 200, '/b'],
      ['id-c', 200, '/c'],
    ]);
  });

  test('are answered in their order where the first takes the longest', async () => {
    const client = await speak(listener.url, post('/slow', 'a') + post('/b', 'b') + post('/c', 'c', [LAST]));
    await expect.poll(() => entered).toContain('/b');
    expect(client.heard()).toBe('');
    release.resolve();
    expect(await answersOf(client)).toEqual([
      ['id-slow', 200, '/slow'],
      ['id-b', 200, '/b'],
      ['id-c', 200, '/c'],
    ]);
  });

  test('keep their order where one of them is refused', async () => {
    const client = await speak(listener.url, post('/slow', 'a'));
    await expect.poll(() => entered).toEqual(['/slow']);
    await flood();
    client.socket.write(post('/b', 'b') + headOf('GET', '/healthz', ['X-Request-Id: id-healthz', LAST]));
    await expect.poll(() => entered).toContain('/healthz');
    release.resolve();
    expect(await answersOf(client)).toEqual([
      ['id-slow', 200, '/slow'],
      ['id-b', 503, 'overloaded'],
      ['id-healthz', 200, '/healthz'],
    ]);
  });

  test('keep their order where one is asked too often', async () => {
    const client = await speak(listener.url, post('/limited', 'a') + post('/b', 'b', [LAST]));
    expect(await answersOf(client)).toEqual([
      ['id-limited', 429, '/limited'],
      ['id-b', 200, '/b'],
    ]);
  });

  test('cut into single bytes are the same', async () => {
    const client = await speak(listener.url);
    client.socket.setNoDelay(true);
    for (const byte of post('/a', 'first') + post('/b', 'second', [LAST])) client.socket.write(byte);
    expect(await answersOf(client)).toEqual([
      ['id-a', 200, '/a'],
      ['id-b', 200, '/b'],
    ]);
  });

  test('beyond the limit are not begun, and those before are all answered, in order, before the connection ends', async () => {
    const paths = Array.from({ length: 40 }, (_, index) => (index === 0 ? '/slow' : `/${index}`));
    const client = await speak(listener.url, paths.map(path => post(path, 'a')).join(''));
    await expect.poll(() => entered.length).toBe(32);
    release.resolve();
    expect(await answersOf(client)).toEqual(paths.slice(0, 32).map(path => [`id-${path.slice(1)}`, 200, path]));
    expect(entered.toSorted()).toEqual(paths.slice(0, 32).toSorted());
    await listener.drain(60_000);
  });

  test('beyond the limit, after all the answers are ready but the first, take none of them away', async () => {
    const paths = ['/slow', ...Array.from({ length: 31 }, (_, index) => `/${index}`)];
    const client = await speak(listener.url, paths.map(path => post(path, 'a')).join(''));
    await expect.poll(() => entered.length).toBe(32);
    await expect.poll(async () => (await metrics.waiting.get()).values[0]?.value).toBe(0);
    client.socket.write(`${post('/late', 'a').repeat(8)}POST /half HTTP/1.1\r\nContent-Le`);
    // The half request has come when another connection is answered.
    await (await speak(listener.url, headOf('GET', '/other', [LAST]))).closed();
    release.resolve();
    expect((await answersOf(client)).map(([, , path]) => path)).toEqual(paths);
    expect(entered).not.toContain('/late');
    await listener.drain(60_000);
  });

  test('of somebody who is gone are not begun any more, and nothing waits for them', async () => {
    const client = await speak(listener.url, ['/slow', '/slow', '/c', '/d'].map(path => post(path, 'a')).join(''));
    await expect.poll(async () => (await metrics.waiting.get()).values[0]?.value).toBe(2);
    client.socket.destroy();
    await expect.poll(async () => (await metrics.waiting.get()).values[0]?.value).toBe(0);
    release.resolve();
    await expect.poll(async () => (await metrics.bufferedBytes.get()).values[0]?.value).toBe(0);
    expect(entered).toEqual(['/slow', '/slow']);
    // A server that thinks that somebody still waits would wait itself.
    await listener.drain(60_000);
  });
});

describe('what is broken after a request', () => {
  beforeEach(() => begin(SHORT));

  test.each([
    ['no HTTP', 400, 'hello\r\n\r\n'],
    ['two hosts', 400, headOf('GET', '/b', ['Host: b'])],
    ['a body that stops', 408, headOf('POST', '/b', ['Content-Length: 10'])],
    ['a head that stops', 408, 'POST /b HTTP/1.1\r\nHost: a\r\nX-Half: '],
    ['a body that is no chunk', 400, `${headOf('POST', '/b', ['Transfer-Encoding: chunked'])}x\r\n`],
    ['too large a head', 431, headOf('GET', '/b', [`X-Large: ${'a'.repeat(17_000)}`])],
  ])('%s: is told after that one’s answer', async (_title, status, text) => {
    const client = await speak(listener.url, post('/slow', 'a') + text);
    await expect.poll(() => entered).toEqual(['/slow']);
    // Longer than a request may take to come.
    const other = await speak(listener.url, headOf('POST', '/other', ['Content-Length: 10']));
    await other.closed();
    expect(client.heard()).toBe('');
    release.resolve();
    expect(await answersOf(client)).toEqual([
      ['id-slow', 200, '/slow'],
      [expect.stringMatching(/^req_/), status, 'invalid_input'],
    ]);
    expect(entered).toEqual(['/slow']);
  });

  test('is not told before its answer where the connection ends with it', async () => {
    const client = await speak(listener.url, `${post('/slow', 'a', [LAST])}hello\r\n\r\n`);
    await expect.poll(() => entered).toEqual(['/slow']);
    release.resolve();
    expect(await answersOf(client)).toEqual([['id-slow', 200, '/slow']]);
  });
});

describe('a connection goes on, and in step,', () => {
  /** Asks on a connection that was asked before, and answers what is heard of the last request. */
  async function goOn(client: RawClient): Promise<void> {
    client.socket.write(post('/next', 'next', [LAST]));
    expect((await answersOf(client)).at(-1)).toEqual(['id-next', 200, '/next']);
  }

  test('after an answer to who asks too often', async () => {
    const client = await speak(listener.url, post('/limited', '{}'));
    await client.until(/ 429 [\s\S]*\}$/);
    await goOn(client);
  });

  test('after a refusal in a flood, whose body came with it', async () => {
    await flood();
    const client = await speak(listener.url, post('/a', 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'));
    await client.until(/ 503 [\s\S]*\}$/);
    release.resolve();
    await expect.poll(async () => (await metrics.waiting.get()).values[0]?.value).toBe(0);
    await goOn(client);
    expect(entered).not.toContain('/smuggled');
  });

  test('after HEAD, which has no body', async () => {
    const client = await speak(listener.url, headOf('HEAD', '/a'));
    expect(await client.until(/\r\n\r\n/)).toMatch(/\r\n\r\n$/);
    client.socket.write(headOf('OPTIONS', '/b', [LAST]));
    expect(await client.closed()).toMatch(/\r\n\r\nHTTP\/1\.1 200 /);
  });

  test('after a body that was not waited for, to who asked whether to send it', async () => {
    const client = await speak(listener.url, headOf('POST', '/a', ['Expect: 100-continue', 'Content-Length: 5']));
    expect(await client.until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.socket.write('hello');
    await client.until(/"hello"/);
    await goOn(client);
  });
});

describe('a connection ends, and what follows is no request,', () => {
  const SMUGGLED = headOf('GET', '/smuggled');

  test('after a refusal in a flood, whose body has not come', async () => {
    await flood();
    const client = await speak(listener.url, headOf('POST', '/a', ['Content-Length: 1000']));
    await client.until(/ 503 /);
    client.socket.write(SMUGGLED);
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close\r\n/i);
    expect(entered).not.toContain('/smuggled');
  });

  test('after a body that is too large', async () => {
    const client = await speak(listener.url, headOf('POST', '/a', ['Content-Length: 100000']));
    client.socket.write(SMUGGLED.repeat(3));
    await client.closed();
    expect(entered).toEqual(['/a']);
  });

  test('after a body that is too large, to who asked whether to send it', async () => {
    const head = headOf('POST', '/a', ['Expect: 100-continue', 'Content-Length: 100000']);
    const client = await speak(listener.url, head);
    const heard = await client.closed();
    expect(heard).not.toContain('100 Continue');
    expect(heard.toLowerCase()).toContain('\r\nconnection: close\r\n');
  });

  test('after an answer that is the last one', async () => {
    const client = await speak(listener.url, headOf('GET', '/a', [LAST]) + SMUGGLED);
    await client.closed();
    expect(entered).toEqual(['/a']);
  });
});

test('a body that stops takes no place', async () => {
  await begin(SHORT);
  const stopped = await Promise.all(
    Array.from({ length: 10 }, () => speak(listener.url, headOf('POST', '/slow', ['Content-Length: 10']))),
  );
  const client = await speak(listener.url, headOf('GET', '/a', [LAST]));
  expect(await client.closed()).toContain('200 OK');
  expect((await metrics.waiting.get()).values[0]?.value).toBe(0);
  for (const { closed } of stopped) expect(await closed()).toContain('408 Request Timeout');
  expect(entered).toEqual(['/a']);
});
