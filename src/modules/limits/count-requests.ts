/**
 * Counts requests in the buckets of the database (GCRA). One conditional statement counts all requests of a group, so the limit is
 * exact, however many processes count at once.
 */
import { type Apply, defineStatementBatch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import { asJson, runSql, type Sql } from '../../db/statements/sql.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import type { RateLimitPolicy } from '../../kernel/rate-limit.ts';
import { recallRefusal, rememberRefusal } from './refused-requests.ts';

/**
 * Which requests of a token are counted together: `requests` are the operations of every kind but those of OTPs, which are `otp`;
 * `webhook-test` are the tests of endpoints, which count as requests too.
 */
export type RequestKind = 'requests' | 'otp' | 'webhook-test';

/** A limit as it is counted: a bucket of `quota` requests, and the seconds in which one more comes into it. */
export interface Limit extends RateLimitPolicy {
  readonly secondsEach: number;
}

/** Requests that are admitted together, or refused together. */
export interface RequestItem {
  readonly tokenId: string;
  readonly kind: RequestKind;
  readonly limit: Limit;
  /** How many they are, from 1 to the quota. */
  readonly count: number;
}

/** What came of them. */
export interface CountedRequest {
  readonly isAdmitted: boolean;
  /** How many more would fit at once. */
  readonly remaining: number;
  /** Until the bucket is full. */
  readonly fullInSeconds: number;
  /** Until the bucket holds one more than now, or as many as were refused. */
  readonly nextInSeconds: number;
  /** When the database was asked, by the clock of `performance.now()`; what is told is not older. */
  readonly askedAtMs: number;
}

/** Sums of binary fractions miss a whole number by less than this. */
export const ROUNDING = 1e-6;

/**
 * Counts requests; those that find too few places take none. What the bucket must refuse by what the database said of it less than a
 * second ago is refused without asking again. @throws AppError `database_unavailable`
 */
export async function countRequest(database: Database, item: RequestItem): Promise<CountedRequest> {
  const bucket = bucketOf(item);
  const fullInSeconds = recallRefusal(database, bucket, item.limit, performance.now());
  if (fullInSeconds !== null) {
    const known = counted(item, false, fullInSeconds, performance.now());
    if (known.nextInSeconds > ROUNDING * 2) return known;
  }
  const answer = await askDatabase(database)(item);
  if (!answer.isAdmitted || fullInSeconds !== null) rememberRefusal(database, bucket, item.limit, answer);
  return answer;
}

const askDatabase = defineStatementBatch<RequestItem, CountedRequest>('limit-requests', countRequests);

async function countRequests(sql: Sql, items: readonly RequestItem[]): ReturnType<Apply<RequestItem, CountedRequest>> {
  const askedAtMs = performance.now();
  const groups = Map.groupBy(items, bucketOf);
  // The smallest come first: where one of them does not fit, none of those behind it would.
  for (const group of groups.values()) group.sort((a, b) => a.count - b.count);
  const buckets = await takeFromBuckets(sql, [...groups.values()]);
  const results = new Map<RequestItem, CountedRequest>();
  for (const [key, group] of groups) {
    const bucket = buckets.get(key);
    if (!bucket) continue;
    let taken = 0;
    for (const item of group) {
      taken += item.count;
      // Those before it were counted, those behind it not yet.
      const later = Math.max(0, bucket.admitted - taken) * item.limit.secondsEach;
      results.set(item, counted(item, taken <= bucket.admitted, Math.max(0, bucket.full_in - later), askedAtMs));
    }
  }
  return items.map(item => results.get(item) ?? new Error('a request was not counted'));
}

function bucketOf({ tokenId, kind }: Pick<RequestItem, 'tokenId' | 'kind'>): string {
  return `${tokenId} ${kind}`;
}

/** What requests are told of a bucket that is full in so many seconds. */
function counted(
  { count, limit: { quota, secondsEach } }: RequestItem,
  isAdmitted: boolean,
  fullInSeconds: number,
  askedAtMs: number,
): CountedRequest {
  const remaining = Math.max(0, Math.floor(quota - fullInSeconds / secondsEach + ROUNDING));
  const wanted = isAdmitted ? remaining + 1 : count;
  const nextInSeconds = Math.max(0, fullInSeconds - (quota - wanted) * secondsEach);
  return { isAdmitted, remaining, fullInSeconds, nextInSeconds, askedAtMs };
}

interface BucketRow {
  token_id: string;
  kind: RequestKind;
  admitted: number;
  /** Seconds until the bucket is full. */
  full_in: number;
}

/** How many places are taken where there are `room`: as many as the longest row of requests that fits. `sums` is null where each is one. */
const fitting = (room: string): string => `case when sums is null then least(asked, ${room})
  else coalesce((select max(s::int) from json_array_elements_text(sums) s where s::int <= ${room}), 0) end`;

/**
 * Takes from each bucket as many requests as were asked of it and as fit, and answers the buckets as they are then. The clock is
 * read when the row is locked, so a process that had to wait for another does not count with the time before. What is missing
 * from a bucket is never more than it holds, so a rate that was raised is good at once. Rows go in their order, so that two
 * processes with the same tokens wait for each other instead of deadlocking.
 *
 * Nobody waits for the disk: a server that crashes may forget what was counted in its last moments, and is away for longer.
 */
const TAKE = `
  with asked as materialized (
    select * from json_to_recordset($1::json) as r(token_id uuid, kind text, quota int, seconds float8, asked int, sums json)
  ), unflushed as materialized (select set_config('synchronous_commit', 'off', true))
  insert into request_buckets as b (token_id, kind, full_at, admitted)
  select token_id, kind, clock_timestamp() + make_interval(secs => fitting * seconds), fitting
  from (select *, ${fitting('quota')} as fitting from asked) fitted, unflushed order by token_id, kind
  on conflict (token_id, kind) do update set (full_at, admitted) = (
    select now + make_interval(secs => missing + fitting * seconds), fitting
    from (
      select *, ${fitting('room')} as fitting
      from (
        select *, floor((quota * seconds - missing + $2::float8) / seconds)::int as room
        from (
          select *, least(greatest(extract(epoch from b.full_at - now)::float8, 0), quota * seconds) as missing
          from (
            select *, clock_timestamp() as now from asked a
            where a.token_id = excluded.token_id and a.kind = excluded.kind
          ) timed
        ) measured
      ) roomy
    ) decided
  )
  returning token_id, kind, admitted, extract(epoch from full_at - clock_timestamp())::float8 as full_in`;

async function takeFromBuckets(sql: Sql, groups: readonly (readonly RequestItem[])[]): Promise<Map<string, BucketRow>> {
  const rows = await runSql<BucketRow>(sql, TAKE, [asJson(groups.flatMap(askedRow)), ROUNDING]);
  return new Map(rows.map(row => [bucketOf({ tokenId: fromUuid('tok', row.token_id), kind: row.kind }), row]));
}

/** A group as the statement takes it; it comes in the order of its counts. */
function askedRow(group: readonly RequestItem[]): object[] {
  const [first] = group;
  if (!first) return [];
  const { quota, secondsEach } = first.limit;
  const row = { token_id: toUuid(first.tokenId), kind: first.kind, quota, seconds: secondsEach };
  if (group.at(-1)?.count === 1) return [{ ...row, asked: group.length }];
  let sum = 0;
  const sums = group.map(({ count }) => {
    sum += count;
    return sum;
  });
  return [{ ...row, asked: sum, sums }];
}
