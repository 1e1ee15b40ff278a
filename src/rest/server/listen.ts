/** The listening socket: opened with a clear word where it cannot be had, closed when what is in flight has ended. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { AppError } from '../../kernel/errors.ts';
import { StartError } from '../../kernel/process/start-error.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { failure, newRequestId, respond } from '../envelope.ts';
import { bodyBytesMax } from '../json-body.ts';
import type { ConnectionBound } from '../overload/connection-bound.ts';
import { watchConnections } from './connections.ts';
import { findHeadFault } from './request-head.ts';
import { type OnRefused, type StyleOf, sendFailure } from './send-failure.ts';
import { SERVER_TIMES, type ServerTimes } from './server-times.ts';

/** A server that listens. */
export interface Listener {
  readonly url: string;
  /** Leaves new connections to the other processes of the port, and has those that are open end with their next answer, or after a while. */
  leave(): Promise<void>;
  /** Waits until every request is answered (at most `timeoutMs`), then closes. Until then new ones still come in. */
  drain(timeoutMs: number): Promise<void>;
}

/** The connection of a request, as the application sees it. */
export interface Connection {
  /** The address of the other end of the socket, which is a proxy's where one stands in front. */
  readonly peer: string;
  /** Answers the bytes of the body, once; absent: they are read from the request. */
  readonly takeBody?: () => Buffer;
  /** Is called with the account and its token, as soon as they are known. @throws AppError `rate_limited` where the account has too many connections */
  readonly onAccount?: (accountId: string, tokenId?: string) => void;
  /** The caller that was let in with the same token before, as a hint and no proof. */
  readonly known?: () => KnownCaller | undefined;
  /** Is called with the answer as soon as it begins; the answer that it returns is sent. */
  readonly onAnswer?: (answer: Response) => Response | Promise<Response>;
  /** Is called when the request waits for others, a provider most of all, and is no work meanwhile. */
  readonly stepAside?: () => void;
}

/** A caller that was let in with a live token or session. */
export interface KnownCaller {
  readonly accountId: string;
  /** Null: a person who was signed in. */
  readonly tokenId: string | null;
}

/** The connection of commands, jobs and in-process tests: this machine. */
export const IN_PROCESS: Connection = { peer: '127.0.0.1' };

/** Answers a request. */
export type Fetch = (request: Request, connection: Connection) => Response | Promise<Response>;

/**
 * Stands before the application: lets a request in by calling `enter`, at once or later, or answers it itself. The promise of `enter`
 * is settled when nothing of the request is worked on any more; it never rejects.
 */
export type Admission = (
  request: IncomingMessage,
  response: ServerResponse,
  enter: (connection: Connection) => Promise<void>,
) => void;

/** The address of a server, and the ways it treats requests. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** By default everything is let in. */
  readonly admission?: Admission;
  /** Of failures that the application never sees; problems by default. */
  readonly styleOf?: StyleOf;
  readonly times?: ServerTimes;
  /** By default an address has as many connections as all may have. */
  readonly bound?: Pick<ConnectionBound, 'enter'>;
  readonly metrics?: Pick<Metrics, 'unreadBytes'>;
  /** Is called with each request that is refused before the admission. */
  readonly onRefused?: OnRefused;
}

/** The most bytes of a request's headers; more is answered 431. */
const HEADER_BYTES_MAX = 16 * 1024;

/** Then a connection is closed, so that balancers in front get to choose again. */
const REQUESTS_PER_SOCKET_MAX = 10_000;

/** Connections beyond are closed at once: each of them costs memory, whatever it does. */
const CONNECTIONS_MAX = 10_000;

/** Connections that the system keeps until the process takes them, where it lets us: a burst must not be told that nobody listens. */
const BACKLOG = 4_096;

/** How long a connection of a process that leaves may wait for its next request. */
const LEAVE_MS = 2_000;

/** Listens. @throws StartError where the address cannot be had. */
export async function listen(fetch: Fetch, options: ListenOptions): Promise<Listener> {
  const { admission = admitAll, styleOf = () => 'problem', times = SERVER_TIMES } = options;
  const server = createServer({
    headersTimeout: times.headersMs,
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.keepAliveMs,
    connectionsCheckingInterval: times.checkEveryMs,
    maxHeaderSize: HEADER_BYTES_MAX,
    // We say ourselves that it is missing, with a request id.
    requireHostHeader: false,
  });
  // All are kept, and counted by us: one that is left out may be the one that says where the request ends.
  server.maxHeadersCount = 0;
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET_MAX;
  server.maxConnections = CONNECTIONS_MAX;
  if (options.bound) holdToBound(server, options.bound);
  const answers = watchConnections(server, times, options.metrics);
  const answer = answerer(fetch);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (!answers.add(response)) return;
    const fault = findHeadFault(request);
    if (fault) {
      // A proxy in front may have read another request, and another end of it.
      response.shouldKeepAlive = false;
      const refused = sendFailure(request, response, styleOf, fault.error, fault.status);
      if (refused) options.onRefused?.(request, refused);
    } else admission(request, response, connection => answer(request, response, connection));
  };
  server.on('request', onRequest);
  // Whatever a caller expects beside an answer, it gets an answer.
  server.on('checkExpectation', onRequest);
  // A caller that waits for `100 Continue` with a body that is too large gets the refusal alone.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax(request.url)) response.shouldKeepAlive = false;
    else response.writeContinue();
    onRequest(request, response);
  });
  await open(server, options);
  return {
    url: urlOf({ host: options.host, port: portOf(server) }),
    async leave() {
      // Node's own close of HTTP cuts connections that wait for a request, and one may be on its way.
      TcpServer.prototype.close.call(server);
      await answers.leave(LEAVE_MS);
    },
    async drain(timeoutMs) {
      await answers.ended(timeoutMs);
      await new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** Closes connections that are too many of their address. No request is read of them: an answer would cost more than they do. */
function holdToBound(server: Server, bound: Pick<ConnectionBound, 'enter'>): void {
  server.prependListener('connection', (socket: Socket) => {
    const leave = bound.enter(socket.remoteAddress ?? '');
    if (leave) socket.once('close', leave);
    else socket.destroy();
  });
}

const admitAll: Admission = (request, _response, enter) => void enter({ peer: peerOf(request) });

/** The other end of the socket of a request; empty where it is gone already. */
export function peerOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? '';
}

/** Gives requests to the application as the web has them, and its answers to their sockets. */
function answerer(fetch: Fetch) {
  const connections = new WeakMap<object, Connection>();
  const answer = getRequestListener(
    async (request, { incoming }) => {
      const connection = connections.get(incoming);
      // Else all that hangs on it would live until the old generation is collected.
      connections.delete(incoming);
      // Nobody hears the answer, and nobody could be held to a limit.
      if (!connection?.peer) throw new Error('the caller is gone');
      const response = await fetch(request, connection);
      return (await connection.onAnswer?.(response)) ?? response;
    },
    // A request of HTTP/1.0 may name no host.
    { errorHandler: () => unreadable(), hostname: 'localhost' },
  );
  return async (request: IncomingMessage, response: ServerResponse, connection: Connection): Promise<void> => {
    connections.set(request, connection);
    await answer(request, response);
  };
}

/** The answer to a request that no application can be given: its host or its path is none, or its caller is gone. */
function unreadable(): Response {
  const requestId = newRequestId();
  const error = new AppError('invalid_input', 'The request cannot be read.');
  return respond(failure(error, requestId, 'problem', { headers: { connection: 'close' } }), requestId);
}

/** Opens the port for a moment, before anything is made for a start that cannot be. @throws StartError where it cannot be had */
export async function requirePort(options: Pick<ListenOptions, 'host' | 'port'>): Promise<void> {
  const server = createServer();
  await open(server, options);
  await new Promise<void>(resolve => server.close(() => resolve()));
}

function open(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', error =>
      reject(new StartError(whyNot('code' in error ? String(error.code) : '', host, port), error)),
    );
    server.listen({ port, host, backlog: BACKLOG }, () => resolve());
  });
}

function whyNot(code: string, host: string, port: number): string {
  if (code === 'EADDRINUSE')
    return `The port ${port} on ${host} is taken by another program. Stop it, or set PORT to another one.`;
  if (code === 'EACCES')
    return `The port ${port} on ${host} may not be opened by this user. Set PORT to one above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `The address ${host} is not one of this machine. Set HOST to another one.`;
  return `The port ${port} on ${host} could not be opened (${code}).`;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** The address by which this machine reaches a gateway that listens there. */
export function urlOf({ host, port }: Pick<ListenOptions, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
