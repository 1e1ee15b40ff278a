/** Caches refusals of full buckets: a flood needs no query. Others can only delay a bucket, so what the database would admit is never refused. */
import type { Database } from '../../db/orm.ts';
import { perDatabase } from '../../db/per-database.ts';

/** The maximum age of a cached refusal: a changed limit applies within a second. */
const REMEMBERED_MS = 1_000;

/** The size of the cache; when it is full, it is cleared. */
const BUCKETS_MAX = 10_000;

/** A refusal applies to the same limit only. */
interface Measure {
  readonly quota: number;
  readonly secondsEach: number;
}

interface Refusal extends Measure {
  readonly fullAtMs: number;
  readonly untilMs: number;
}

const refusalsOf = perDatabase(() => new Map<string, Refusal>());

/** Caches a refusal. `askedAtMs` (`performance.now()`) is before the database read its clock. */
export function rememberRefusal(
  database: Database,
  bucket: string,
  { quota, secondsEach }: Measure,
  { askedAtMs, fullInSeconds }: { readonly askedAtMs: number; readonly fullInSeconds: number },
): void {
  const known = refusalsOf(database);
  if (known.size >= BUCKETS_MAX) known.clear();
  const fullAtMs = askedAtMs + fullInSeconds * 1_000;
  known.set(bucket, { quota, secondsEach, fullAtMs, untilMs: askedAtMs + REMEMBERED_MS });
}

/** In how many seconds a refused bucket is full, at least; null if no valid refusal is cached. */
export function recallRefusal(
  database: Database,
  bucket: string,
  { quota, secondsEach }: Measure,
  nowMs: number,
): number | null {
  const known = refusalsOf(database);
  const refusal = known.get(bucket);
  if (!refusal) return null;
  if (refusal.untilMs > nowMs && refusal.quota === quota && refusal.secondsEach === secondsEach)
    return Math.max(0, refusal.fullAtMs - nowMs) / 1_000;
  known.delete(bucket);
  return null;
}
