/**
 * The limit of requests per token: a bucket that holds two seconds' worth of requests and fills up at the rate of the account
 * (GCRA). A request that finds none in it is refused and takes nothing. One conditional statement counts all requests of a group,
 * so the limit is exact, however many processes count at once.
 */
import type { Ctx } from '../../context.ts';
import { type Apply, defineStatementBatch } from '../../db/batch.ts';
import { asJson, runSql, type Sql } from '../../db/sql.ts';
import { AppError } from '../../kernel/errors.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import { type RateLimitPolicy, tellLimit } from '../../kernel/rate-limit.ts';

/** Which requests of a token are counted together: `otp` are the operations of OTPs, `webhook-test` the tests of endpoints. */
export type RequestKind = 'otp' | 'webhook-test';

/** How many seconds' worth of requests may come at once. */
const BURST_SECONDS = 2;

/** Sums of binary fractions miss a whole number by less than this. */
const ROUNDING = 1e-6;

/** A limit as it is counted: a bucket of `quota` requests, and the seconds in which one more comes into it. */
interface Limit extends RateLimitPolicy {
  readonly secondsEach: number;
}

/** One request that is to be counted. */
interface RequestItem {
  readonly tokenId: string;
  readonly kind: RequestKind;
  readonly limit: Limit;
}

/** What came of it. */
interface CountedRequest {
  readonly isAdmitted: boolean;
  /** How many more would fit at once. */
  readonly remaining: number;
  /** Until the bucket is full. */
  readonly fullInSeconds: number;
  /** Until the bucket holds one more than now. */
  readonly nextInSeconds: number;
}

/**
 * Counts a request of a token against `share` (0 to 1) of the rate of its account, and sets `RateLimit-Policy` and `RateLimit` on the
 * answer. Requests of one `kind` share a bucket, so they must come with the same share. An operator, and an account without a
 * rate, has no limit: that costs nothing.
 * @throws AppError `rate_limited` with `retryAfter`, `database_unavailable`
 */
export async function limitRequests(ctx: Ctx, share: number, kind: RequestKind = 'otp'): Promise<void> {
  const { actor } = ctx;
  if (actor.kind !== 'token' || actor.account.rateLimit === null) return;
  await countAgainst(ctx, actor.tokenId, kind, limitOf(actor.account.rateLimit * share));
}

/**
 * Counts a request of a token against a limit that no account sets: so many a minute, all of them at once if need be. An operator has
 * none. @throws AppError `rate_limited` with `retryAfter`, `database_unavailable`
 */
export async function limitPerMinute(ctx: Ctx, kind: RequestKind, quota: number): Promise<void> {
  const { actor } = ctx;
  if (actor.kind !== 'token') return;
  await countAgainst(ctx, actor.tokenId, kind, { name: kind, quota, secondsEach: 60 / quota, windowSeconds: 60 });
}

async function countAgainst(ctx: Ctx, tokenId: string, kind: RequestKind, limit: Limit): Promise<void> {
  const { exchange, services } = ctx;
  const counted = await countRequest(services.database)({ tokenId, kind, limit });
  const { isAdmitted, remaining, fullInSeconds, nextInSeconds } = counted;
  // Of an empty bucket `t` is when one more fits: `Retry-After` may not be earlier than `t`, and need not be when all is full.
  const resetSeconds = remaining === 0 ? nextInSeconds : fullInSeconds;
  tellLimit(exchange.headers, limit, remaining, resetSeconds);
  if (isAdmitted) return;
  const retryAfter = Math.max(1, Math.ceil(nextInSeconds));
  throw new AppError('rate_limited', `Too many requests with this token. Try again in ${retryAfter} s.`, {
    retryAfter,
  });
}

/** @param rate requests a second, more than 0 */
function limitOf(rate: number): Limit {
  const quota = Math.max(1, Math.floor(BURST_SECONDS * rate + ROUNDING));
  const secondsEach = 1 / rate;
  return { name: 'requests', quota, secondsEach, windowSeconds: Math.ceil(quota * secondsEach - ROUNDING) };
}

const countRequest = defineStatementBatch<RequestItem, CountedRequest>('limit-requests', countRequests);

async function countRequests(sql: Sql, items: readonly RequestItem[]): ReturnType<Apply<RequestItem, CountedRequest>> {
  const groups = Map.groupBy(items, bucketOf);
  const buckets = await takeFromBuckets(sql, [...groups.values()]);
  const next = new Map<string, number>();
  return items.map(item => {
    const key = bucketOf(item);
    const bucket = buckets.get(key);
    if (!bucket) return new Error('a request was not counted');
    const place = next.get(key) ?? 0;
    next.set(key, place + 1);
    return countedAt(place, bucket, item.limit);
  });
}

function bucketOf({ tokenId, kind }: Pick<RequestItem, 'tokenId' | 'kind'>): string {
  return `${tokenId} ${kind}`;
}

interface BucketRow {
  token_id: string;
  kind: RequestKind;
  admitted: number;
  /** Seconds until the bucket is full. */
  full_in: number;
}

/**
 * Takes from each bucket as many requests as were asked of it and as fit, and answers the buckets as they are then. The clock is
 * read when the row is locked, so a process that had to wait for another does not count with the time before. What is missing
 * from a bucket is never more than it holds, so a rate that was raised is good at once. Rows go in their order, so that two
 * processes with the same tokens wait for each other instead of deadlocking.
 */
async function takeFromBuckets(sql: Sql, groups: readonly (readonly RequestItem[])[]): Promise<Map<string, BucketRow>> {
  const asked = groups.flatMap(([first, ...others]) => (first ? [askedRow(first, others.length + 1)] : []));
  const rows = await runSql<BucketRow>(
    sql,
    `with asked as materialized (
       select * from json_to_recordset($1::json) as r(token_id uuid, kind text, asked int, quota int, seconds float8)
     )
     insert into request_buckets as b (token_id, kind, full_at, admitted)
     select token_id, kind, clock_timestamp() + make_interval(secs => least(asked, quota) * seconds), least(asked, quota)
     from asked order by token_id, kind
     on conflict (token_id, kind) do update set (full_at, admitted) = (
       select now + make_interval(secs => missing + fitting * seconds), fitting
       from (
         select *, least(asked, floor((quota * seconds - missing + $2::float8) / seconds)::int) as fitting
         from (
           select *, least(greatest(extract(epoch from b.full_at - now)::float8, 0), quota * seconds) as missing
           from (
             select *, clock_timestamp() as now from asked a
             where a.token_id = excluded.token_id and a.kind = excluded.kind
           ) timed
         ) measured
       ) decided
     )
     returning token_id, kind, admitted, extract(epoch from full_at - clock_timestamp())::float8 as full_in`,
    [asJson(asked), ROUNDING],
  );
  return new Map(rows.map(row => [bucketOf({ tokenId: fromUuid('tok', row.token_id), kind: row.kind }), row]));
}

function askedRow({ tokenId, kind, limit }: RequestItem, asked: number): object {
  return { token_id: toUuid(tokenId), kind, asked, quota: limit.quota, seconds: limit.secondsEach };
}

/** What the request at this place (from 0) of its group is told: those before it were counted, those after it not yet. */
function countedAt(place: number, bucket: BucketRow, { quota, secondsEach }: Limit): CountedRequest {
  const isAdmitted = place < bucket.admitted;
  const later = isAdmitted ? bucket.admitted - 1 - place : 0;
  const fullInSeconds = Math.max(0, bucket.full_in - later * secondsEach);
  const remaining = isAdmitted ? Math.max(0, Math.floor(quota - fullInSeconds / secondsEach + ROUNDING)) : 0;
  return {
    isAdmitted,
    remaining,
    fullInSeconds,
    nextInSeconds: Math.max(0, fullInSeconds - (quota - remaining - 1) * secondsEach),
  };
}
