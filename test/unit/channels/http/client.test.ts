import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  ANSWER_BYTES_MAX,
  type Answer,
  type Before,
  CONNECTIONS_MAX,
  FREE_MS,
  type NoAnswer,
  ProviderClient,
} from '../../../../src/channels/http/client.ts';
import { listen, serve } from '../../../support/outbound/servers.ts';
import { farDeadline, MISDEEDS } from '../../../support/providers/http-peer.ts';

const STOPPED = { kind: 'rejected', code: 'recipient_suppressed', message: 'The recipient has stopped.' } as const;

function openClient(): ProviderClient {
  const client = new ProviderClient('Heliograph/1.2.3');
  onTestFinished(() => client.close());
  return client;
}

function ask(
  client: ProviderClient,
  port: number,
  rest: Before & { path?: string; signal?: AbortSignal; scheme?: string } = {},
) {
  const { path = '/', signal = farDeadline(), scheme = 'http', ...before } = rest;
  const origin = `${scheme}://127.0.0.1:${port}`;
  return client.ask({ method: 'GET', origin, path, headers: { 'x-own': 'yes' }, body: null }, signal, before);
}

function kindOf(result: Answer | NoAnswer): string {
  return 'kind' in result ? `${result.kind} ${result.code}` : `answered ${result.status}`;
}

/** A port on which nobody listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

test('answers the whole answer, of any status', async () => {
  const peer = await serve((request, response) => {
    response.writeHead(418, { 'X-Twice': ['a', 'b'] });
    response.end(JSON.stringify([request.headers['user-agent'], request.headers['x-own'], request.url]));
  });
  const answer = await ask(openClient(), peer.port, { path: '/%2e%2e/x?a=%20b' });
  expect(answer).toMatchObject({
    status: 418,
    headers: { 'x-twice': 'a, b' },
    body: JSON.stringify(['Heliograph/1.2.3', 'yes', '/%2e%2e/x?a=%20b']),
  });
});

test('reads past interim answers', async () => {
  const peer = await serve((_request, response) => {
    response.writeProcessing();
    response.end('done');
  });
  expect(await ask(openClient(), peer.port)).toMatchObject({ status: 200, body: 'done' });
});

test('does not follow redirects', async () => {
  const reached: string[] = [];
  const elsewhere = await serve((request, response) => {
    reached.push(request.url ?? '');
    response.end();
  });
  const client = openClient();
  for (const status of [301, 302, 303, 307, 308]) {
    const peer = await serve((_request, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${elsewhere.port}/` }).end();
    });
    expect(kindOf(await ask(client, peer.port))).toBe(`answered ${status}`);
  }
  expect(reached).toEqual([]);
});

test('is unavailable where nobody listens', async () => {
  const result = await ask(openClient(), await closedPort());
  expect(result).toEqual({
    kind: 'unavailable',
    code: 'connection_failed',
    message: 'Nothing listens at the address that its connection gives. Check the port, and that the provider is up.',
  });
});

test('is unavailable where the other end does not speak TLS', async () => {
  const peer = await serve((_request, response) => response.end());
  expect(kindOf(await ask(openClient(), peer.port, { scheme: 'https' }))).toBe('unavailable connection_failed');
});

test('is unavailable where the other end takes the connection and never begins TLS, and hears why', async () => {
  const peer = await listen(createServer());
  const faults: Error[] = [];
  const onFault = (error: Error) => void faults.push(error);
  const result = await ask(openClient(), peer.port, { scheme: 'https', onFault });
  expect(kindOf(result)).toBe('unavailable connection_failed');
  expect(result).not.toMatchObject({ message: expect.stringContaining('in use') });
  expect(faults).toHaveLength(1);
});

test.each([
  ['breaks off', 'unknown connection_broken'],
  ['breaks off in its answer', 'unknown connection_broken'],
  ['never stops talking', 'unknown answer_too_long'],
] as const)('is unknown where the other end %s', async (misdeed, expected) => {
  const peer = await serve((_request, response) => MISDEEDS[misdeed](response));
  expect(kindOf(await ask(openClient(), peer.port))).toBe(expected);
  await peer.allClosed();
});

test('is unknown where the answer is not HTTP', async () => {
  const peer = await listen(createServer(socket => socket.on('data', () => socket.write('SSH-2.0-OpenSSH_9.2\r\n'))));
  expect(kindOf(await ask(openClient(), peer.port))).toBe('unknown connection_broken');
});

test('reads as much as the limit and not a byte more', async () => {
  let size = ANSWER_BYTES_MAX;
  const peer = await serve((_request, response) => response.end('é'.repeat(size / 2) + 'a'.repeat(size % 2)));
  const client = openClient();
  expect(await ask(client, peer.port)).toMatchObject({ body: 'é'.repeat(ANSWER_BYTES_MAX / 2) });
  size += 2;
  expect(kindOf(await ask(client, peer.port))).toBe('unknown answer_too_long');
});

test.each(['stays silent', 'drips'] as const)('ends at the deadline where the other end %s', async misdeed => {
  const deadline = new AbortController();
  const peer = await serve((_request, response) => {
    MISDEEDS[misdeed](response);
    deadline.abort();
  });
  expect(kindOf(await ask(openClient(), peer.port, { signal: deadline.signal }))).toBe('unknown timeout');
  await peer.allClosed();
});

test('writes nothing after the deadline, though a connection was being made', async () => {
  let requests = 0;
  const peer = await serve((_request, response) => {
    requests += 1;
    response.end();
  });
  const client = openClient();
  const deadline = new AbortController();
  const result = ask(client, peer.port, { signal: deadline.signal });
  deadline.abort();
  expect(kindOf(await result)).toBe('unavailable connection_failed');
  expect(kindOf(await ask(client, peer.port, { signal: AbortSignal.abort() }))).toBe('unavailable connection_failed');
  expect(kindOf(await ask(client, peer.port))).toBe('answered 200');
  expect(requests).toBe(1);
});

/** A client whose connections all wait for an answer of a peer, which gives these by `answer`. */
async function openBusy() {
  const seen: string[] = [];
  const waiting: (() => void)[] = [];
  const peer = await serve((request, response) => {
    seen.push(request.url ?? '');
    waiting.push(() => response.end());
  });
  const client = openClient();
  const busy = Array.from({ length: CONNECTIONS_MAX }, () => ask(client, peer.port));
  await expect.poll(() => waiting.length).toBe(CONNECTIONS_MAX);
  const answer = (): void => {
    for (const end of waiting.splice(0)) end();
  };
  return { client, peer, seen, busy, answer };
}

test('writes nothing of a request that is refused once a connection is free for it', async () => {
  const { client, peer, seen, busy, answer } = await openBusy();
  let refusal: typeof STOPPED | null = null;
  const refused = ask(client, peer.port, { path: '/stopped', refuse: () => refusal });
  const next = ask(client, peer.port, { path: '/next', refuse: () => null });
  refusal = STOPPED;
  answer();
  expect(await refused).toEqual(STOPPED);
  await expect.poll(() => seen).toContain('/next');
  answer();
  expect(kindOf(await next)).toBe('answered 200');
  await Promise.all(busy);
  expect(seen).not.toContain('/stopped');
  expect(peer.sockets).toHaveLength(CONNECTIONS_MAX);
});

test('is unavailable where no connection is free in time, and writes nothing later', async () => {
  const { client, peer, seen, busy, answer } = await openBusy();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const late = ask(client, peer.port, { path: '/late' });
  vi.advanceTimersByTime(FREE_MS);
  vi.useRealTimers();
  expect(await late).toEqual({
    kind: 'unavailable',
    code: 'connection_failed',
    message: 'No connection to the provider was free in time.',
  });
  answer();
  await Promise.all(busy);
  const next = ask(client, peer.port, { path: '/next' });
  await expect.poll(() => seen).toContain('/next');
  answer();
  expect(kindOf(await next)).toBe('answered 200');
  expect(seen).not.toContain('/late');
  expect(peer.sockets).toHaveLength(CONNECTIONS_MAX);
});

test('does not send again what was written to a kept connection that breaks off', async () => {
  const seen: string[] = [];
  const peer = await serve((request, response) => {
    seen.push(request.url ?? '');
    if (seen.length === 1) response.end('first');
    else response.socket?.resetAndDestroy();
  });
  const client = openClient();
  expect(kindOf(await ask(client, peer.port, { path: '/1' }))).toBe('answered 200');
  // Until then the connection is busy with what is behind the answer.
  await turn();
  expect(kindOf(await ask(client, peer.port, { path: '/2' }))).toBe('unknown connection_broken');
  expect(seen).toEqual(['/1', '/2']);
  expect(peer.sockets).toHaveLength(1);
});

test('uses a new connection where the kept one was closed before', async () => {
  const peer = await serve((_request, response) => response.end('ok'));
  const client = openClient();
  expect(kindOf(await ask(client, peer.port))).toBe('answered 200');
  for (const socket of peer.sockets) socket.end();
  await peer.allClosed();
  expect(kindOf(await ask(client, peer.port))).toBe('answered 200');
  expect(peer.sockets).toHaveLength(2);
});

test('never has a request arrive twice, nor one arrive that is unavailable, while the other end closes as it answers', async () => {
  const seen: string[] = [];
  const server = createServer((socket: Socket) => {
    socket.on('data', data => {
      seen.push(String(data).split(' ')[1] ?? '');
      // Says that it keeps the connection, and closes it: the next request may be written to a connection that is no more.
      socket.write('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok');
      if (seen.length % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    });
  });
  const peer = await listen(server);
  const client = openClient();
  const kinds: string[] = [];
  for (let index = 0; index < 200; index++) {
    if (index % 3 === 0) await turn();
    const result = await ask(client, peer.port, { path: `/${index}` });
    const times = seen.filter(path => path === `/${index}`).length;
    expect(times).toBeLessThanOrEqual(1);
    if (!('kind' in result)) expect(times).toBe(1);
    else if (result.kind === 'unavailable') expect(times).toBe(0);
    kinds.push(kindOf(result));
  }
  expect(kinds).toContain('answered 200');
});

test('lets what is under way come to its end when it is closed', async () => {
  const client = new ProviderClient('Heliograph/1.2.3');
  let closed: Promise<void> | null = null;
  const peer = await serve((_request, response) => {
    closed = client.close();
    response.end('in time');
  });
  expect(await ask(client, peer.port)).toMatchObject({ body: 'in time' });
  await closed;
});
