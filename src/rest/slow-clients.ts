/** Clients that are slow, by weakness or on purpose: each is given some seconds, and is then cut off, whatever it holds. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../kernel/errors.ts';
import { newRequestId, plainFailure } from './envelope.ts';

/** How long a client may take, in milliseconds. */
export interface ServerTimes {
  /** For the headers of a request. */
  readonly headersMs: number;
  /** For a whole request, its body too. */
  readonly requestMs: number;
  /** Between two requests of a connection. */
  readonly keepAliveMs: number;
  /** Without taking a byte of an answer; and without a whole head of a request, whatever else comes. */
  readonly stallMs: number;
  /** How often all of that is looked at. */
  readonly checkEveryMs: number;
}

/** The times of every server: nobody holds a connection for longer than 10 s without doing something. */
export const SERVER_TIMES: ServerTimes = {
  headersMs: 5_000,
  requestMs: 8_000,
  keepAliveMs: 5_000,
  stallMs: 8_000,
  checkEveryMs: 500,
};

/** How many requests of one connection may wait for their answers: of who writes more of them ahead no more is read. */
const PIPELINED_MAX = 32;

/** The connections of a server, and its answers that have not ended. */
export interface Answers {
  connected(socket: Socket): void;
  /** Whether a request is heard: none is after the last one of its connection, whatever was written ahead, nor beyond the limit. */
  add(response: ServerResponse): boolean;
  /**
   * Ends a connection whose bytes are no request, or no whole one in time: says why, after the answers to the requests that came before.
   */
  refuse(error: NodeJS.ErrnoException, socket: Duplex): void;
  /** Waits until all of them have ended, at most so long. */
  ended(timeoutMs: number): Promise<void>;
  /** Stops looking after them. */
  stop(): void;
}

/**
 * Looks after answers: a client that does not take a byte of its answer for `stallMs` is cut off, whatever it says meanwhile. One that
 * waits for its answer, or follows a stream that has no news, is left alone.
 */
export function watchAnswers({ stallMs, checkEveryMs }: ServerTimes): Answers {
  /** The answers of each connection, in the order in which they were asked for. */
  const open = new Map<Duplex, Set<ServerResponse>>();
  /** Connections that have nothing to be answered, and since when. */
  const quiet = new Map<Duplex, number>();
  const marks = new WeakMap<Duplex, { readonly mark: string; readonly sinceMs: number }>();
  const refused = new WeakSet<Duplex>();
  /** What was begun is answered: then the connection ends, and meanwhile nothing more of it takes our memory. */
  const endAfter = (last: ServerResponse, socket: Socket): void => {
    socket.pause();
    if (refused.has(socket)) return;
    refused.add(socket);
    last.shouldKeepAlive = false;
    // Its head may be written already, and say that the connection goes on.
    last.once('close', () => socket.destroySoon());
  };
  let onIdle: (() => void) | null = null;
  const look = (): void => {
    const nowMs = performance.now();
    for (const { socket } of [...open.values()].flatMap(own => [...own])) {
      if (!socket) continue;
      const mark = markOf(socket);
      const known = marks.get(socket);
      if (mark === null) marks.delete(socket);
      else if (known?.mark !== mark) marks.set(socket, { mark, sinceMs: nowMs });
      else if (nowMs - known.sinceMs >= stallMs) socket.destroy();
    }
    // Blank lines are no request, but Node takes them for a sign of life.
    for (const [socket, sinceMs] of quiet) if (nowMs - sinceMs >= stallMs) socket.destroy();
  };
  const timer = setInterval(look, checkEveryMs).unref();
  return {
    connected(socket) {
      quiet.set(socket, performance.now());
      socket.once('close', () => quiet.delete(socket));
    },
    add(response) {
      const { socket } = response.req;
      const own = open.get(socket) ?? new Set();
      const last = own.size < PIPELINED_MAX ? undefined : [...own].at(-1);
      const isHeard = socket.writable && [...own].every(({ shouldKeepAlive }) => shouldKeepAlive) && !last;
      open.set(socket, own.add(response));
      quiet.delete(socket);
      if (last) endAfter(last, socket);
      response.once('close', () => {
        own.delete(response);
        if (own.size > 0) return;
        open.delete(socket);
        if (!socket.destroyed) quiet.set(socket, performance.now());
        if (open.size === 0) onIdle?.();
      });
      return isHeard;
    },
    refuse(error, socket) {
      // What comes after bytes that were refused is refused as well.
      if (refused.has(socket)) return;
      refused.add(socket);
      const own = [...(open.get(socket) ?? [])];
      const broken = own.at(-1)?.req.complete === false ? own.pop() : undefined;
      const end = (): void => refuseBytes(error, socket, broken?.headersSent === true);
      const before = error.code === 'ECONNRESET' ? undefined : own.at(-1);
      if (before) before.once('close', end);
      else end();
    },
    async ended(timeoutMs) {
      if (open.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, timeoutMs);
      onIdle = resolve;
      await promise;
      clearTimeout(limit);
    },
    stop: () => clearInterval(timer),
  };
}

/** What has been written to a socket and what of it the system has not taken yet: it changes as its reader reads. Null: it has all. */
function markOf(socket: Socket): string | null {
  if (socket.writableLength === 0) return null;
  // A large answer is one write, of which only the handle of the socket knows how far it is.
  const handle: unknown = Reflect.get(socket, '_handle');
  const left = typeof handle === 'object' && handle !== null && 'writeQueueSize' in handle ? handle.writeQueueSize : 0;
  return `${socket.bytesWritten} ${left}`;
}

/** What Node's HTTP parser refuses, by its code; anything else is a bad request. */
const REFUSALS: Readonly<Record<string, readonly [line: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};

/** Answers bytes that are no HTTP, or no whole request in time, as Node does by itself, but with a problem and a request id. */
function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex, hasBegun: boolean): void {
  if (!socket.writable || error.code === 'ECONNRESET' || hasBegun) {
    socket.destroy();
    return;
  }
  const [line, message] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'The request is no HTTP.'];
  const requestId = newRequestId();
  const { headers, body } = plainFailure(new AppError('invalid_input', message), requestId, 'problem', {
    status: Number.parseInt(line, 10),
    headers: { connection: 'close', 'x-request-id': requestId },
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${line}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  // Who does not read this either is not waited for.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** How long the client has to read why it is cut off. */
const LINGER_MS = 500;
