/** A stream that connects as libpq does, to the servers of the URL in order; the driver knows one, and only a part of `sslmode`. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, TLSSocket } from 'node:tls';
import type { PostgresHost, SessionKind } from '../../kernel/settings/postgres-url.ts';
import {
  ConnectError,
  describe,
  dial,
  encrypt,
  fieldOf,
  type Greeting,
  greet,
  placeOf,
  readyScanner,
  TlsError,
} from './postgres-dial.ts';

/** How one try connects: without TLS, with it, or with it if the server has it. */
export type Way = 'plain' | 'tls' | 'tls if there';

/** A server, and the kind of session that is wanted. */
export interface Candidate {
  readonly host: PostgresHost;
  readonly sessions: SessionKind;
}

/** The route of a socket. */
export interface Route {
  /** The servers, in the order of the tries. */
  candidates(): readonly Candidate[];
  /** The tries at one server, in order. */
  waysTo(host: PostgresHost): readonly Way[];
  /** The TLS options, read anew for each connection. @throws ConnectError if a file cannot be read */
  tls(): ConnectionOptions;
  /** The time-out of each try until the session is ready, in milliseconds; 0: none. */
  readonly timeoutMs: number;
  /** Called for a server that did not answer in time. */
  onSilence(host: PostgresHost): void;
  /** Why the server is not of the wanted kind, or null. @throws if it cannot be asked */
  findFault(candidate: Candidate): Promise<string | null>;
  /** Whether SCRAM channel binding is required. */
  readonly bindsChannel: boolean;
}

/** `cannot_connect_now`: the server is starting or stopping, or is a standby without sessions. */
const NOT_NOW = '57P03';

/** The time-out of one try. */
interface Clock {
  readonly signal: AbortSignal;
  /** Clears the time-out. */
  stop(): void;
  /** Ends the try. */
  abort(): void;
}

/** A stream that connects when the driver calls `connect`. */
export class PostgresSocket extends Duplex {
  readonly #route: Route;
  #socket: Socket | null = null;
  #clock: Clock | null = null;
  /** The driver's startup message, which is sent again to each next server. */
  #startup: Buffer | null = null;
  #isOpen = false;
  #isReferenced = true;

  constructor(route: Route) {
    super({ allowHalfOpen: false });
    this.#route = route;
  }

  /** Ignores the driver's address: the route has them all. */
  connect(): this {
    this.#open().catch(error => this.destroy(error));
    return this;
  }

  /** Set on every connection already. */
  setNoDelay(): this {
    return this;
  }

  /** Set on every connection already. */
  setKeepAlive(): this {
    return this;
  }

  /** Keeps the process alive. */
  ref(): this {
    this.#isReferenced = true;
    this.#socket?.ref();
    return this;
  }

  /** Lets the process end. */
  unref(): this {
    this.#isReferenced = false;
    this.#socket?.unref();
    return this;
  }

  /** The server's certificate, for SCRAM channel binding. */
  getPeerCertificate(): ReturnType<TLSSocket['getPeerCertificate']> | undefined {
    return this.#socket instanceof TLSSocket ? this.#socket.getPeerCertificate() : undefined;
  }

  /** Tries the servers in order. A refusal ends the search, unless that server is starting or stopping. */
  async #open(): Promise<void> {
    const faults: { readonly message: string; readonly code: string | undefined }[] = [];
    const candidates = this.#route.candidates();
    for (const candidate of candidates) {
      const { host } = candidate;
      try {
        const fault = await this.#route.findFault(candidate);
        if (fault !== null) throw new ConnectError(fault);
        const greeting = await this.#reach(host);
        const isLast = faults.length === candidates.length - 1;
        if (greeting.refusal !== NOT_NOW || isLast) return this.#hand(greeting);
        throw new ConnectError(`${placeOf(host)}: ${fieldOf(greeting.bytes, 'M')}`, NOT_NOW);
      } catch (error) {
        this.#clock?.stop();
        this.#socket?.destroy();
        if (this.destroyed) return;
        faults.push(describe(error));
      }
    }
    throw new ConnectError(faults.map(fault => fault.message).join('; '), faults.at(-1)?.code);
  }

  /** The first greeting that is no refusal, or that of the last try. */
  async #reach(host: PostgresHost): Promise<Greeting> {
    const ways = this.#route.waysTo(host);
    let greeting: Greeting | null = null;
    for (const [index, way] of ways.entries()) {
      const isLast = index === ways.length - 1;
      try {
        const { socket, isPlain } = await this.#dial(host, way);
        greeting = await greet(socket, this.#startup ?? Buffer.alloc(0));
        if (greeting.refusal === null) this.#requireBinding(greeting, host);
        if (greeting.refusal === null || isLast || (isPlain && way !== 'plain')) return greeting;
      } catch (error) {
        if (isLast || !(error instanceof TlsError)) throw error;
      }
      this.#clock?.stop();
      this.#socket?.destroy();
    }
    throw new ConnectError(`${placeOf(host)} cannot be reached`);
  }

  async #dial(host: PostgresHost, way: Way): Promise<{ readonly socket: Socket; readonly isPlain: boolean }> {
    const tls = way === 'plain' ? null : this.#route.tls();
    const { signal } = this.#startClock(host);
    let socket = await dial(host, signal);
    this.#use(socket);
    const encrypted = tls && (await encrypt(socket, host, tls, signal));
    if (tls && !encrypted && way === 'tls') throw new TlsError(`${placeOf(host)} has no TLS, which sslmode asks for`);
    socket = encrypted ?? socket;
    this.#use(socket);
    // The driver answers this event with its startup message, synchronously.
    if (this.#startup === null) this.emit('connect');
    return { socket, isPlain: !encrypted };
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    if (this.destroyed) socket.destroy();
    if (!this.#isReferenced) socket.unref();
  }

  #startClock(host: PostgresHost): Clock {
    const { timeoutMs } = this.#route;
    const controller = new AbortController();
    const silence = (): void => {
      this.#route.onSilence(host);
      const error = new ConnectError(`${placeOf(host)} did not answer within ${timeoutMs} ms`, 'ETIMEDOUT');
      // The driver is already talking to this server, so there is no other try.
      if (this.#isOpen) this.destroy(error);
      else controller.abort(error);
    };
    const timer = timeoutMs > 0 ? setTimeout(silence, timeoutMs) : undefined;
    const stop = (): void => clearTimeout(timer);
    const abort = (): void => controller.abort(new ConnectError('Connection terminated'));
    this.#clock = { signal: controller.signal, stop, abort };
    return this.#clock;
  }

  #requireBinding({ bytes }: Greeting, host: PostgresHost): void {
    if (this.#route.bindsChannel && !bytes.includes('SCRAM-SHA-256-PLUS'))
      throw new ConnectError(`${placeOf(host)} offers no channel binding, which channel_binding=require asks for`);
  }

  /** From here on bytes pass through. */
  #hand({ bytes }: Greeting): void {
    const socket = this.#socket;
    if (socket === null || this.destroyed) return;
    this.#isOpen = true;
    const isReady = readyScanner();
    const watch = (chunk: Buffer): void => {
      if (!isReady(chunk)) return;
      this.#clock?.stop();
      socket.off('data', watch);
    };
    socket.on('data', watch).on('data', chunk => {
      if (!this.push(chunk)) socket.pause();
    });
    socket
      .on('end', () => this.push(null))
      .on('error', error => this.destroy(error))
      .on('close', () => this.destroy());
    watch(bytes);
    this.push(bytes);
    socket.resume();
  }

  override _read(): void {
    if (this.#isOpen) this.#socket?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#startup ??= chunk;
    // Until the session is open, only the startup message matters.
    if (!this.#isOpen || this.#socket === null || this.#socket.write(chunk)) callback();
    else this.#socket.once('drain', callback);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    if (this.#isOpen) this.#socket?.end();
    else this.destroy();
    callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#clock?.stop();
    this.#clock?.abort();
    this.#socket?.destroy();
    callback(error);
  }
}
