/** The listening socket: opened with a clear word where it cannot be had, closed when what is in flight has ended. */
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { StartError } from '../kernel/start-error.ts';

/** A server that listens. */
export interface Listener {
  readonly url: string;
  /** Waits until every request is answered (at most `timeoutMs`), then closes. Until then new ones still come in. */
  drain(timeoutMs: number): Promise<void>;
}

type Fetch = (request: Request) => Response | Promise<Response>;

/** Listens. @throws StartError where the address cannot be had. */
export async function listen(fetch: Fetch, at: { readonly host: string; readonly port: number }): Promise<Listener> {
  let inFlight = 0;
  let onIdle: (() => void) | null = null;
  const answer = getRequestListener(fetch);
  const server = createServer((request, response) => {
    inFlight += 1;
    response.once('close', () => {
      inFlight -= 1;
      if (inFlight === 0) onIdle?.();
    });
    void answer(request, response);
  });
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
