/** Stands before the application: lets requests in as the concurrency limit says, and refuses what is too much on the bare socket. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../kernel/errors.ts';
import { clientAddress, limitKey, type TrustedProxies } from '../../kernel/network/address.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { failure, requestIdOf } from '../envelope.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';
import { type Admission, peerOf } from '../server/listen.ts';
import { type BodyBounds, RequestBodies } from '../server/request-bodies.ts';
import { pathOf } from '../server/request-head.ts';
import { type StyleOf, sendFailure } from '../server/send-failure.ts';
import { CallerNames } from './caller-names.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';

/** What an admission is built from. */
export interface AdmissionOptions {
  readonly limit: ConcurrencyLimit;
  readonly metrics: Metrics;
  readonly styleOf: StyleOf;
  /** Whose `X-Forwarded-For` says where strangers come from; null: nobody's. */
  readonly trustedProxies?: TrustedProxies | null;
  /** Streams of events that are open at once: they are no work, and cost memory. One caller has a quarter of them at most. */
  readonly streamsMax?: number;
  /** What bodies take up at most, 32 MiB of strangers and 64 MiB of all where absent. */
  readonly bodyBounds?: BodyBounds;
}

/** How long a refusal is held back, so that asking again at once does not pay. */
const REFUSED_AFTER_MS = 50;

/** What always passes: it is asked by those who look after the process, all the more in an overload. */
const ALWAYS = new Set(['/healthz', '/readyz', '/metrics']);

const TOO_MUCH = new AppError('overloaded', 'There is too much to do. Try again in a moment.', { retryAfter: 1 });

const TOO_MANY_PIECES = new AppError('body_too_large', 'The body comes in too many pieces.');

/** Makes the admission of a process. A request is let in when it has arrived whole: none that drips in has a place. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { limit, metrics, styleOf, trustedProxies = null, streamsMax = 2_000 } = options;
  const callers = new CallerNames();
  const bodies = new RequestBodies(metrics, options.bodyBounds);
  const streams = new Map<ServerResponse, string>();
  const answeredAtMs = new WeakMap<Socket, number>();
  const refuse = (request: IncomingMessage, response: ServerResponse): void => {
    metrics.shed.inc();
    setTimeout(() => sendFailure(request, response, styleOf, TOO_MUCH), REFUSED_AFTER_MS);
  };
  const mayFollow = (name: string, response: ServerResponse): boolean => {
    const own = [...streams.values()].filter(other => other === name).length;
    // Of who is gone already, no end would ever be heard.
    if (response.destroyed || streams.size >= streamsMax || own >= Math.ceil(streamsMax / 4)) return false;
    streams.set(response, name);
    response.once('close', () => streams.delete(response));
    return true;
  };
  return (request, response, enter) => {
    const peer = peerOf(request);
    if (ALWAYS.has(pathOf(request))) return void enter({ peer });
    const { authorization } = request.headers;
    const nameOf = (): string => callers.accountOf(authorization) ?? `address ${addressOf(request, trustedProxies)}`;
    if (limit.refuses(nameOf())) {
      request.resume();
      return refuse(request, response);
    }
    const whole = (release: () => void): void => {
      const leave = (): void => {
        release();
        limit.leave(place);
        metrics.waiting.set(limit.waiting);
      };
      const onAccount = (id: string): void => callers.learn(authorization, id);
      const onAnswer = (answer: Response): Response | Promise<Response> => {
        leave();
        if (answer.status === 429) return wait(REFUSED_AFTER_MS, answer);
        const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
        return !isStream || mayFollow(nameOf(), response) ? answer : streamRefused(request, answer);
      };
      const stepAside = (): void => limit.stepAside(place);
      const begin = (): void => void enter({ peer, onAccount, onAnswer, stepAside }).finally(leave);
      const place = limit.enter(nameOf(), answeredAtMs.get(request.socket) ?? 0, begin, () => {
        release();
        refuse(request, response);
      });
      metrics.waiting.set(limit.waiting);
      response.once('close', () => {
        answeredAtMs.set(request.socket, performance.now());
        // What was begun may go on without its caller (a send does), and is work until it ends.
        if (place.state === 'waiting') leave();
      });
    };
    bodies.read(request, callers.accountOf(authorization) === undefined, {
      whole,
      noRoom: () => refuse(request, response),
      tooManyPieces: () => sendFailure(request, response, styleOf, TOO_MANY_PIECES),
    });
  };
}

/** Where a stranger comes from, as limits count it: who has many addresses of one network is one caller. */
function addressOf(request: IncomingMessage, trusted: TrustedProxies | null): string {
  const address = clientAddress(peerOf(request), request.headers['x-forwarded-for']?.toString() ?? null, trusted);
  return limitKey(address) ?? address;
}

function streamRefused(request: IncomingMessage, stream: Response): Response {
  void stream.body?.cancel();
  const requestId = requestIdOf(request.headers['x-request-id']?.toString());
  return failure(TOO_MUCH, requestId, 'graphql', { headers: { ...SECURITY_HEADERS, 'x-request-id': requestId } });
}
