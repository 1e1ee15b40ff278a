/**
 * What a process remembers of buckets that refused: until when they are not full, as the database said. Whatever else is counted
 * makes that later, never earlier, so a flood can be refused without asking again, and nothing is refused that would be admitted.
 */
import type { Database } from '../../db/orm.ts';

/** How long an answer is remembered at most: what changes the limit holds within a second. */
const REMEMBERED_MS = 1_000;

/** How many buckets are remembered at most; beyond, all are forgotten and asked again. */
const BUCKETS_MAX = 10_000;

/** The limit that a bucket was counted with: another one has other places. */
interface Measure {
  readonly quota: number;
  readonly secondsEach: number;
}

interface Refusal extends Measure {
  readonly fullAtMs: number;
  readonly untilMs: number;
}

const refusals = new WeakMap<Database, Map<string, Refusal>>();

/** Remembers a refusal of a bucket: `askedAtMs` (of `performance.now()`) is before the database read its clock. */
export function rememberRefusal(
  database: Database,
  bucket: string,
  { quota, secondsEach }: Measure,
  { askedAtMs, fullInSeconds }: { readonly askedAtMs: number; readonly fullInSeconds: number },
): void {
  let known = refusals.get(database);
  if (!known) {
    known = new Map();
    refusals.set(database, known);
  }
  if (known.size >= BUCKETS_MAX) known.clear();
  const fullAtMs = askedAtMs + fullInSeconds * 1_000;
  known.set(bucket, { quota, secondsEach, fullAtMs, untilMs: askedAtMs + REMEMBERED_MS });
}

/** In how many seconds a bucket that refused is full, at the least; null: nothing is known that still holds. */
export function recallRefusal(
  database: Database,
  bucket: string,
  { quota, secondsEach }: Measure,
  nowMs: number,
): number | null {
  const refusal = refusals.get(database)?.get(bucket);
  if (!refusal) return null;
  if (refusal.untilMs > nowMs && refusal.quota === quota && refusal.secondsEach === secondsEach)
    return Math.max(0, refusal.fullAtMs - nowMs) / 1_000;
  refusals.get(database)?.delete(bucket);
  return null;
}
