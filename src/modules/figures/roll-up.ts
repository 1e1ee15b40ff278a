/** The verb *roll up the log*: counts the hours that are over, and again those of which something changed late. */
import type { Database } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { fromUuid, idTime, uuidFloor } from '../../kernel/ids.ts';
import { LATE_HOURS } from '../routing/receipts/late-attempts.sql.ts';
import {
  CLEARS,
  IS_UNDER_WAY,
  LOCK_ROLL_UP,
  OLDEST_FROM,
  SET_ROLL_UP,
  STORE_ENTRIES,
  STORE_LATENCIES,
  STORE_OTPS,
  TAKE_LATE,
} from './roll-up.sql.ts';
import { HOUR_MS, hoursOf, type Span } from './spans.policy.ts';

/** Late changes that one transaction takes. */
const LATE_SIZE = 200;

/** How old an hour's end is when it is counted: nothing of it is under way any more, and what changes it later says so. */
const CLOSED_MS = (LATE_HOURS + 1) * HOUR_MS;

/** Counts what is not counted yet, each hour in a transaction of its own; answers how many hours. @throws AppError `database_unavailable` */
export async function rollUpLog(database: Database): Promise<number> {
  let hours = 0;
  while (await inTransaction(database, countNext)) hours += 1;
  while (await inTransaction(database, recountLate)) hours += 1;
  return hours;
}

function inTransaction(database: Database, run: (sql: Sql) => Promise<boolean>): Promise<boolean> {
  return database.fork().transactional(em => run(em.getKysely()));
}

/** Waits for another process that counts. */
async function lock(sql: Sql) {
  const row = await LOCK_ROLL_UP.first(sql);
  if (!row) throw new Error('the row of log_roll_up is missing');
  return row;
}

/** The time of a uuid, in milliseconds since 1970. */
function msOf(uuid: string): number {
  return idTime(fromUuid('att', uuid)).getTime();
}

/** Counts the next hour of which there is anything; answers false where none is over. */
async function countNext(sql: Sql): Promise<boolean> {
  const { until, nowMs } = await lock(sql);
  const closedMs = Math.floor((nowMs - CLOSED_MS) / HOUR_MS) * HOUR_MS;
  if (msOf(until) >= closedMs) return false;
  const oldest = await OLDEST_FROM.first(sql, { from: until });
  const fromMs = oldest ? Math.floor(msOf(oldest.id) / HOUR_MS) * HOUR_MS : closedMs;
  if (fromMs >= closedMs) {
    await SET_ROLL_UP.run(sql, { until: uuidFloor(new Date(closedMs)) });
    return false;
  }
  const [hour] = hoursOf(fromMs, fromMs + HOUR_MS);
  if (!hour || (await IS_UNDER_WAY.first(sql, { pre: hour.pre, hi: hour.hi }))?.yes) return false;
  await count(sql, null, hour);
  await SET_ROLL_UP.run(sql, { until: hour.hi });
  return true;
}

/** Counts again the hours of some late changes; answers false where there were none. */
async function recountLate(sql: Sql): Promise<boolean> {
  const { until } = await lock(sql);
  // A statement of its own: the next ones see what those have written whose marks it took.
  const late = await TAKE_LATE.run(sql, { limit: LATE_SIZE });
  const hours = new Map<string, { readonly account: string; readonly hour: Span }>();
  for (const { account, id } of late) {
    const hourMs = Math.floor(msOf(id) / HOUR_MS) * HOUR_MS;
    // The OTP of an attempt may have been tried first in one of the hours before.
    for (const hour of hoursOf(hourMs - LATE_HOURS * HOUR_MS, hourMs + HOUR_MS))
      if (hour.lo < until) hours.set(`${account} ${hour.lo}`, { account, hour });
  }
  for (const { account, hour } of hours.values()) await count(sql, account, hour);
  return late.length > 0;
}

async function count(sql: Sql, account: string | null, { lo, hi, pre, post }: Span): Promise<void> {
  for (const clear of CLEARS) await clear.run(sql, { account, lo });
  await STORE_ENTRIES.run(sql, { account, lo, hi });
  await STORE_LATENCIES.run(sql, { account, lo, hi });
  await STORE_OTPS.run(sql, { account, lo, hi, pre, post });
}
