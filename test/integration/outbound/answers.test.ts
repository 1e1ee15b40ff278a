/** The result of an answer: its status, and the part of its body that is read. */
import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isStorableText } from '../../../src/kernel/storable.ts';
import { excerptOf } from '../../../src/outbound/excerpt.ts';
import { countBytesRead, openOutbound, post, serve, serveRaw } from '../../support/outbound/servers.ts';
import { assertProperty, runs } from '../../support/runner/properties.ts';

/** All that is read of an answer: what is taken of the body, what the socket had read ahead by then, and the headers. */
const READ_MAX = 262_144;

const url = ({ port }: { readonly port: number }): string => `http://127.0.0.1:${port}/`;

/** The result of an answer with this body. */
async function answerOf(body: string | Buffer, headers: Record<string, string> = {}) {
  const peer = await serve((_request, response) => response.writeHead(200, headers).end(body));
  return post(openOutbound(), url(peer));
}

test('every status from 200 to 599 is answered with itself', async () => {
  const peer = await serve((request, response) => response.writeHead(Number(request.url?.slice(1))).end());
  const outbound = openOutbound();
  const statuses = Array.from({ length: 400 }, (_, n) => 200 + n);
  const results = await Promise.all(statuses.map(status => post(outbound, `${url(peer)}${status}`)));
  expect(results.map(result => (result.kind === 'answered' ? result.status : result.code))).toEqual(statuses);
});

test.each([102, 103, 104, 199])('an interim answer %i is waited through', async status => {
  const peer = await serveRaw(socket => {
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'x'}\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n`,
    );
  });
  expect(await post(openOutbound(), url(peer))).toMatchObject({ kind: 'answered', status: 201 });
});

test.each([100, 101])('%i, which nobody asked for, is no answer', async status => {
  const peer = await serveRaw(socket => {
    socket.write(`HTTP/1.1 ${status} x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`);
  });
  expect(await post(openOutbound(), url(peer))).toMatchObject({ kind: 'failed', code: 'response_invalid' });
});

test('interim answers without end are no answer', async () => {
  const peer = await serveRaw(socket => {
    const flood = () => socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100), error => error || flood());
    flood();
  });
  expect(await post(openOutbound(), url(peer))).toMatchObject({ code: 'response_invalid' });
  await peer.allClosed();
});

test.each([
  ['no HTTP', 'hello\r\n\r\n'],
  ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}`],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\naa'],
  ['a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
])('%s is not a valid answer', async (_what, text) => {
  const peer = await serveRaw(socket => socket.write(text));
  expect(await post(openOutbound(), url(peer))).toMatchObject({ kind: 'failed', code: 'response_invalid' });
});

test.each([
  ['at once', ''],
  ['in the headers', 'HTTP/1.1 200 OK\r\n'],
  ['in the body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n'],
])('an answer that breaks off %s is a connection that failed', async (_when, text) => {
  const peer = await serveRaw(socket => socket.write(text, () => socket.resetAndDestroy()));
  expect(await post(openOutbound(), url(peer))).toMatchObject({ kind: 'failed', code: 'connection_failed' });
});

test('a port where nobody listens is a connection that failed', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  const port = typeof address === 'object' && address ? address.port : 0;
  expect(await post(openOutbound(), url({ port }))).toMatchObject({
    code: 'connection_failed',
    message: `The connection to 127.0.0.1:${port} was refused (ECONNREFUSED). Check that the endpoint is running and can be reached from outside.`,
  });
});

test('Retry-After comes as it was written', async () => {
  expect(await answerOf('', { 'Retry-After': 'Fri, 31 Dec 1999 23:59:59 GMT' })).toMatchObject({
    retryAfter: 'Fri, 31 Dec 1999 23:59:59 GMT',
  });
});

test('an answer without Retry-After has none', async () => {
  expect(await answerOf('')).toMatchObject({ retryAfter: null });
});

test('the request has the path, the headers and the bytes that it was given', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const peer = await serve(async (request, response) => {
    const chunks = await request.toArray();
    resolve({
      path: request.url,
      method: request.method,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    response.end();
  });
  const body = '{"text":"žluťoučký 🌻"}';
  const outbound = openOutbound({ userAgent: 'Heliograph/9.9.9' });
  await outbound.post({ url: `${url(peer)}a%20b?c=d#e`, headers: { 'webhook-id': 'dlv_1' }, body, deadlineMs: 5_000 });
  expect(await promise).toEqual({
    path: '/a%20b?c=d',
    method: 'POST',
    headers: {
      host: `127.0.0.1:${peer.port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'Heliograph/9.9.9',
      'content-length': String(Buffer.byteLength(body)),
      'webhook-id': 'dlv_1',
    },
    body,
  });
});

describe('the excerpt', () => {
  test('is the body where that is short', async () => {
    expect(await answerOf('řekl „ano“')).toMatchObject({ excerpt: 'řekl „ano“' });
  });

  test.each([
    ['a', 1_024],
    ['é', 1_024],
    ['€', 1_023],
    ['🌻', 1_024],
    ['a🌻', 1_021],
  ])('of a long body of %j ends between characters', async (text, bytes) => {
    const result = await answerOf(text.repeat(2_000));
    const excerpt = result.kind === 'answered' ? result.excerpt : '';
    expect([text.repeat(2_000).startsWith(excerpt), Buffer.byteLength(excerpt)]).toEqual([true, bytes]);
  });

  test('can be stored and is at most 1 KiB, whatever the bytes are and however they come', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 900 }), { maxLength: 6 });
    assertProperty(
      fc.property(pieces, list => {
        const excerpt = excerptOf(list);
        return isStorableText(excerpt) && Buffer.byteLength(excerpt) <= 1_024;
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('is the beginning of any text', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), text => {
        const wanted = text.replaceAll('\0', '');
        const excerpt = excerptOf([Buffer.from(text)]);
        return wanted.startsWith(excerpt);
      }),
    );
  });

  test.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ])('of a body packed by %s is unpacked', async (encoding, pack) => {
    expect(await answerOf(pack('hello'), { 'content-encoding': encoding })).toMatchObject({ excerpt: 'hello' });
  });

  test.each([
    ['gzip', Buffer.from('hello')],
    ['gzip', gzipSync('hello').subarray(0, 15)],
    ['br', Buffer.from('hello')],
    ['zip', Buffer.from('hello')],
    ['gzip, br', gzipSync(brotliCompressSync('hello'))],
    ['__proto__', Buffer.from('hello')],
  ])('of a body that cannot be unpacked (%s) is empty, and the answer is one', async (encoding, body) => {
    expect(await answerOf(body, { 'content-encoding': encoding })).toMatchObject({ status: 200, excerpt: '' });
  });

  test('is empty for an empty body', async () => {
    expect(await answerOf('', { 'content-encoding': 'gzip' })).toMatchObject({ status: 200, excerpt: '' });
  });
});

describe('a body without end', () => {
  test('is cut off, and the answer is one', async () => {
    const bytesRead = countBytesRead();
    const chunk = Buffer.alloc(1_048_576, 'x');
    const peer = await serve((_request, response) => {
      const flood = () => response.write(chunk, error => error || flood());
      flood();
    });
    expect(await post(openOutbound(), url(peer))).toMatchObject({ status: 200, excerpt: 'x'.repeat(1_024) });
    await peer.allClosed();
    expect(bytesRead()).toBeLessThan(READ_MAX);
  });

  test('is cut off where it unpacks to more than is read', async () => {
    const bytesRead = countBytesRead();
    const bomb = gigabyteOfZeros();
    const peer = await serve((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const before = process.memoryUsage().rss;
    expect(await post(openOutbound(), url(peer))).toMatchObject({ status: 200, excerpt: '' });
    await peer.allClosed();
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * 1_048_576);
    expect(bytesRead()).toBeLessThan(READ_MAX);
  });

  test('is cut off where the little that came unpacks to more than is read', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('x'.repeat(1_048_576)));
    });
    expect(await post(openOutbound(), url(peer))).toMatchObject({ status: 200, excerpt: 'x'.repeat(1_024) });
    await peer.allClosed();
  });

  test('has an excerpt though it is packed, and cut off while it is', async () => {
    // Much that comes, little that it unpacks to.
    const body = Buffer.concat([gzipSync('hello'), ...new Array<Buffer>(10_000).fill(gzipSync(''))]);
    expect(await answerOf(body, { 'content-encoding': 'gzip' })).toMatchObject({ status: 200, excerpt: 'hello' });
  });

  test('is cut off where its framing is what has no end', async () => {
    const bytesRead = countBytesRead();
    const peer = await serveRaw(socket => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1');
      const flood = () => socket.write(`;${'x'.repeat(65_536)}`, error => error || flood());
      flood();
    });
    await post(openOutbound(), url(peer));
    await peer.allClosed();
    expect(bytesRead()).toBeLessThan(READ_MAX + 65_537);
  });
});

/** About 1 MiB of gzip that unpacks to 1 GiB: what is packed in parts unpacks as one. */
function gigabyteOfZeros(): Buffer {
  const part = gzipSync(Buffer.alloc(16 * 1_048_576), { level: 9 });
  return Buffer.concat(new Array<Buffer>(64).fill(part));
}
