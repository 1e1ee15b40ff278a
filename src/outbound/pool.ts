/**
 * Connections that are kept for the next request to the same origin. No limit: an endpoint that hangs must not hold up others at its host. Each is an HTTP client with one socket for one request at a time, so that a request which must end takes it along.
 */
import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { Dial } from './dial.ts';
import type { Target } from './target.ts';

/** For how long a connection without a request is kept. */
const IDLE_MS = 3_000;

const HEADER_BYTES_MAX = 16_384;

/** How much may come in answer to one request, whatever it is: headers, interim answers, framing, and more than is read of a body. */
const ANSWER_BYTES_MAX = 262_144;

/** A request that has a connection. */
export interface ConnectionUser {
  /** When it ends, on the clock of `performance.now`. */
  readonly deadlineAt: number;
  /** Here is the connection: this user's, until it is released or dropped. */
  use(connection: Connection): void;
  /** The answer is larger than any should be. */
  tooMuch(): void;
  /** The process ends. */
  stop(): void;
}

/** One connection. */
export class Connection {
  readonly origin: string;
  readonly client: Client;
  /** How many requests it was lent to. */
  uses = 0;
  #user: ConnectionUser | null = null;
  #dialling: AbortController | null = null;
  #socket: Socket | null = null;
  /** How many bytes had come before this user's. */
  #bytesBefore = 0;

  constructor(target: Target, dial: Dial, onIdleEnd: (connection: Connection) => void) {
    this.origin = target.origin;
    this.client = new Client(target.origin, {
      connect: (_options, callback) => {
        this.#open(target, dial).then(
          socket => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      },
      allowH2: false,
      pipelining: 1,
      // One deadline covers all of a request; the client's own would only be later ones.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    this.client.on('disconnect', () => {
      this.#socket = null;
      if (this.#user === null) onIdleEnd(this);
    });
  }

  /** The user that has it now. */
  get user(): ConnectionUser | null {
    return this.#user;
  }

  /** Makes it this user's, or nobody's. Its pool calls it. */
  lendTo(user: ConnectionUser | null): void {
    this.#user = user;
    this.uses += user === null ? 0 : 1;
    this.#bytesBefore = this.#socket?.bytesRead ?? 0;
  }

  /** Ends it, and the look-up, connecting or answer that is under way. */
  async destroy(): Promise<void> {
    this.#user = null;
    this.#dialling?.abort();
    await this.client.destroy();
  }

  async #open(target: Target, dial: Dial): Promise<Socket> {
    const dialling = new AbortController();
    this.#dialling = dialling;
    try {
      const socket = await dial(target, this.#user?.deadlineAt ?? 0, dialling.signal);
      this.#socket = socket;
      this.#bytesBefore = 0;
      socket.on('readable', () => {
        if (socket.bytesRead - this.#bytesBefore > ANSWER_BYTES_MAX) this.#user?.tooMuch();
      });
      return socket;
    } finally {
      this.#dialling = null;
    }
  }
}

/** The connections to all origins. */
export class Pool {
  readonly #dial: Dial;
  readonly #connections = new Set<Connection>();
  /** Those that nobody uses, by their origin. */
  readonly #idle = new Map<string, Set<Connection>>();

  constructor(dial: Dial) {
    this.#dial = dial;
  }

  /** Gives `user.use` a connection, which may not be open yet; a new one where that is asked for. */
  claim(target: Target, user: ConnectionUser, isNew = false): void {
    const [idle] = isNew ? [] : (this.#idle.get(target.origin) ?? []);
    const connection = idle ?? new Connection(target, this.#dial, ended => this.drop(ended));
    this.#connections.add(connection);
    this.#forgetIdle(connection);
    connection.lendTo(user);
    user.use(connection);
  }

  /** The answer was read to its end: the connection can serve the next. */
  release(connection: Connection): void {
    connection.lendTo(null);
    const idle = this.#idle.get(connection.origin) ?? new Set();
    this.#idle.set(connection.origin, idle.add(connection));
  }

  /** The connection cannot be used any more, or must not be. */
  drop(connection: Connection): void {
    this.#connections.delete(connection);
    this.#forgetIdle(connection);
    void connection.destroy();
  }

  /** Stops the requests that are under way, and closes all connections. */
  async close(): Promise<void> {
    const connections = [...this.#connections];
    for (const connection of connections) connection.user?.stop();
    await Promise.all(connections.map(connection => connection.destroy()));
  }

  #forgetIdle(connection: Connection): void {
    const idle = this.#idle.get(connection.origin);
    if (idle?.delete(connection) && idle.size === 0) this.#idle.delete(connection.origin);
  }
}
