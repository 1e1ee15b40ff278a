/** How connections are kept, shared and closed. */
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { listen, openOutbound, post, serve, serveRaw } from '../../support/outbound/servers.ts';

const url = ({ port }: { readonly port: number }): string => `http://127.0.0.1:${port}/`;

test('connections are used again', async () => {
  const peer = await serve((_request, response) => response.end('ok'));
  const outbound = openOutbound();
  for (let n = 0; n < 5; n++) await post(outbound, url(peer));
  expect(peer.sockets).toHaveLength(1);
});

test('connections are used again after a packed answer', async () => {
  const peer = await serve((_request, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync('ok')));
  const outbound = openOutbound();
  for (let n = 0; n < 5; n++) await post(outbound, url(peer));
  expect(peer.sockets).toHaveLength(1);
});

test('connections are not used again after an answer that was cut off', async () => {
  const peer = await serve((_request, response) => response.end(Buffer.alloc(100_000)));
  const outbound = openOutbound();
  for (let n = 0; n < 3; n++) await post(outbound, url(peer));
  expect(peer.sockets).toHaveLength(3);
});

test('connections that hang hold up no other request to the same origin', async () => {
  const peer = await serve((request, response) => {
    if (request.url === '/') response.end();
  });
  const outbound = openOutbound();
  const hanging = Array.from({ length: 30 }, () => post(outbound, `${url(peer)}hang`));
  expect(await post(outbound, url(peer))).toMatchObject({ kind: 'answered', status: 200 });
  await outbound.close();
  await Promise.all(hanging);
});

test('connections that the other side closes after each answer are made anew', async () => {
  const peer = await serve((_request, response) => response.setHeader('connection', 'close').end());
  const outbound = openOutbound();
  const results = await Promise.all(Array.from({ length: 50 }, () => post(outbound, url(peer))));
  expect([results.filter(result => result.kind === 'answered').length, peer.sockets.length]).toEqual([50, 50]);
});

test('connections are closed and what is under way fails when the process ends', async () => {
  const peer = await listen(createServer(socket => socket.resume()));
  const outbound = openOutbound();
  const posts = Array.from({ length: 12 }, () => post(outbound, url(peer)));
  await outbound.close();
  expect(await Promise.all(posts)).toMatchObject(Array.from({ length: 12 }, () => ({ code: 'stopped' })));
  await peer.allClosed();
});

test('connections are not made after that', async () => {
  const peer = await serve((_request, response) => response.end());
  const outbound = openOutbound();
  await outbound.close();
  expect(await post(outbound, url(peer))).toMatchObject({ code: 'stopped' });
  expect(peer.sockets).toHaveLength(0);
});

test('connections that the other side closed while they were kept are made anew, and the request is made again', async () => {
  const seen: string[] = [];
  const used = new WeakSet<object>();
  const peer = await serveRaw(socket => {
    seen.push(used.has(socket) ? 'closed' : 'answered');
    if (used.has(socket)) socket.destroy();
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    used.add(socket);
  });
  const outbound = openOutbound();
  for (let n = 0; n < 2; n++) expect(await post(outbound, url(peer))).toMatchObject({ kind: 'answered', status: 200 });
  expect(seen).toEqual(['answered', 'closed', 'answered']);
});
