/** One deadline covers everything, and the socket goes with it, whatever the other side does. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Outbound, OutboundResult } from '../../../src/outbound/outbound.ts';
import { createResolve } from '../../../src/outbound/resolve.ts';
import { HOOKS_TEST_CERTIFICATE } from '../../support/outbound/certificate.ts';
import { listen, openOutbound, type Peer, post, serve, serveRaw } from '../../support/outbound/servers.ts';

const DEADLINE_MS = 300;

/** An answer that is packed, up to the name of the file that is inside, which may be of any length. */
const GZIP_WITH_NAME = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\x03';

/** A server that says `head`, and then `drop` again and again until the other side has had enough. */
function dripping(head: string, drop: string): Promise<Peer> {
  return serveRaw(socket => {
    socket.write(head, 'latin1');
    const timer = setInterval(() => socket.write(drop), 20);
    socket.once('close', () => clearInterval(timer));
  });
}

async function postTo(
  url: string,
  outbound: Outbound = openOutbound(),
): Promise<OutboundResult & { waitedMs: number }> {
  const startedAt = performance.now();
  const result = await post(outbound, url, DEADLINE_MS);
  return { ...result, waitedMs: performance.now() - startedAt };
}

/** Expects a post that ended by its deadline: not before, though the other side would go on for ever. */
function expectTimeout(result: OutboundResult & { waitedMs: number }): void {
  expect(result).toMatchObject({ kind: 'failed', code: 'timeout' });
  expect(result.waitedMs).toBeGreaterThan(DEADLINE_MS - 5);
  expect(result.waitedMs).toBeLessThan(DEADLINE_MS + 10_000);
}

test.each([
  ['says nothing', () => serveRaw(() => undefined)],
  ['drips its headers', () => dripping('HTTP/1.1 200 OK\r\n', 'x: y\r\n')],
  ['drips its status', () => dripping('HTTP/1.1 200 ', 'O')],
  ['drips a body of known length', () => dripping('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n', 'x')],
  ['drips chunks', () => dripping('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n')],
  ['drips a body until it closes', () => dripping('HTTP/1.1 200 OK\r\n\r\n', 'x')],
  ['drips a packed body', () => dripping(GZIP_WITH_NAME, 'x')],
])('a server that %s', async (_how, open) => {
  const peer = await open();
  expectTimeout(await postTo(`http://127.0.0.1:${peer.port}/`));
  await peer.allClosed();
});

test('a server that does not begin TLS', async () => {
  const peer = await listen(createServer(socket => socket.resume()));
  const outbound = openOutbound({ ca: HOOKS_TEST_CERTIFICATE });
  expectTimeout(await postTo(`https://127.0.0.1:${peer.port}/`, outbound));
  await peer.allClosed();
});

test('a name that is not answered', async () => {
  const signals: AbortSignal[] = [];
  const outbound = openOutbound({
    resolve: (_name, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
  });
  expectTimeout(await postTo('http://hooks.test/', outbound));
  expect(signals.map(signal => signal.aborted)).toEqual([true]);
});

test('a name that is answered too late leads to no connection', async () => {
  const peer = await serve((_request, response) => response.end());
  const answer = Promise.withResolvers<string[]>();
  const outbound = openOutbound({ resolve: () => answer.promise });
  expectTimeout(await postTo(`http://hooks.test:${peer.port}/`, outbound));
  answer.resolve(['127.0.0.1']);
  // A later request over the same way shows that the earlier one had its turn.
  await post(outbound, `http://127.0.0.1:${peer.port}/`);
  expect(peer.sockets).toHaveLength(1);
});

test('servers of names that are silent', async () => {
  const { port, queries } = await silentNames();
  const outbound = openOutbound({ resolve: createResolve([`127.0.0.1:${port}`]) });
  expectTimeout(await postTo('http://hooks.test/', outbound));
  expect(queries.length).toBeGreaterThan(0);
});

test('a check waits for a name for a second, and then lets it pass', async () => {
  const outbound = openOutbound({ resolve: () => new Promise(() => undefined) });
  const startedAt = performance.now();
  expect(await outbound.check('https://hooks.test/')).toBeNull();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('a name without addresses is told apart', async () => {
  const outbound = openOutbound({ resolve: async () => [] });
  expect(await postTo('http://hooks.test/', outbound)).toMatchObject({
    code: 'dns_failed',
    message: 'The host hooks.test has no address. Check its spelling and its DNS records.',
  });
});

test('a look-up that fails is a name without addresses', async () => {
  const outbound = openOutbound({ resolve: () => Promise.reject(new Error('SERVFAIL from 10.0.0.53')) });
  const result = await postTo('http://hooks.test/', outbound);
  expect(result).toMatchObject({ code: 'dns_failed', message: expect.not.stringContaining('10.0.0.53') });
});

test('a check lets a name without addresses pass', async () => {
  expect(await openOutbound({ resolve: async () => [] }).check('https://hooks.test/')).toBeNull();
});

test('a wait for a connection counts', async () => {
  const held = new Set<Socket>();
  const peer = await serveRaw(socket => held.add(socket));
  const outbound = openOutbound();
  const url = `http://127.0.0.1:${peer.port}/`;
  const busy = Array.from({ length: 10 }, () => post(outbound, url, 60_000));
  await expect.poll(() => held.size).toBe(10);
  expectTimeout(await postTo(url, outbound));
  for (const socket of held) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  expect(await Promise.all(busy)).toMatchObject(Array.from({ length: 10 }, () => ({ kind: 'answered' })));
});

test('those who wait get the connections of those whose time is over', async () => {
  const peer = await serveRaw((socket, bytes) => {
    if (bytes.includes('POST /later')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  const outbound = openOutbound();
  const url = `http://127.0.0.1:${peer.port}/`;
  const stuck = Array.from({ length: 10 }, () => post(outbound, url, DEADLINE_MS));
  const later = Array.from({ length: 10 }, () => post(outbound, `${url}later`, 60_000));
  expect(await Promise.all(stuck)).toMatchObject(Array.from({ length: 10 }, () => ({ code: 'timeout' })));
  expect(await Promise.all(later)).toMatchObject(Array.from({ length: 10 }, () => ({ kind: 'answered' })));
});

test('the message of a time-out says how long it was', async () => {
  const peer = await serveRaw(() => undefined);
  expect(await postTo(`http://127.0.0.1:${peer.port}/`)).toMatchObject({
    message: '127.0.0.1 had not answered completely within 0.3 s. Answer with 2xx first, and do the work after that.',
  });
});

test('a name with addresses of one family is reached', async () => {
  const peer = await serve((_request, response) => response.end());
  const { port } = await namesWithIpv4([127, 0, 0, 1]);
  const outbound = openOutbound({ resolve: createResolve([`127.0.0.1:${port}`]) });
  const result = await post(outbound, `http://hooks.test:${peer.port}/`);
  expect(result).toMatchObject({ kind: 'answered', status: 200 });
});

/** A server of names that answers nothing. */
function silentNames(): Promise<{ port: number; queries: Buffer[] }> {
  return serveNames(() => null);
}

/** A server of names that knows one IPv4 address for all of them, and no IPv6 address. */
function namesWithIpv4(address: readonly number[]): Promise<{ port: number; queries: Buffer[] }> {
  return serveNames(query => {
    const endOfQuestion = query.indexOf(0, 12) + 5;
    const isIpv4 = query.readUInt16BE(endOfQuestion - 4) === 1;
    const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isIpv4 ? 1 : 0, 0, 0, 0, 0]);
    const answer = isIpv4 ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address] : [];
    return Buffer.concat([head, query.subarray(12, endOfQuestion), Buffer.from(answer)]);
  });
}

async function serveNames(answer: (query: Buffer) => Buffer | null): Promise<{ port: number; queries: Buffer[] }> {
  const queries: Buffer[] = [];
  const server = createSocket('udp4', (query, { port, address }) => {
    queries.push(query);
    const reply = answer(query);
    if (reply) server.send(reply, port, address);
  });
  onTestFinished(() => void server.close());
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, queries };
}
