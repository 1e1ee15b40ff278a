import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { SERVER_TIMES } from '../../../../src/rest/server/server-times.ts';
import { headOf, readAnswer, speak } from '../../../support/processes/raw-http.ts';

// The times of a server, but shorter: what they do is the same, and a test need not last for ten seconds.
const TIMES = { headersMs: 400, requestMs: 800, keepAliveMs: 300, unreadMs: 1_000, checkEveryMs: 50 };

/** More than the system's buffers of a connection hold, so that somebody must read. */
const LARGE = 'x'.repeat(32 * 1024 * 1024);

let listener: Listener;
let news = Promise.withResolvers<void>();

beforeAll(async () => {
  listener = await listen(answer, { host: '127.0.0.1', port: 0, times: TIMES });
});
beforeEach(() => {
  news = Promise.withResolvers<void>();
});
afterAll(() => listener.drain(100));

/** An application that answers by path: at once, much, late, or in a stream that has no news for a while. */
async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/large') return new Response(LARGE);
  if (pathname === '/late') await news.promise;
  if (pathname === '/stream') {
    const start = async (controller: ReadableStreamDefaultController): Promise<void> => {
      controller.enqueue(Buffer.from(':hello\n\n'));
      await news.promise;
      controller.close();
    };
    return new Response(new ReadableStream({ start }), { headers: { 'content-type': 'text/event-stream' } });
  }
  return new Response(await request.text(), { headers: { 'x-request-id': 'req_1' } });
}

/** Writes a byte every 50 ms until the connection is closed. */
async function drip(client: Awaited<ReturnType<typeof speak>>): Promise<string> {
  const timer = setInterval(() => client.socket.write('a'), 50);
  return client.closed().finally(() => clearInterval(timer));
}

test('nobody is given longer than 10 s', () => {
  const { headersMs, requestMs, keepAliveMs, unreadMs, checkEveryMs } = SERVER_TIMES;
  // Node waits one second longer than it says for the next request.
  const longest = Math.max(headersMs, requestMs, keepAliveMs + 1_000, unreadMs) + 2 * checkEveryMs;
  expect(longest).toBeLessThan(10_000);
});

describe('a client is cut off', () => {
  test('that says nothing at all', async () => {
    await (await speak(listener.url)).closed();
  });

  test('whose headers drip in, with 408 and a request id', async () => {
    const { status, headers, body } = readAnswer(await drip(await speak(listener.url, 'GET /a HTTP/1.1\r\nX-Slow: ')));
    expect([status, body.status, body.code]).toEqual([408, 408, 'invalid_input']);
    expect(headers.get('x-request-id')).toBe(body.requestId);
  });

  test('whose body drips in, with 408', async () => {
    const client = await speak(listener.url, headOf('POST', '/a', ['Content-Length: 1000']));
    expect(readAnswer(await drip(client)).status).toBe(408);
  });

  test('whose body drips in by chunks', async () => {
    const client = await speak(listener.url, headOf('POST', '/a', ['Transfer-Encoding: chunked']));
    const timer = setInterval(() => client.socket.write('1\r\na\r\n'), 50);
    expect(readAnswer(await client.closed().finally(() => clearInterval(timer))).status).toBe(408);
  });

  test('that does not read its answer', async () => {
    const client = await speak(listener.url, headOf('GET', '/large'));
    client.socket.pause();
    // The client goes on talking; a socket that reads nothing learns of its end by that.
    const timer = setInterval(() => client.socket.write('\r\n'), 20);
    await client.closed();
    clearInterval(timer);
    expect(client.heard().length).toBeLessThan(LARGE.length);
  });

  test('that says nothing but blank lines after its answer', async () => {
    const client = await speak(listener.url, headOf('GET', '/a'));
    await client.until(/req_1/);
    const timer = setInterval(() => client.socket.write('\r\n'), 20);
    await client.closed();
    clearInterval(timer);
  });

  test('that asks ahead without end, after the answers to what was begun', async () => {
    const client = await speak(listener.url, headOf('GET', '/late').repeat(40));
    await (await speak(listener.url, headOf('GET', '/a', ['Connection: close']))).closed();
    news.resolve();
    expect((await client.closed()).match(/200 OK/g)).toHaveLength(32);
  });

  test('that asks for nothing more', async () => {
    const client = await speak(listener.url, headOf('GET', '/a'));
    await client.until(/\r\n\r\n/);
    await client.closed();
  });
});

describe('a client is left alone', () => {
  test('whose next request came in its time, while the process stood still', async () => {
    const client = await speak(listener.url, headOf('GET', '/a'));
    await client.until(/req_1/);
    client.socket.write(headOf('GET', '/b', ['Connection: close']));
    // Nothing is read meanwhile, as in a process that gets no time.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TIMES.keepAliveMs + 1_500);
    expect((await client.closed()).match(/200 OK/g)).toHaveLength(2);
  });

  test('that reads a large answer, however long that takes', async () => {
    const client = await speak(listener.url, headOf('GET', '/large', ['Connection: close']));
    // Half of the time it reads, half of the time it does not.
    const timer = setInterval(() => {
      if (client.socket.isPaused()) client.socket.resume();
      else client.socket.pause();
    }, 20);
    const heard = await client.closed();
    clearInterval(timer);
    expect(heard.endsWith('xxxx')).toBe(true);
    expect(heard.length).toBeGreaterThan(LARGE.length);
  });

  test.each(['/late', '/stream'])('that waits for %s', async path => {
    const waiting = await speak(listener.url, headOf('GET', path, ['Connection: close']));
    // Longer than any of the times.
    const other = await speak(listener.url, headOf('POST', '/a', ['Content-Length: 1']));
    await other.closed();
    expect(waiting.socket.destroyed).toBe(false);
    news.resolve();
    expect(await waiting.closed()).toContain('200 OK');
  });
});

describe('what is too large or no HTTP is refused with a request id', () => {
  test.each([
    ['headers above 16 KiB', 431, headOf('GET', '/a', [`X-Large: ${'a'.repeat(17 * 1024)}`])],
    ['no HTTP', 400, 'hello\r\n\r\n'],
    ['two lengths', 400, headOf('POST', '/a', ['Content-Length: 1', 'Content-Length: 2'])],
    ['a length and chunks', 400, headOf('POST', '/a', ['Content-Length: 1', 'Transfer-Encoding: chunked'])],
  ])('%s: %i', async (_title, status, text) => {
    const answered = readAnswer(await (await speak(listener.url, text)).closed());
    expect([answered.status, answered.body.status]).toEqual([status, status]);
    expect(answered.headers.get('x-request-id')).toBe(answered.body.requestId);
  });
});

test('a connection serves one request after another', async () => {
  const client = await speak(listener.url, headOf('GET', '/a'));
  await client.until(/req_1/);
  client.socket.write(headOf('GET', '/a'));
  await client.until(/req_1[\s\S]*req_1/);
  client.socket.destroy();
});

test('a connection ends with its ten thousandth answer, so that a balancer in front chooses again', async () => {
  const ahead = 20;
  const client = await speak(listener.url);
  let [answers, read] = [0, 0];
  const count = (): void => {
    const heard = client.heard();
    for (let at = heard.indexOf('HTTP/1.1 200', read); at >= 0; at = heard.indexOf('HTTP/1.1 200', read)) {
      answers += 1;
      read = at + 1;
    }
  };
  client.socket.on('data', () => {
    const before = answers;
    count();
    if (answers > before && answers % ahead === 0 && answers <= 10_000)
      client.socket.write(headOf('GET', '/a').repeat(ahead));
  });
  client.socket.write(headOf('GET', '/a').repeat(ahead));
  await client.closed();
  count();
  expect(answers).toBe(10_000);
});

test('what a client expects beside an answer does not matter', async () => {
  const client = await speak(listener.url, headOf('GET', '/a', ['Expect: wonders', 'Connection: close']));
  expect(readAnswer(await client.closed()).status).toBe(200);
});
