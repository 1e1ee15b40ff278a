/** One request to an endpoint, from the look-up of its name to the end of the answer, under one deadline. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { BodyReader } from './body.ts';
import {
  brokenOff,
  codeOf,
  type OutboundError,
  type OutboundFault,
  responseInvalid,
  stopping,
  timedOut,
} from './faults.ts';
import type { Connection, ConnectionUser, Pool } from './pool.ts';
import type { Target } from './target.ts';

/** A POST. Its content type is JSON unless `headers` has a `content-type`; names of headers are best in lower case. */
export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** From the look-up of the name to the end of the answer, in milliseconds. */
  readonly deadlineMs: number;
}

/** The result of a request. `answered`: with the first KiB of the body, as text that can be stored. `failed`: `message` is for the customer. */
export type OutboundResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | null;
      readonly excerpt: string;
      readonly durationMs: number;
    }
  | { readonly kind: 'failed'; readonly code: OutboundFault; readonly message: string; readonly durationMs: number };

/** How many interim answers (1xx) are waited through. */
const INTERIM_MAX = 10;

/** A request under way. */
export class Post implements ConnectionUser, Dispatcher.DispatchHandler {
  readonly deadlineAt: number;
  readonly #pool: Pool;
  readonly #target: Target;
  readonly #request: OutboundRequest;
  readonly #onOver: (result: OutboundResult) => void;
  readonly #startedAt: number;
  readonly #timer: NodeJS.Timeout;
  /** A connection of the origin's pool; null: given back. */
  #connection: Connection | null = null;
  #isSent = false;
  #interim = 0;
  #status = 0;
  #retryAfter: string | null = null;
  #body: BodyReader | null = null;
  #isOver = false;

  /** Begins; `onOver` is called once. */
  constructor(pool: Pool, target: Target, request: OutboundRequest, onOver: (result: OutboundResult) => void) {
    this.#pool = pool;
    this.#target = target;
    this.#request = request;
    this.#onOver = onOver;
    this.#startedAt = performance.now();
    this.deadlineAt = this.#startedAt + request.deadlineMs;
    this.#timer = setTimeout(expire, request.deadlineMs, this);
    pool.claim(target, this);
  }

  use(connection: Connection): void {
    this.#connection = connection;
    const { headers, body } = this.#request;
    connection.client.dispatch({ path: this.#target.path, method: 'POST', headers, body }, this);
  }

  onRequestStart(): void {
    this.#isSent = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > INTERIM_MAX) controller.abort(responseInvalid());
      return;
    }
    this.#status = status;
    this.#retryAfter = single(headers['retry-after']);
    this.#body = new BodyReader(single(headers['content-encoding']), () => this.#answer());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // Nothing more is taken from the socket while what came is unpacked; then the connection goes.
    if (!this.#body?.add(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#giveBack(true);
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#wasClosedBefore(error)) this.#tryNewConnection();
    else this.#fail(brokenOff(this.#target.host, error));
  }

  /** A kept connection may have been closed by the other side just as it was used again: then nothing of the request was read. */
  #wasClosedBefore(error: Error): boolean {
    const isReset = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error) ?? '');
    return isReset && !this.#isOver && this.#status === 0 && this.#interim === 0 && (this.#connection?.uses ?? 0) > 1;
  }

  #tryNewConnection(): void {
    this.#giveBack(false);
    this.#isSent = false;
    this.#pool.claim(this.#target, this, true);
  }

  tooMuch(): void {
    if (this.#body) this.#answer();
    else this.#fail(responseInvalid());
  }

  stop(): void {
    this.#fail(stopping());
  }

  /** The deadline has passed. */
  expire(): void {
    this.#fail(timedOut(this.#target.host, this.#request.deadlineMs, this.#isSent ? 'answer' : 'connect'));
  }

  #answer(): void {
    const excerpt = this.#body?.excerpt ?? '';
    this.#finish({
      kind: 'answered',
      status: this.#status,
      retryAfter: this.#retryAfter,
      excerpt,
      durationMs: performance.now() - this.#startedAt,
    });
  }

  #fail({ fault, message }: OutboundError): void {
    this.#finish({ kind: 'failed', code: fault, message, durationMs: performance.now() - this.#startedAt });
  }

  #finish(result: OutboundResult): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#body?.close();
    this.#giveBack(false);
    this.#onOver(result);
  }

  #giveBack(isReusable: boolean): void {
    const connection = this.#connection;
    this.#connection = null;
    if (connection === null) return;
    if (isReusable) this.#pool.release(connection);
    else this.#pool.drop(connection);
  }
}

function expire(post: Post): void {
  post.expire();
}

/** A header that may have been written twice: the first counts. */
function single(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
