/**
 * The pace of a number over all processes. Turns come at even distances, since a provider counts in windows of its own. One pace for all: two
 * processes that each kept half of it would send too little whenever one of them had nothing to do.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { defineStatementBatch } from '../../../db/batch.ts';
import type { Database } from '../../../db/orm.ts';
import { TAKE_TURNS } from './turns.sql.ts';

/** How long a turn is waited for; later ones are not taken. Most of the deadline of an attempt is left then. */
const TURN_WAIT_MS = 4_000;

/** The part of the pace that is used: requests that left one by one may arrive together. */
const USED_PART = 0.9;

/** How early a turn may be used, in milliseconds: sends that came together stay together, and so does what they store. A hundredth of a second fits into the part that is not used. */
const EARLY_MS = 10;

/** How late a turn may be used, in milliseconds: those that the process or the database has slept over would all be used together. Requests are held up on their way, too. */
const LATE_MS = 25;

/** A claim of turns by one number. */
interface Claim {
  /** The id of its provider, and the provider's own of it. */
  readonly number: string;
  readonly perSecond: number;
  readonly count: number;
}

/** The claims of many sends are one statement. Each answers when its first turn is, by `performance.now()`; null: it is too far off. */
const claim = defineStatementBatch<Claim, number | null>('turns', async (sql, items, _by, { clock }) => {
  const claims = [...Map.groupBy(items, ({ number }) => number)].map(([number, own]) => ({
    number,
    taken_ms: own.reduce((sum, one) => sum + msOf(one), 0),
  }));
  // The last turn that is waited for ends within it, whatever the pace. Nobody would use the turns behind.
  const reachMs = TURN_WAIT_MS + Math.max(...items.map(msOf));
  const askedMs = performance.now();
  const rows = await TAKE_TURNS.run(sql, { claims, patienceMs: TURN_WAIT_MS, reachMs });
  const answeredMs = performance.now();
  // The clock says where between question and answer the turns were given out: an answer that comes late makes no turn later.
  const nextMs = new Map(
    rows.map(({ number, at_ms, wait_ms }) => [
      number,
      Math.min(Math.max(clock.localMs(at_ms), askedMs + wait_ms), answeredMs + wait_ms),
    ]),
  );
  return items.map(item => {
    const turnAtMs = nextMs.get(item.number);
    if (turnAtMs === undefined) return null;
    nextMs.set(item.number, turnAtMs + msOf(item));
    return turnAtMs;
  });
});

/** How long the turns of a claim last, in milliseconds. */
function msOf({ perSecond, count }: Claim): number {
  return (count * 1_000) / (perSecond * USED_PART);
}

/**
 * Waits for a turn, `TURN_WAIT_MS` at most. False: none comes soon enough. @throws AppError `database_unavailable` @throws the reason of the signal, where
 * it aborts meanwhile
 */
export async function takeTurn(
  database: Database,
  number: string,
  perSecond: number,
  signal: AbortSignal,
): Promise<boolean> {
  const endsAtMs = performance.now() + TURN_WAIT_MS;
  for (let isFirst = true; ; isFirst = false) {
    const turnAtMs = await claim(database)({ number, perSecond, count: 1 });
    if (turnAtMs === null || turnAtMs > endsAtMs) return false;
    const waitMs = turnAtMs - performance.now();
    if (waitMs > EARLY_MS) await wait(waitMs, undefined, { signal });
    // A process or a database that is late each time would send nothing: a second turn is used however late. The provider says where it is too much.
    if (!isFirst || performance.now() - turnAtMs <= LATE_MS) return true;
  }
}

/** Takes the turns of what came in, which a provider counts too. Nobody waits for them, and they hold nobody up for longer than a second. */
export async function takeTurnsIn(database: Database, number: string, perSecond: number, count: number): Promise<void> {
  await claim(database)({ number, perSecond, count: Math.min(count, perSecond) });
}
