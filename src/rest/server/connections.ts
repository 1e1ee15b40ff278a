/** Looks after connections: how far one may ask ahead, in which order it is answered, and when a slow one is cut off. */
import { EventEmitter, once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { InFlight } from '../../kernel/process/in-flight.ts';
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

/** A connection, without its socket: a value of a `WeakMap` outlives its key until the old generation is collected. */
interface Connection {
  /** The answers that have not ended, in the order in which they were asked for. */
  readonly answers: ServerResponse[];
  /** When it last had nothing to be answered. */
  idleSinceMs: number;
}

/** Finds the connection of a socket; the first call makes it. */
function connectionsBySocket(): (socket: object) => Connection {
  const connections = new WeakMap<object, Connection>();
  return socket => {
    const known = connections.get(socket);
    if (known) return known;
    const connection = { answers: [], idleSinceMs: performance.now() };
    connections.set(socket, connection);
    return connection;
  };
}

/** Looks after the connections of a server that does not listen yet. */
export function watchConnections(
  server: Server,
  { keepAliveMs, unreadMs, checkEveryMs }: ServerTimes,
  metrics?: Pick<Metrics, 'unreadBytes'>,
): Answers {
  const sockets = new InFlight<Socket>();
  const connectionOf = connectionsBySocket();
  /** How many answers have not ended. */
  let open = 0;
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
    const connection = connectionOf(socket);
    const { idleSinceMs } = connection;
    setImmediate(() => {
      if (connection.answers.length === 0 && connection.idleSinceMs === idleSinceMs) socket.destroy();
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
  const unread = boundUnread(() => [...sockets].map(socket => unreadOf(socket, connectionOf(socket).answers)), metrics);
  const look = (): void => {
    unread.count();
    for (const socket of sockets) {
      const { answers, idleSinceMs } = connectionOf(socket);
      const isIdle = answers.length === 0 && performance.now() - idleSinceMs >= keepAliveMs + KEEP_ALIVE_MORE_MS;
      // Blank lines are no request, but a sign of life to Node: so a client that does not read is not listened to.
      if (isIdle) endIdle(socket);
      else if (socket.writableLength > 0) holdToReading(socket);
      else if (socket.isPaused() && !ending.has(socket)) socket.resume();
    }
  };
  const timer = setInterval(look, checkEveryMs).unref();
  server.on('close', () => clearInterval(timer));
  server.on('connection', (socket: Socket) => {
    const leave = sockets.begin(socket);
    // Its idle time begins now.
    connectionOf(socket);
    socket.once('close', () => {
      leave();
      if (sockets.size === 0) ended.emit('left');
    });
  });
  // Node sets a time where a connection waits for the next request, and none else.
  server.on('timeout', endIdle);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    const own = [...connectionOf(socket).answers];
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
      const connection = connectionOf(socket);
      const { answers } = connection;
      if (isLeaving) response.shouldKeepAlive = false;
      const last = answers.length < PIPELINED_MAX ? undefined : answers.at(-1);
      const isHeard = socket.writable && !last && answers.every(({ shouldKeepAlive }) => shouldKeepAlive);
      answers.push(response);
      open += 1;
      response.once('prefinish', () => unread.countWritten(socket.writableLength));
      response.once('close', () => {
        answers.splice(answers.indexOf(response), 1);
        open -= 1;
        connection.idleSinceMs = performance.now();
        if (!ending.has(socket)) socket.resume();
        if (open === 0) ended.emit('all');
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
      for (const socket of sockets) for (const answer of connectionOf(socket).answers) answer.shouldKeepAlive = false;
      if (sockets.size > 0) await within(timeoutMs, 'left');
    },
    async ended(timeoutMs) {
      if (open > 0) await within(timeoutMs, 'all');
    },
  };
}
