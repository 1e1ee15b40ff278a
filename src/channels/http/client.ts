/**
 * Asks a provider by HTTP: one request within the deadline of its signal, without redirects, with a limit to the answer. Every end says what may have
 * become of the message. A connection is the operator's, who may name any host: no address is refused here.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import type { SendRequest } from '../contract.ts';
import { SOMEWHERE, unreachable } from '../faults.ts';
import { failure, type SendOutcome } from '../outcome.ts';

/** How much of an answer's body is read, in bytes, unless its request says otherwise. */
export const ANSWER_BYTES_MAX = 65_536;

/** How long a connection may take, TLS included: after it there is time left to ask another provider. */
const CONNECT_MS = 4_000;

/** The longest wait for a free connection. One that is being made has failed before, with its reason: its timer may be a second late. */
export const FREE_MS = 6_000;

/** How many connections a provider gets at once; more requests wait for one. */
export const CONNECTIONS_MAX = 128;

/** A request to a provider. Nothing in it is encoded any more: `path` is sent as it stands. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null: none. */
  readonly body: string | null;
  /** How much of the answer's body is read, in bytes; absent: `ANSWER_BYTES_MAX`. */
  readonly answerBytesMax?: number;
}

/** A whole answer, of whatever status. */
export interface Answer {
  readonly status: number;
  /** Names in lower case; a header that was written twice has both values, with a comma between. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why there is no answer, as the outcome of the send. */
export type NoAnswer = Extract<SendOutcome, { readonly kind: 'unavailable' | 'unknown' | 'rejected' }>;

/** Callbacks of a caller, before its request is written. */
export interface Before extends Pick<SendRequest, 'refuse'> {
  /** Told the error by which no connection stood. */
  readonly onFault?: (error: Error) => void;
}

/** Asks one provider, over connections that are kept for the next request. */
export class ProviderClient {
  readonly #userAgent: string;
  // One connection has one request at a time: what the other end closes fails no other request, and nothing is written twice.
  readonly #agent = new Agent({
    pipelining: 1,
    connections: CONNECTIONS_MAX,
    allowH2: false,
    connect: { timeout: CONNECT_MS },
    // The deadline of the signal covers all of a request.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  constructor(userAgent: string) {
    this.#userAgent = userAgent;
  }

  /**
   * Asks, once: nothing is ever sent again. `unavailable`: nothing of the request was written, since no connection stood, or was free, in time (another
   * one may be asked). `unknown`: it was written, or begun, and the answer did not come whole or in time: the provider may have the message.
   * `rejected`: refused by `before`, which is asked when a connection is there for it; nothing was written.
   */
  ask(request: ProviderRequest, signal: AbortSignal, before: Before = {}): Promise<Answer | NoAnswer> {
    return new Promise(resolve => {
      const call = new Call(signal, resolve, before, request.answerBytesMax);
      if (signal.aborted) return;
      const { method, origin, path, body } = request;
      const headers = { 'user-agent': this.#userAgent, ...request.headers };
      this.#agent.dispatch({ method, origin, path, headers, body }, call);
    });
  }

  /** Ends its connections, after what is under way. */
  close(): Promise<void> {
    return this.#agent.close();
  }
}

/** One request under way. The first word that it has is its end. */
class Call implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #resolve: (result: Answer | NoAnswer) => void;
  readonly #before: Before;
  readonly #bytesMax: number;
  readonly #onAbort = () => this.#abort();
  readonly #timer = setTimeout(() => this.#giveUp(), FREE_MS);
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isOver = false;

  constructor(
    signal: AbortSignal,
    resolve: (result: Answer | NoAnswer) => void,
    before: Before,
    bytesMax = ANSWER_BYTES_MAX,
  ) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#before = before;
    this.#bytesMax = bytesMax;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#abort();
  }

  /** A connection stands, and the request is written next: from here on it may have arrived. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#timer);
    this.#controller = controller;
    const refusal = this.#isOver ? null : this.#before.refuse?.();
    if (refusal) this.#end(refusal);
    // Nothing is written of a request whose handler throws here, and the next one has the connection. An abort would close it.
    if (this.#isOver) throw new Error('aborted');
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#bytes += piece.byteLength;
    if (this.#bytes <= this.#bytesMax) {
      this.#pieces.push(piece);
      return;
    }
    this.#end(failure('unknown', 'answer_too_long'));
    controller.abort(new Error('too long'));
  }

  onResponseEnd(): void {
    const headers = Object.entries(this.#headers).map(([name, value]) => [
      name.toLowerCase(),
      [value].flat().join(', '),
    ]);
    const body = Buffer.concat(this.#pieces).toString('utf8');
    this.#end({ status: this.#status, headers: Object.fromEntries(headers), body });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#controller) {
      // A kept connection that the other end closes while the request is written tells nobody what was read of it.
      this.#end({
        kind: 'unknown',
        code: 'connection_broken',
        message: 'The connection to the provider broke off before its answer was whole.',
      });
    } else {
      this.#before.onFault?.(error);
      // Accounts are told this, who need not know where the provider is.
      this.#end({ kind: 'unavailable', code: 'connection_failed', message: unreachable(error, SOMEWHERE) });
    }
  }

  #giveUp(): void {
    this.#end({
      kind: 'unavailable',
      code: 'connection_failed',
      message: 'No connection to the provider was free in time.',
    });
  }

  #abort(): void {
    if (this.#controller) this.#end(failure('unknown', 'timeout'));
    else this.#giveUp();
    this.#controller?.abort(new Error('aborted'));
  }

  #end(result: Answer | NoAnswer): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#pieces = [];
    this.#resolve(result);
  }
}
