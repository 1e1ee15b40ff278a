/** Counts requests in token buckets in the database (GCRA): exact over all processes, one statement a group. */
import { type Apply, defineStatementBatch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import type { RateLimitPolicy } from '../../kernel/rate-limit.ts';
import { type RequestKind, TAKE_PLACES } from './count-requests.sql.ts';
import { recallRefusal, rememberRefusal } from './refused-requests.ts';

/** A bucket: it holds `quota` requests and gains one every `secondsEach` seconds. */
export interface Limit extends RateLimitPolicy {
  readonly secondsEach: number;
}

/** Requests that are admitted or refused together. */
interface RequestItem {
  /** The one that is counted, a UUID: the token, or the session of a person. */
  readonly callerId: string;
  readonly kind: RequestKind;
  readonly limit: Limit;
  /** How many requests, from 1 to the quota. */
  readonly count: number;
}

interface CountedRequest {
  readonly isAdmitted: boolean;
  /** How many more requests fit now. */
  readonly remaining: number;
  /** Until the bucket is full. */
  readonly fullInSeconds: number;
  /** Until one more request fits than now, or, after a refusal, as many as were refused. */
  readonly nextInSeconds: number;
  /** When the database was asked, by `performance.now()`. */
  readonly askedAtMs: number;
}

/** Tolerance for sums of binary fractions. */
export const ROUNDING = 1e-6;

/** Counts requests; a refused item takes nothing. A fresh refusal that still holds is not asked again. @throws AppError `database_unavailable` */
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
  // The smallest first: if one does not fit, no later one does.
  for (const group of groups.values()) group.sort((a, b) => a.count - b.count);
  const buckets = await takeFromBuckets(sql, [...groups.values()]);
  const results = new Map<RequestItem, CountedRequest>();
  for (const [key, group] of groups) {
    const bucket = buckets.get(key);
    if (!bucket) continue;
    let taken = 0;
    for (const item of group) {
      taken += item.count;
      // The bucket's answer includes the later items of the group, which come after this one.
      const later = Math.max(0, bucket.admitted - taken) * item.limit.secondsEach;
      results.set(item, counted(item, taken <= bucket.admitted, Math.max(0, bucket.full_in - later), askedAtMs));
    }
  }
  return items.map(item => results.get(item) ?? new Error('a request was not counted'));
}

function bucketOf({ callerId, kind }: Pick<RequestItem, 'callerId' | 'kind'>): string {
  return `${callerId} ${kind}`;
}

/** The answer for an item of a bucket that is full in `fullInSeconds`. */
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

async function takeFromBuckets(
  sql: Sql,
  groups: readonly (readonly RequestItem[])[],
): Promise<Map<string, Answer<typeof TAKE_PLACES>>> {
  const rows = await TAKE_PLACES.run(sql, { asked: groups.flatMap(askedRow), rounding: ROUNDING });
  return new Map(rows.map(row => [bucketOf({ callerId: row.token_id, kind: row.kind }), row]));
}

/** A group as a row of the statement; the items are sorted by count. */
function askedRow(group: readonly RequestItem[]): Parameters<typeof TAKE_PLACES.run>[1]['asked'] {
  const [first] = group;
  if (!first) return [];
  const { quota, secondsEach } = first.limit;
  const row = { token_id: first.callerId, kind: first.kind, quota, seconds: secondsEach };
  if (group.at(-1)?.count === 1) return [{ ...row, asked: group.length, sums: undefined }];
  let sum = 0;
  const sums = group.map(({ count }) => {
    sum += count;
    return sum;
  });
  return [{ ...row, asked: sum, sums }];
}
