/** The listening socket: opened with a clear word where it cannot be had, closed when what is in flight has ended. */
import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { AppError } from '../kernel/errors.ts';
import { StartError } from '../kernel/start-error.ts';
import { failure, newRequestId } from './envelope.ts';

/** A server that listens. */
export interface Listener {
  readonly url: string;
  /** Waits until every request is answered (at most `timeoutMs`), then closes. Until then new ones still come in. */
  drain(timeoutMs: number): Promise<void>;
}

/** What a request came by. */
export interface Connection {
  /** The address of the other end of the socket, which is a proxy's where one stands in front. */
  readonly peer: string;
}

type Fetch = (request: Request, connection: Connection) => Response | Promise<Response>;

/** Listens. @throws StartError where the address cannot be had. */
export async function listen(fetch: Fetch, at: { readonly host: string; readonly port: number }): Promise<Listener> {
  let inFlight = 0;
  let onIdle: (() => void) | null = null;
  const answer = getRequestListener((request, { incoming }) => fetch(request, connectionOf(incoming)), {
    errorHandler: () => unreadable(),
  });
  const server = createServer((request, response) => {
    inFlight += 1;
    response.once('close', () => {
      inFlight -= 1;
      if (inFlight === 0) onIdle?.();
    });
    void answer(request, response);
  });
  server.on('clientError', refuseBytes);
  await open(server, at);
  return {
    url: urlOf(server, at.host),
    async drain(timeoutMs) {
      if (inFlight > 0) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, timeoutMs);
          onIdle = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      await new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** @throws where the caller is gone already: nobody hears the answer, and nobody could be held to a limit. */
function connectionOf({ socket }: { readonly socket: { readonly remoteAddress?: string | undefined } }): Connection {
  if (socket.remoteAddress === undefined) throw new Error('the caller is gone');
  return { peer: socket.remoteAddress };
}

/** The answer to a request that no application can be given: its host or its path is none, or its caller is gone. */
function unreadable(): Response {
  const requestId = newRequestId();
  return failure(new AppError('invalid_input', 'The request cannot be read.'), requestId, 'problem', {
    headers: { 'x-request-id': requestId, connection: 'close' },
  });
}

/** Statuses for what Node's HTTP parser refuses; anything else is a bad request. */
const REFUSALS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Answers bytes that are no HTTP, as Node does by itself, but with a request id. */
function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = REFUSALS[error.code ?? ''] ?? 400;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\nX-Request-Id: ${newRequestId()}\r\n\r\n`,
  );
}

function open(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', error =>
      reject(new StartError(whyNot('code' in error ? String(error.code) : '', host, port), error)),
    );
    server.listen(port, host, () => resolve());
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

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
