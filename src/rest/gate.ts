/**
 * The gate before the application: what is too much is refused here, on the bare socket, since a refusal must cost next to nothing.
 * A request is let in when it has arrived whole, so that none that drips in has a place.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../kernel/errors.ts';
import { clientAddress, limitKey, type TrustedProxies } from '../kernel/network/address.ts';
import type { Metrics } from '../observability/metrics.ts';
import { Bodies, type BodyBounds } from './bodies.ts';
import { Callers } from './callers.ts';
import type { Capacity } from './capacity.ts';
import { type FailureStyle, failure, plainFailure, requestIdOf } from './envelope.ts';
import { findHeadFault, pathOf } from './head.ts';
import { type Gate, peerOf } from './listen.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** What a gate is built from. */
export interface GateOptions {
  readonly capacity: Capacity;
  readonly metrics: Metrics;
  /** The style of the failures of a path. */
  readonly styleOf: (path: string) => FailureStyle;
  /** Whose `X-Forwarded-For` says where strangers come from; null: nobody's. */
  readonly trustedProxies?: TrustedProxies | null;
  /** Streams of events that are open at once, 2,000 where absent. */
  readonly streamsMax?: number;
  /** What bodies take up at most, 32 MiB of strangers and 64 MiB of all where absent. */
  readonly bodyBounds?: BodyBounds;
}

/** Streams of events that are open at once: they are no work, and cost memory. One caller has a quarter of them at most. */
const STREAMS_MAX = 2_000;

/** How long a refusal is held back: who asks again at once is slowed down, and the refusals of that time are written in one go. */
const REFUSE_AFTER_MS = 50;

/** How long the answer to one who asks too often is held back: it does nothing meanwhile, and does not ask the more often for it. */
const LIMITED_MS = 50;

/** Refusals that are held back at once; beyond, they are written as they come. */
const HELD_MAX = 10_000;

/** Refusals that are written before others get a turn of the process. */
const REFUSED_AT_ONCE = 200;

/** What always passes: it is asked by those who look after the process, all the more when there is too much. */
const ALWAYS = new Set(['/healthz', '/readyz', '/metrics']);

const STYLES: readonly FailureStyle[] = ['problem', 'plant', 'graphql'];

const TOO_MUCH = new AppError('overloaded', 'There is too much to do. Try again in a moment.', { retryAfter: 1 });

const TOO_MANY_PIECES = new AppError('body_too_large', 'The body comes in too many pieces.');

/** Makes the gate of a process. */
export function createGate(options: GateOptions): Gate {
  const { capacity, metrics, styleOf, trustedProxies = null } = options;
  const callers = new Callers();
  const refuse = refuser(styleOf, metrics);
  const bodies = new Bodies(metrics, options.bodyBounds);
  const answeredAtMs = new WeakMap<Socket, number>();
  const streams = new Streams(options.streamsMax ?? STREAMS_MAX);
  return (request, response, enter) => {
    const peer = peerOf(request);
    const fault = findHeadFault(request);
    if (fault) {
      // Who stands in front may have read another request, and another end of it.
      response.shouldKeepAlive = false;
      return refuserOf(styleOf, fault.error, fault.status)(request, response);
    }
    if (ALWAYS.has(pathOf(request))) return void enter({ peer });
    const { authorization } = request.headers;
    const name = (): string => callers.nameOf(authorization, () => addressOf(request, trustedProxies));
    // In a flood nothing of what is refused is kept.
    if (capacity.isRefusing(name())) {
      request.resume();
      return refuse(request, response);
    }
    const onAccount = authorization === undefined ? undefined : (id: string) => callers.learn(authorization, id);
    const whole = (release: () => void): void => {
      let isIn = false;
      const leave = (): void => {
        release();
        place.leave();
        metrics.waiting.set(capacity.waiting);
      };
      const onAnswer = (answer: Response): Response | Promise<Response> => {
        leave();
        if (answer.status === 429) return wait(LIMITED_MS, answer);
        if (!isStream(answer)) return answer;
        return streams.add(name(), response) ? answer : streamRefused(request, answer);
      };
      response.once('close', () => {
        answeredAtMs.set(request.socket, performance.now());
        // What was begun may go on without its caller (a send does), and is work until it ends.
        if (!isIn) leave();
      });
      const place = capacity.enter(name(), answeredAtMs.get(request.socket) ?? 0, {
        begin() {
          isIn = true;
          void enter({ peer, onAnswer, ...(onAccount && { onAccount }) }).finally(() => leave());
        },
        refuse: () => refuse(request, response),
      });
      metrics.waiting.set(capacity.waiting);
    };
    bodies.read(request, !callers.knows(authorization), {
      whole,
      noRoom: () => refuse(request, response),
      tooManyPieces: () => refuserOf(styleOf, TOO_MANY_PIECES)(request, response),
    });
  };
}

/** Where a stranger comes from, as limits count it: who has many addresses of one network is one caller. */
function addressOf(request: IncomingMessage, trusted: TrustedProxies | null): string {
  const address = clientAddress(peerOf(request), request.headers['x-forwarded-for']?.toString() ?? null, trusted);
  return limitKey(address) ?? address;
}

function isStream(answer: Response): boolean {
  return answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** The streams that are open, by who follows them. */
class Streams {
  readonly #max: number;
  readonly #open = new Map<string, number>();
  #all = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether one more may be followed; it counts until its response is closed. */
  add(name: string, response: ServerResponse): boolean {
    // Who is gone already follows nothing, and would never be heard to leave.
    if (response.closed || response.destroyed) return false;
    const own = this.#open.get(name) ?? 0;
    if (this.#all >= this.#max || own >= Math.ceil(this.#max / 4)) return false;
    this.#count(name, 1);
    response.once('close', () => this.#count(name, -1));
    return true;
  }

  #count(name: string, change: 1 | -1): void {
    this.#all += change;
    const own = (this.#open.get(name) ?? 0) + change;
    if (own > 0) this.#open.set(name, own);
    else this.#open.delete(name);
  }
}

/** Refuses requests, a little later and many in one go. */
function refuser(styleOf: GateOptions['styleOf'], metrics: Metrics) {
  const held: [IncomingMessage, ServerResponse][] = [];
  const refuseNow = refuserOf(styleOf, TOO_MUCH);
  const write = (): void => {
    for (const [request, response] of held.splice(0, REFUSED_AT_ONCE)) refuseNow(request, response);
    if (held.length > 0) setImmediate(write);
  };
  return (request: IncomingMessage, response: ServerResponse): void => {
    metrics.shed.inc();
    if (held.length >= HELD_MAX) {
      refuseNow(request, response);
      return;
    }
    if (held.length === 0) setTimeout(write, REFUSE_AFTER_MS);
    held.push([request, response]);
  };
}

/** Stands for the request id where a refusal is prepared; nothing else of it is like that. */
const ID_HERE = '<request id>';

/** Refuses requests with one error, in the style of their path. */
function refuserOf(styleOf: GateOptions['styleOf'], error: AppError, status?: number) {
  const refusals = new Map(STYLES.map(style => [style, refusalOf(style, error, status)]));
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (!response.destroyed) refusals.get(styleOf(pathOf(request)))?.(request, response);
  };
}

/** The refusal of a style, prepared: all of it is the same each time, but for the request id. */
function refusalOf(style: FailureStyle, error: AppError, givenStatus?: number) {
  const more = givenStatus === undefined ? {} : { status: givenStatus };
  const { status, headers, body } = plainFailure(error, ID_HERE, style, more);
  const [before = '', after] = body.split(ID_HERE);
  const length = Buffer.byteLength(before) + Buffer.byteLength(after ?? '');
  const fixed = Object.entries({ ...headers, ...SECURITY_HEADERS }).flat();
  return (request: IncomingMessage, response: ServerResponse): void => {
    const requestId = requestIdOf(request.headers['x-request-id']?.toString());
    const bytes = after === undefined ? length : length + requestId.length;
    // The rest of it is not waited for.
    if (!request.complete) response.shouldKeepAlive = false;
    response.writeHead(status, [...fixed, 'content-length', String(bytes), 'x-request-id', requestId]);
    response.end(after === undefined ? before : before + requestId + after);
  };
}

/** A stream that nobody needs to follow: there are too many of them. */
function streamRefused(request: IncomingMessage, stream: Response): Response {
  void stream.body?.cancel();
  const requestId = requestIdOf(request.headers['x-request-id']?.toString());
  return failure(TOO_MUCH, requestId, 'graphql', { headers: { ...SECURITY_HEADERS, 'x-request-id': requestId } });
}
