/** The rate limit of a token: a bucket of two seconds' worth of requests. A refused request takes nothing. */
import type { Ctx } from '../../context.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { toUuid } from '../../kernel/ids.ts';
import { tellLimit } from '../../kernel/rate-limit.ts';
import type { RequestKind } from './count-requests.sql.ts';
import { countRequest, type Limit, ROUNDING } from './count-requests.ts';

/** The size of the bucket, in seconds of the rate. */
const BURST_SECONDS = 2;

/**
 * Counts `count` requests together against the account's rate, and tells the limit in headers; none for an operator.
 * @throws AppError `rate_limited`, `invalid_input` for more than the bucket holds, `database_unavailable`
 */
export async function limitRequests(ctx: Ctx, count = 1): Promise<void> {
  const { actor } = ctx;
  const id = callerIdOf(ctx);
  if (count === 0 || id === null || !('account' in actor) || actor.account?.rateLimit == null) return;
  await countAgainst(ctx, id, 'requests', limitOf('requests', actor.account.rateLimit), count);
}

/** Counts a request against a fixed limit of `quota` a minute, but an operator's. @throws AppError `rate_limited`, `database_unavailable` */
export async function limitPerMinute(ctx: Ctx, kind: RequestKind, quota: number): Promise<void> {
  const id = callerIdOf(ctx);
  if (id === null) return;
  const limit = { name: kind, quota, secondsEach: 60 / quota, windowSeconds: 60 };
  await countAgainst(ctx, id, kind, limit, 1);
}

/** By whom the requests of a caller are counted, a UUID: its token, or a person's session; null: they are not. */
function callerIdOf({ actor }: Ctx): string | null {
  if (actor.kind === 'token') return toUuid(actor.tokenId);
  return actor.kind === 'user' ? toUuid(actor.sessionId) : null;
}

async function countAgainst(ctx: Ctx, callerId: string, kind: RequestKind, limit: Limit, count: number): Promise<void> {
  if (count > limit.quota)
    throw invalidInput('query', `asks for ${count} fields at once; the limit of this token lets ${limit.quota} in`);
  const { request, services } = ctx;
  const counted = await countRequest(services.database, { callerId, kind, limit, count });
  const { isAdmitted, remaining, fullInSeconds, nextInSeconds } = counted;
  // When too few places are left, `t` is the time until more fit, since `Retry-After` may not be earlier than `t`.
  tellLimit(request.answerHeaders, limit, remaining, isAdmitted && remaining > 0 ? fullInSeconds : nextInSeconds);
  if (isAdmitted) return;
  const retryAfter = Math.max(1, Math.ceil(nextInSeconds));
  const many = kind === 'requests' ? 'Too many requests' : `More than ${limit.quota} tests a minute`;
  const caller = ctx.actor.kind === 'user' ? 'session' : 'token';
  throw new AppError('rate_limited', `${many} with this ${caller}. Try again in ${retryAfter} s.`, { retryAfter });
}

/** @param rate requests a second, more than 0 */
function limitOf(name: string, rate: number): Limit {
  const quota = Math.max(1, Math.floor(BURST_SECONDS * rate + ROUNDING));
  const secondsEach = 1 / rate;
  return { name, quota, secondsEach, windowSeconds: Math.ceil(quota * secondsEach - ROUNDING) };
}
