/** Looks after connections: how far one may ask ahead, in which order it is answered, and when a slow one is cut off. */
import { EventEmitter, once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '../../observability/metrics.ts';
import { sendParseFailure } from './send-failure.ts';
import type { ServerTimes } from './server-times.ts';
import { boundUnread, takenBytes, unreadOf } from './unread-answers.ts';

/** How many requests of one connection may wait for their answers. */
const PIPELINED_MAX = 32;

/** The answers of a server that have not ended. */
export interface Answers {
  /** Adds the answer to a request; false: it is not heard, as it comes after the last one of its connection or too far ahead. */
  add(response: ServerResponse): boolean;
  /** Ends each connection with its next answer, and waits until none is open, at most so long. */
  leave(timeoutMs: number): Promise<void>;
  /** Waits until all have ended, at most so long. */
  ended(timeoutMs: number): Promise<void>;
}

/** How much longer than it says Node waits for the next request. */
const KEEP_ALIVE_MORE_MS = 1_000;

/** Looks after the connections of a server that does not listen yet. */
export function watchConnections(
  server: Server,
  { keepAliveMs, unreadMs, checkEveryMs }: ServerTimes,
  metrics?: Pick<Metrics, 'unreadBytes'>,
): Answers {
  /** The answers of each connection, in the order in which they were asked for. */
  const open = new Map<unknown, Set<ServerResponse>>();
  /** When each connection last had nothing to be answered. */
  const idleSinceMs = new Map<Socket, number>();
  /** The bytes of a connection's answers that the system had taken, and when a look first found that many. */
  const takenOf = new WeakMap<Socket, { readonly bytes: number; readonly atMs: number }>();
  /** Connections that end after what is open, and are not read any more. */
  const ending = new WeakSet();
  const ended = new EventEmitter();
  let isLeaving = false;
  const within = (timeoutMs: number, event: 'all' | 'left'): Promise<unknown> =>
    once(ended, event, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
  /** Ends a connection that asks for nothing more. A process that stood still reads first: the next request may have come in its time. */
  const endIdle = (socket: Socket): void => {
    const sinceMs = idleSinceMs.get(socket);
    setImmediate(() => {
      if (!open.has(socket) && idleSinceMs.get(socket) === sinceMs) socket.destroy();
    });
  };
  /** Cuts a connection that takes nothing; else a client that goes on talking is not listened to. */
  const holdToReading = (socket: Socket): void => {
    const bytes = takenBytes(socket);
    const last = takenOf.get(socket);
    if (last?.bytes !== bytes) takenOf.set(socket, { bytes, atMs: performance.now() });
    else if (performance.now() - last.atMs >= unreadMs) return void socket.resetAndDestroy();
    socket.pause();
  };
  const unread = boundUnread(
    () => [...idleSinceMs.keys()].map(socket => unreadOf(socket, open.get(socket) ?? [])),
    metrics,
  );
  const look = (): void => {
    unread.count();
    for (const [socket, sinceMs] of idleSinceMs) {
      // Blank lines are no request, but a sign of life to Node: so a client that does not read is not listened to.
      if (!open.has(socket) && performance.now() - sinceMs >= keepAliveMs + KEEP_ALIVE_MORE_MS) endIdle(socket);
      else if (socket.writableLength > 0) holdToReading(socket);
      else if (socket.isPaused() && !ending.has(socket)) socket.resume();
    }
  };
  const timer = setInterval(look, checkEveryMs).unref();
  server.on('close', () => clearInterval(timer));
  server.on('connection', (socket: Socket) => {
    idleSinceMs.set(socket, performance.now());
    socket.once('close', () => {
      idleSinceMs.delete(socket);
      if (idleSinceMs.size === 0) ended.emit('left');
    });
  });
  // Node sets a time where a connection waits for the next request, and none else.
  server.on('timeout', endIdle);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    const own = [...(open.get(socket) ?? [])];
    const broken = own.at(-1)?.req.complete === false ? own.pop() : undefined;
    const end = (): void => sendParseFailure(error, socket, broken?.headersSent === true);
    const last = error.code === 'ECONNRESET' ? undefined : own.at(-1);
    if (last) last.once('close', end);
    else end();
  });
  return {
    add(response) {
      const { socket } = response.req;
      unread.countAgain();
      const own = open.get(socket) ?? new Set();
      if (isLeaving) response.shouldKeepAlive = false;
      const last = own.size < PIPELINED_MAX ? undefined : [...own].at(-1);
      const isHeard = socket.writable && !last && [...own].every(({ shouldKeepAlive }) => shouldKeepAlive);
      open.set(socket, own.add(response));
      response.once('prefinish', () => unread.countWritten(socket.writableLength));
      response.once('close', () => {
        own.delete(response);
        if (own.size === 0) open.delete(socket);
        if (idleSinceMs.has(socket)) idleSinceMs.set(socket, performance.now());
        if (!ending.has(socket)) socket.resume();
        if (open.size === 0) ended.emit('all');
      });
      if (last && !ending.has(socket)) {
        ending.add(socket.pause());
        last.shouldKeepAlive = false;
        // Its head may be written already, and say that the connection goes on.
        last.once('close', () => socket.destroySoon());
      }
      return isHeard;
    },
    async leave(timeoutMs) {
      isLeaving = true;
      for (const responses of open.values()) for (const response of responses) response.shouldKeepAlive = false;
      if (idleSinceMs.size > 0) await within(timeoutMs, 'left');
    },
    async ended(timeoutMs) {
      if (open.size > 0) await within(timeoutMs, 'all');
    },
  };
}
