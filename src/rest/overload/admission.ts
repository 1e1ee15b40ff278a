/** Stands before the application: lets requests in as the concurrency limit says, and refuses what is too much on the bare socket. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../kernel/errors.ts';
import type { TrustedProxies } from '../../kernel/network/address.ts';
import { Turns } from '../../kernel/process/turns.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { KnownCallers } from '../request-log/known-callers.ts';
import { type Admission, type KnownCaller, peerOf } from '../server/listen.ts';
import { type BodyBounds, RequestBodies, type WholeBody } from '../server/request-bodies.ts';
import { addressKeyOf, tokenKeyOf } from '../server/request-context.ts';
import { pathOf } from '../server/request-head.ts';
import { type OnRefused, type StyleOf, sendFailure } from '../server/send-failure.ts';
import { type ConcurrencyLimit, STRANGER } from './concurrency-limit.ts';
import type { ConnectionBound } from './connection-bound.ts';
import { type Again, Patience, REFUSED_AFTER_MS } from './patience.ts';

interface AdmissionOptions {
  readonly limit: ConcurrencyLimit;
  readonly metrics: Metrics;
  readonly styleOf: StyleOf;
  /** Callers that have asked before; by default those of this admission alone. */
  readonly callers?: KnownCallers;
  /** Is called with each request that is refused here. */
  readonly onRefused?: OnRefused;
  /** The proxies whose `X-Forwarded-For` names the address of a stranger; null: none. */
  readonly trustedProxies?: TrustedProxies | null;
  /** `PUBLIC_URL`, by which the cookie of a session is named; null: it is not set. */
  readonly publicUrl?: string | null;
  /** Counts the connections of accounts; absent: an account may have as many as all may have. */
  readonly bound?: Pick<ConnectionBound, 'use'>;
  /** The memory for bodies; absent: 32 MiB for strangers, 64 MiB for all. */
  readonly bodyBounds?: BodyBounds;
}

/** The wait of a stranger who asks again after a refusal: hundreds of them would have the process do nothing but refuse. */
const STRANGER_AGAIN: Again = { least: 1_000, spread: 2_000, apart: 0, most: 3_000 };

/** The wait of a client that asks again for a refused stream: pages open hundreds anew without a pause. */
const STREAM_AGAIN: Again = { least: 2_500, spread: 2_500, apart: 25, most: 10_000 };

/** Paths that always pass: operators and their tools ask for them, all the more in an overload. */
const ALWAYS = new Set(['/healthz', '/readyz', '/metrics']);

const TOO_MUCH = new AppError('overloaded', 'There is too much to do. Try again in a moment.', { retryAfter: 1 });

function tooManyConnections(most: number): AppError {
  return new AppError(
    'rate_limited',
    `The account has ${most} connections here, as many as it may (CONNECTIONS_PER_ACCOUNT). Close some of them first.`,
    { retryAfter: 5 },
  );
}

const TOO_MANY_PIECES = new AppError('body_too_large', 'The body comes in too many pieces.');

/** Makes the admission of a process. A request is let in when it has arrived whole: none that drips in has a place. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { limit, metrics, styleOf, trustedProxies = null, publicUrl = null, bound } = options;
  const { callers = new KnownCallers() } = options;
  const bodies = new RequestBodies(metrics, options.bodyBounds);
  const patience = new Patience();
  // Hundreds of strangers and streams may come in one turn of the event loop, in which all others would wait for them.
  const turns = new Turns(1);
  const answeredAtMs = new WeakMap<Socket, number>();
  const fail = (request: IncomingMessage, response: ServerResponse, error: AppError): void => {
    const refused = sendFailure(request, response, styleOf, error);
    if (refused) options.onRefused?.(request, refused);
  };
  const refuse = (request: IncomingMessage, response: ServerResponse): void => {
    metrics.shed.inc();
    setTimeout(() => fail(request, response, TOO_MUCH), REFUSED_AFTER_MS);
  };
  return (request, response, enter) => {
    const peer = peerOf(request);
    if (ALWAYS.has(pathOf(request))) return void enter({ peer });
    const token = tokenKeyOf(request, publicUrl);
    const known = (): KnownCaller | undefined => callers.of(token);
    const nameOf = (): string => known()?.accountId ?? `${STRANGER}${addressKeyOf(request, trustedProxies)}`;
    const inTurn = (work: () => void): void => turns.enter(known()?.accountId ?? STRANGER, work);
    if (limit.refuses(nameOf())) {
      request.resume();
      return refuse(request, response);
    }
    let isStranger = known() === undefined;
    const onAccount = (accountId: string, tokenId?: string): void => {
      isStranger = false;
      callers.learn(token, accountId, tokenId);
      const most = bound?.use(request.socket, accountId) ?? null;
      if (most === null) return;
      response.shouldKeepAlive = false;
      throw tooManyConnections(most);
    };
    const isStream = request.headers.accept?.includes('text/event-stream') === true;
    const holdMs = (isOfStream: boolean): number => {
      if (isStranger) return patience.holdMs(nameOf(), STRANGER_AGAIN);
      return isOfStream ? patience.holdMs(`stream ${nameOf()}`, STREAM_AGAIN) : REFUSED_AFTER_MS;
    };
    const answerLater = async (answer: Response, isOfStream: boolean): Promise<Response> => {
      await wait(holdMs(isOfStream));
      return await new Promise(resolve => inTurn(() => resolve(answer)));
    };
    const whole = ({ take, release }: WholeBody): void => {
      const leave = (): void => {
        release();
        limit.leave(place);
        metrics.waiting.set(limit.waiting);
      };
      const onAnswer = (answer: Response): Response | Promise<Response> => {
        leave();
        if (answer.status !== 429 && answer.status !== 503) return answer;
        // Other requests may accept events, too. A stream finds no place in its account, or in the process.
        const isOfStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
        return isOfStream || answer.status === 429 ? answerLater(answer, isOfStream) : answer;
      };
      const stepAside = (): void => limit.stepAside(place);
      const enterNow = (): void =>
        void enter({ peer, takeBody: take, onAccount, known, onAnswer, stepAside }).finally(leave);
      // An account has few places, and sends that begin together are committed together. Reports have turns of their own, and hold no place meanwhile.
      const waits = isStream || (isStranger && !pathOf(request).startsWith('/receipts/'));
      const begin = (): void => (waits ? inTurn(enterNow) : enterNow());
      const place = limit.enter(nameOf(), answeredAtMs.get(request.socket) ?? 0, begin, () => {
        release();
        refuse(request, response);
      });
      metrics.waiting.set(limit.waiting);
      response.once('close', () => {
        answeredAtMs.set(request.socket, performance.now());
        // A request in work may go on without its caller, as a send does, and keeps its place until it ends.
        if (place.state === 'waiting') leave();
      });
    };
    bodies.read(request, isStranger, {
      whole,
      noRoom: () => refuse(request, response),
      tooManyPieces: () => fail(request, response, TOO_MANY_PIECES),
    });
  };
}
