/** The verb *roll up the log*: counts the entries that are some minutes old, and what has changed late of others. */
import type { Database } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { fromUuid, idTime, uuidFloor } from '../../kernel/ids.ts';
import { LATE_MINUTES } from '../routing/receipts/late-attempts.sql.ts';
import { COUNT_ON, ENTRY_FROM, LOCK_ROLL_UP, OLDEST_UNDER_WAY } from './roll-up.sql.ts';
import { HOUR_MS } from './spans.policy.ts';

/** The age at which an entry is counted: two minutes are for transactions and clocks. Later changes are marked in `late_attempts`. */
const COUNTED_MS = (LATE_MINUTES + 2) * 60_000;

/** Entries of a step: a few seconds of work, well within the time-out of a statement. Other processes get their turn between two steps. */
const STEP_ENTRIES = 200_000;

/**
 * Counts the entries that are not counted yet, in steps of at most an hour, each in a transaction of its own.
 * @param entries about the most of a step @returns the number of steps @throws AppError `database_unavailable`
 */
export async function rollUpLog(database: Database, entries = STEP_ENTRIES): Promise<number> {
  let steps = 1;
  while (await database.fork().transactional(em => countNext(em.getKysely(), entries))) steps += 1;
  return steps;
}

/** The time of a uuid, in milliseconds since 1970. */
function msOf(uuid: string): number {
  return idTime(fromUuid('att', uuid)).getTime();
}

/** Counts what is next of an hour; answers whether there may be more. */
async function countNext(sql: Sql, entries: number): Promise<boolean> {
  const row = await LOCK_ROLL_UP.first(sql);
  const bound = await OLDEST_UNDER_WAY.first(sql);
  if (!row || !bound) throw new Error('the row of log_roll_up is missing');
  const { until } = row;
  const under = [bound.message, bound.otp].flatMap(uuid => (uuid === null ? [] : [msOf(uuid)]));
  const endMs = Math.max(msOf(until), Math.min(Math.floor(bound.nowMs) - COUNTED_MS, ...under));
  const oldest = await ENTRY_FROM.first(sql, { from: until, skipped: 0 });
  const fromMs = oldest ? Math.min(msOf(oldest.id), endMs) : endMs;
  const hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
  const tooMany = await ENTRY_FROM.first(sql, { from: until, skipped: entries });
  // Entries of one millisecond are counted together.
  const fullMs = tooMany ? Math.max(msOf(tooMany.id), fromMs + 1) : endMs;
  const nextMs = Math.min(hourMs + HOUR_MS, endMs, fullMs);
  await COUNT_ON.run(sql, { until, next: uuidFloor(new Date(nextMs)), hour: uuidFloor(new Date(hourMs)) });
  return nextMs < endMs;
}
