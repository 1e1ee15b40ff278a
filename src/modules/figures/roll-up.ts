/** The verb *roll up the log*: counts the entries that are some minutes old, and what has changed late of others. */
import type { Database } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { fromUuid, idTime, uuidFloor } from '../../kernel/ids.ts';
import { LATE_MINUTES } from '../routing/receipts/late-attempts.sql.ts';
import { COUNT_ON, LOCK_ROLL_UP, OLDEST_FROM, OLDEST_UNDER_WAY } from './roll-up.sql.ts';
import { HOUR_MS } from './spans.policy.ts';

/** How old an entry is when it is counted: two minutes are for transactions and clocks. What changes it later says so. */
const COUNTED_MS = (LATE_MINUTES + 2) * 60_000;

/** Counts what is not counted yet, each hour in a transaction of its own; answers how many. @throws AppError `database_unavailable` */
export async function rollUpLog(database: Database): Promise<number> {
  let hours = 1;
  while (await database.fork().transactional(em => countNext(em.getKysely()))) hours += 1;
  return hours;
}

/** The time of a uuid, in milliseconds since 1970. */
function msOf(uuid: string): number {
  return idTime(fromUuid('att', uuid)).getTime();
}

/** Counts what is next of an hour; answers whether there may be more. */
async function countNext(sql: Sql): Promise<boolean> {
  const row = await LOCK_ROLL_UP.first(sql);
  const bound = await OLDEST_UNDER_WAY.first(sql);
  if (!row || !bound) throw new Error('the row of log_roll_up is missing');
  const { until } = row;
  const under = [bound.message, bound.otp].flatMap(uuid => (uuid === null ? [] : [msOf(uuid)]));
  const endMs = Math.max(msOf(until), Math.min(Math.floor(bound.nowMs) - COUNTED_MS, ...under));
  const oldest = await OLDEST_FROM.first(sql, { from: until });
  const fromMs = oldest ? Math.min(msOf(oldest.id), endMs) : endMs;
  const hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
  const nextMs = Math.min(hourMs + HOUR_MS, endMs);
  await COUNT_ON.run(sql, { until, next: uuidFloor(new Date(nextMs)), hour: uuidFloor(new Date(hourMs)) });
  return nextMs < endMs;
}
