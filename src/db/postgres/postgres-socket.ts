/**
 * The way to PostgreSQL as libpq goes it, as a stream for the driver: the servers of the URL in their order, with or without TLS as
 * `sslmode` says, until one answers. The driver itself knows one server, and `sslmode` in part.
 */
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

/** One try at a server: with TLS, without, or with it where the server has it. */
export type Way = 'plain' | 'tls' | 'tls if there';

/** A server, and what it must be. */
export interface Candidate {
  readonly host: PostgresHost;
  readonly sessions: SessionKind;
}

/** Where a socket may go. */
export interface Route {
  /** The servers, in the order in which they are tried. */
  candidates(): readonly Candidate[];
  /** What is tried at a server, in order. */
  waysTo(host: PostgresHost): readonly Way[];
  /** How TLS is made, read anew for each connection. @throws ConnectError where a file of it cannot be read */
  tls(): ConnectionOptions;
  /** How long each try may take until the session is ready; 0: without end. */
  readonly timeoutMs: number;
  /** Told of a server that did not answer in time. */
  onSilence(host: PostgresHost): void;
  /** Why the server is not of the kind that is wanted; null: it is. @throws where it cannot be asked */
  findFault(candidate: Candidate): Promise<string | null>;
  /** Whether the password's exchange must be bound to TLS. */
  readonly bindsChannel: boolean;
}

/** `cannot_connect_now`: the server starts or stops, or is a standby that takes no sessions. */
const NOT_NOW = '57P03';

/** The tries at one server: the time that each has. */
interface Clock {
  readonly signal: AbortSignal;
  /** Lets the try take its time. */
  stop(): void;
  /** Ends the try. */
  abort(): void;
}

/** A stream that connects by itself when the driver asks it to. */
export class PostgresSocket extends Duplex {
  readonly #route: Route;
  #socket: Socket | null = null;
  #clock: Clock | null = null;
  /** The driver's first message, to say it again to the next server. */
  #startup: Buffer | null = null;
  #isOpen = false;
  #isReferenced = true;

  constructor(route: Route) {
    super({ allowHalfOpen: false });
    this.#route = route;
  }

  /** Called by the driver with the first server's address, which the route knows better. */
  connect(): this {
    this.#open().catch(error => this.destroy(error));
    return this;
  }

  /** Every connection has it already. */
  setNoDelay(): this {
    return this;
  }

  /** Every connection has it already. */
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

  /** The server's certificate, which the password's exchange is bound to. */
  getPeerCertificate(): ReturnType<TLSSocket['getPeerCertificate']> | undefined {
    return this.#socket instanceof TLSSocket ? this.#socket.getPeerCertificate() : undefined;
  }

  /** Tries server after server. One that refuses the session decides, unless it only starts or stops. */
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

  /** The first greeting of a server that is none of a refusal, or the last one. */
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
    // The driver answers with its first message, at once.
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
      // The driver has begun to talk with it then, and there is no other try.
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

  /** From here on the stream is the connection. */
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
    // Until the session is open, the driver says nothing that must be heard but that.
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
