/** One try of a delivery: the request to the endpoint, signed, and what its answer means. */
import { z } from 'zod';
import type { Ctx } from '../../../context.ts';
import { newId, parseId } from '../../../kernel/ids.ts';
import { markFailed, type Span, traceparentOf } from '../../../observability/traces/traces.ts';
import type { OutboundResult } from '../../../outbound/outbound.ts';
import { webhookBody } from '../events/webhook-events.ts';
import { secondsToNextTry } from './retry.policy.ts';
import type { TryItem } from './settle-tries.ts';
import type { DueDelivery } from './take-endpoints.sql.ts';
import type { TakenEndpoint } from './take-endpoints.ts';

/** The longest that a try takes, from the look-up of the name to the end of the answer (contract §7). */
const TRY_DEADLINE_MS = 15_000;

/** A try that was made, but for what its endpoint's breaker says of it. */
export type MadeTry = Omit<TryItem, 'opensCircuit'>;

/** Makes a try, and stores nothing yet. Null: this process ends, and it was none. */
export async function makeTry(ctx: Ctx, endpoint: TakenEndpoint, due: DueDelivery): Promise<MadeTry | null> {
  const span = beginSpan(ctx, endpoint, due);
  const result = await post(ctx, endpoint, due, span);
  const verdict = judge(result);
  if (span) endSpan(span, verdict);
  if (result.kind === 'failed' && result.code === 'stopped') return null;
  const isOver = verdict.error === null || due.isTest || verdict.httpStatus === 410;
  const retryAfter = result.kind === 'answered' ? result.retryAfter : null;
  return {
    id: newId('try'),
    accountId: endpoint.accountId,
    endpointId: endpoint.id,
    deliveryId: due.id,
    isAside: due.isTest,
    retold: due.tellsAgain ? due.eventId : null,
    number: due.tries + 1,
    step: due.step,
    durationMs: Math.round(result.durationMs),
    ...verdict,
    retrySeconds: isOver ? null : secondsToNextTry(due.step + 1, retryAfter, now(ctx), Math.random()),
  };
}

/** The result of a request, or why it could not be signed. */
type PostResult =
  | OutboundResult
  | { readonly kind: 'failed'; readonly code: 'secret_lost'; readonly message: string; readonly durationMs: number };

/** The database's time, which all processes share: receivers refuse an old signature. */
function now({ services }: Ctx): Date {
  return services.database.clock.now();
}

async function post(ctx: Ctx, endpoint: TakenEndpoint, due: DueDelivery, span: Span | null): Promise<PostResult> {
  const { sign } = endpoint;
  if (sign === null) {
    const message = 'The key of the secret is not known any more. Rotate the secret.';
    return { kind: 'failed', code: 'secret_lost', message, durationMs: 0 };
  }
  const { eventId: id, event, createdAt, data } = due;
  const body = Buffer.from(webhookBody({ id, event, createdAt, accountId: endpoint.accountId, data }));
  const timestamp = Math.floor(now(ctx).getTime() / 1_000);
  return ctx.services.outbound.post({
    url: endpoint.url,
    headers: {
      ...sign({ event, deliveryId: due.id, timestamp, body }),
      ...(span && { traceparent: traceparentOf(span) }),
    },
    body,
    deadlineMs: TRY_DEADLINE_MS,
  });
}

/** The verdict on a result: any 2xx acknowledges, and nothing else does. */
function judge(result: PostResult): Pick<MadeTry, 'httpStatus' | 'error' | 'errorMessage' | 'response'> {
  if (result.kind !== 'answered')
    return { httpStatus: null, error: result.code, errorMessage: result.message, response: null };
  const { status: httpStatus, excerpt: response } = result;
  if (httpStatus >= 200 && httpStatus <= 299) return { httpStatus, error: null, errorMessage: null, response };
  if (httpStatus >= 300 && httpStatus <= 399) {
    const errorMessage = `The endpoint answered ${httpStatus}. Redirects are not followed: set its URL to the final one.`;
    return { httpStatus, error: 'redirect', errorMessage, response };
  }
  return { httpStatus, error: 'bad_status', errorMessage: `The endpoint answered ${httpStatus}, not 2xx.`, response };
}

/** Events that tell of a send: what people write has a `messageId` of its own. */
const OF_SEND = /^(?:message\.(?!received)|sms\.|otp\.)/;

const NAMED = z.object({ messageId: z.string().nullish(), pinId: z.string().nullish() });

/** The send that an event tells of; null: it tells of none, or is a test. */
function sendOf({ event, isTest, data }: DueDelivery): string | null {
  if (isTest || !OF_SEND.test(event)) return null;
  const { messageId, pinId } = NAMED.parse(data);
  return parseId('msg', messageId ?? '') ?? parseId('pin', pinId ?? '');
}

/** Begins the span of a try, in the trace of its send; null: traces are off. The address of the endpoint stays out: it may hold a secret. */
function beginSpan({ services: { traces } }: Ctx, endpoint: TakenEndpoint, due: DueDelivery): Span | null {
  if (traces === null) return null;
  const { event, id, tries } = due;
  const own = { event, delivery_id: id, endpoint_id: endpoint.id, try: tries + 1 };
  const attributes = { 'http.request.method': 'POST' };
  return traces.begin(sendOf(due), `webhook ${event}`, { attributes, own, isCall: true });
}

function endSpan(span: Span, { httpStatus, error }: Pick<MadeTry, 'httpStatus' | 'error'>): void {
  if (httpStatus !== null) span.setAttribute('http.response.status_code', httpStatus);
  if (error != null) markFailed(span, error);
  span.end();
}
