/** The other end of a provider that is asked by HTTP: a server over a real socket. The recipient decides its answer, or a test does. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ConnectionServices, SendRequest } from '../../../src/channels/contract.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { NO_SESSION } from './no-session.ts';

/** A request as it came, whole. */
export interface Received {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The body read as a form. */
  readonly form: URLSearchParams;
}

/** A whole answer. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Something else than a whole answer. */
export type Misdeed = (response: ServerResponse) => void;

/** A JSON answer. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** The misdeeds of a server in place of an answer, by their names in tests. */
export const MISDEEDS = {
  /** Reads all of the request, and breaks the connection off. */
  'breaks off': response => response.socket?.resetAndDestroy(),
  /** Begins an answer of 200, and breaks the connection off. */
  'breaks off in its answer': response => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.socket?.resetAndDestroy());
  },
  /** Never answers. */
  'stays silent': () => undefined,
  /** Begins an answer of 200 whose end never comes. */
  drips: response => {
    response.writeHead(200, { 'content-length': '1000000' });
    response.write('a');
  },
  /** Answers 200 with a megabyte. */
  'never stops talking': response => {
    response.writeHead(200);
    response.end('a'.repeat(1_000_000));
  },
} as const satisfies Record<string, Misdeed>;

/** How a message of a recipient is treated, as in `test/conformance/provider-harness.ts`. */
export type Treatment = 'accept' | 'reject' | 'throttle once' | 'stay silent' | 'break';

/** The protocol of a provider, from the side of its server. */
export interface Protocol {
  /** Null: the request is what the provider's documentation asks for; else its answer to one that is not, or what it does instead. */
  check(received: Received): Reply | Misdeed | null;
  /** The recipient, in digits. */
  recipientOf(received: Received): string;
  accept(received: Received): Reply;
  reject(received: Received): Reply;
  throttle(received: Received): Reply;
}

/** A provider's server. */
export class HttpPeer {
  readonly received: Received[] = [];
  readonly #protocol: Protocol;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #treatments = new Map<string, Treatment>();
  #said: Reply | Misdeed | null = null;
  #origin = '';

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Scheme, host and port. */
  get origin(): string {
    return this.#origin;
  }

  /** Listens until `close`. */
  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.#origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    return this;
  }

  /** From now on every request has this, whoever it is for. Null: as usual again. */
  say(said: Reply | Misdeed | null): void {
    this.#said = said;
  }

  /** A new recipient, in digits, whose messages are treated so. */
  prepare(treatment: Treatment): string {
    const to = `1202555${String(1_000 + this.#treatments.size)}`;
    this.#treatments.set(to, treatment);
    return to;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString('utf8');
    const target = request.url ?? '';
    const [path = '', query] = target.split('?', 2);
    const received = {
      method: request.method ?? '',
      target,
      path,
      query: new URLSearchParams(query),
      headers: request.headers,
      body,
      form: new URLSearchParams(body),
    };
    this.received.push(received);
    const said = this.#said ?? this.#protocol.check(received) ?? this.#treat(received);
    if (typeof said === 'function') said(response);
    else response.writeHead(said.status, said.headers).end(said.body);
  }

  #treat(received: Received): Reply | Misdeed {
    const to = this.#protocol.recipientOf(received);
    const treatment = this.#treatments.get(to) ?? 'accept';
    if (treatment === 'throttle once') this.#treatments.set(to, 'accept');
    if (treatment === 'stay silent') return MISDEEDS['stays silent'];
    if (treatment === 'break') return MISDEEDS['breaks off'];
    return this.#protocol[treatment === 'throttle once' ? 'throttle' : treatment](received);
  }
}

/** A provider's server for one test. */
export async function openPeer(protocol: Protocol): Promise<HttpPeer> {
  const peer = await new HttpPeer(protocol).open();
  onTestFinished(() => peer.close());
  return peer;
}

/** The address of receipts in these tests. */
export const RECEIPTS_URL = 'https://gateway.example/receipts/con_1/a-token-that-nobody-guesses';

/** The services that a provider is given. Reports over a connection of its own go nowhere. */
export const SERVICES: ConnectionServices = {
  ...NO_SESSION,
  receiptsUrl: RECEIPTS_URL,
  userAgent: 'Heliograph/1.2.3',
  receive: async () => undefined,
  hear: async () => undefined,
  onLink: () => undefined,
};

/** An attempt to send. */
export function requestTo(to: string, rest: Partial<SendRequest> = {}): SendRequest {
  return {
    attemptId: newId('att'),
    accountId: newId('acc'),
    channel: 'sms',
    to,
    from: 'ACME',
    text: 'Your code is 314159, tell nobody.',
    template: null,
    validitySeconds: null,
    tryNumber: 1,
    ...rest,
  };
}

/** A deadline that is far away. */
export function farDeadline(): AbortSignal {
  return AbortSignal.timeout(30_000);
}
