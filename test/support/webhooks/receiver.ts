/** The other end of webhooks: an HTTP server that keeps what it is sent and answers as it is told. */

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes of the body, as text. */
  readonly body: string;
  readonly atMs: number;
}

/** How a receiver answers. A request without an answer stays open. */
export type Answer = (request: Received, response: ServerResponse, nth: number) => void;

/** A receiver that listens. */
export interface Receiver {
  readonly url: string;
  /** Everything that came, in order. */
  readonly received: readonly Received[];
  /** How many requests are open now, and how many were at most. */
  readonly open: { now: number; most: number };
  answer: Answer;
  /** Resolves when so many requests have come in all. */
  hasReceived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Answers 200. */
export const ok: Answer = (_request, response) => {
  response.end('ok');
};

/** Starts a receiver on a port of its own on 127.0.0.1. */
export async function startReceiver(answer: Answer = ok): Promise<Receiver> {
  const received: Received[] = [];
  const open = { now: 0, most: 0 };
  let waiting: { count: number; resolve: () => void }[] = [];
  const receiver = { answer };
  const server = createServer(async (request, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.on('close', () => {
      open.now -= 1;
    });
    const body = await readBody(request);
    const arrival = { path: request.url ?? '', headers: request.headers, body, atMs: performance.now() };
    received.push(arrival);
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    waiting = waiting.filter(({ count }) => received.length < count);
    receiver.answer(arrival, response, received.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    open,
    hasReceived: (count: number) =>
      received.length >= count
        ? Promise.resolve()
        : new Promise<void>(resolve => {
            waiting.push({ count, resolve });
          }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
