/** Servers for requests to customers' endpoints, which may behave as badly as they like. */
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  createOutbound,
  type Outbound,
  type OutboundOptions,
  type OutboundResult,
} from '../../../src/outbound/outbound.ts';

/** The networks that these tests may reach: this machine. */
export const LOCAL = ['127.0.0.0/8', '::1/128'];

/** An outbound that is closed after the test; unless told otherwise it may reach this machine. */
export function openOutbound(options: Partial<OutboundOptions> = {}): Outbound {
  const outbound = createOutbound({ allowedNetworks: LOCAL, ...options });
  onTestFinished(() => outbound.close());
  return outbound;
}

/** Posts an empty object. */
export function post(outbound: Outbound, url: string, deadlineMs = 10_000): Promise<OutboundResult> {
  return outbound.post({ url, headers: {}, body: '{}', deadlineMs });
}

/** A server that is listening, and what connected to it. */
export interface Peer {
  readonly port: number;
  /** Of every connection, in order. */
  readonly sockets: Socket[];
  /** Resolves when all connections that were made are closed. */
  allClosed(): Promise<unknown>;
}

/** Lets a server listen until the test is over; `at` is the port, 0 for a free one. */
export async function listen(server: Server, host = '127.0.0.1', at = 0): Promise<Peer> {
  const sockets: Socket[] = [];
  const closings: Promise<unknown>[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    closings.push(new Promise(resolve => socket.once('close', resolve)));
  });
  server.listen(at, host);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { port, sockets, allClosed: () => Promise.all(closings) };
}

/** An HTTP server. */
export function serve(listener: RequestListener, host?: string, at?: number): Promise<Peer> {
  return listen(createHttpServer(listener), host, at);
}

/** A server that answers the bytes of requests by `answer`, with no HTTP in between. */
export function serveRaw(answer: (socket: Socket, bytes: Buffer) => void): Promise<Peer> {
  return listen(createServer(socket => socket.on('data', bytes => answer(socket, bytes))));
}

/** How many bytes this process has read from its HTTP connections since this call, until the test is over. */
export function countBytesRead(): () => number {
  const sockets: Socket[] = [];
  const onConnected = (message: unknown) => {
    if (typeof message === 'object' && message && 'socket' in message && message.socket instanceof Socket) {
      sockets.push(message.socket);
    }
  };
  diagnostics.subscribe('undici:client:connected', onConnected);
  onTestFinished(() => void diagnostics.unsubscribe('undici:client:connected', onConnected));
  return () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
}

/** Counts the connections that this process begins until the test is over, over plain TCP, to whatever address. */
export function countConnects(): { count: number } {
  const seen = { count: 0 };
  const onSocket = () => {
    seen.count += 1;
  };
  diagnostics.subscribe('net.client.socket', onSocket);
  onTestFinished(() => void diagnostics.unsubscribe('net.client.socket', onSocket));
  return seen;
}

/** The hosts of URLs that lead inside, in all the spellings that were ever used for it. */
export const HOSTILE_HOSTS = [
  '127.1',
  '2130706433',
  '0x7f.1',
  '017700000001',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[fec0::1]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[5f00::1]',
  '[100::1]',
  '[3fff::1]',
  '[2001:db8::1]',
  '[::]',
  '0',
  '0.0.0.0',
  '100.100.100.200',
  '169.254.169.254',
  '192.0.0.192',
  '198.18.0.1',
  '255.255.255.255',
  '224.0.0.1',
  '192.88.99.1',
  '240.0.0.1',
  '[ff02::1]',
];

/** Hosts that anybody may reach. */
export const PUBLIC_HOSTS = ['8.8.8.8', '[2606:4700:4700::1111]'];

/** The address that a host of a URL is, without brackets. */
export function addressOf(host: string): string {
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '');
}
