/** Monthly partitions of growing tables. A range of their keys (UUIDv7) is a range of time: retention drops a partition. */
import { uuidFloor } from '../kernel/ids.ts';
import type { Database } from './orm.ts';
import { OVER_PARTITIONS } from './statements/partitions.sql.ts';
import { isLockedOut, runSql } from './statements/sql.ts';

/** The tables, with how full a page is made of them: rows that change have room for their next versions beside them. */
const PARTITIONED_TABLES: readonly (readonly [table: string, fillFactor: number])[] = [
  ['messages', 45],
  ['attempts', 50],
  ['inbound_messages', 100],
  ['webhook_events', 100],
  ['webhook_deliveries', 100],
  ['webhook_tries', 100],
];

/** Months made in advance, so that a gateway whose job does not run for a quarter can still store messages. */
const MONTHS_AHEAD = 3;

/** An advisory lock, since concurrent `create table if not exists` can still collide. */
const PARTITION_LOCK = 4_820_260_001;

/** How long a table is waited for that somebody uses: whoever comes after waits behind it. */
const LOCK_TIMEOUT = '500ms';

/**
 * Makes the partitions from last month (for a late clock) to `MONTHS_AHEAD` months ahead. Safe to repeat and to race. Answers the names of those of later
 * months whose table somebody uses longer than half a second: the next run makes them. Each has a transaction of its own. A new partition locks its
 * table, and statements on two tables would wait for each other for ever.
 */
export async function ensurePartitions(database: Database): Promise<string[]> {
  const [clock] = await runSql<{ year: number; month: number }>(
    database.sql(),
    `select extract(year from now() at time zone 'UTC')::int as year, extract(month from now() at time zone 'UTC')::int as month`,
    [],
  );
  if (!clock) throw new Error('the database told no time');
  const busy: string[] = [];
  for (const [table, fillFactor] of PARTITIONED_TABLES) {
    for (let offset = -1; offset <= MONTHS_AHEAD; offset++) {
      const { name, sql } = partitionOf(table, fillFactor, clock.year, clock.month - 1 + offset);
      // Without the one of this month nothing can be stored.
      if (!(await make(database, sql, offset > 0 ? LOCK_TIMEOUT : '0'))) busy.push(name);
    }
  }
  return busy;
}

/** Makes one; false: its table is in use. */
async function make(database: Database, create: string, lockTimeout: string): Promise<boolean> {
  try {
    await database.fork().transactional(async em => {
      const sql = em.getKysely();
      await runSql(sql, 'select pg_advisory_xact_lock($1::bigint)', [PARTITION_LOCK]);
      await runSql(sql, `set local lock_timeout = '${lockTimeout}'`, []);
      await runSql(sql, create, []);
    });
    return true;
  } catch (error) {
    if (isLockedOut(error)) return false;
    throw error;
  }
}

/**
 * Drops the partitions whose rows are all older than so many days by the database's clock, and answers their names, the oldest first. One that somebody uses
 * longer than half a second ends it: the next run goes on.
 */
export async function dropPartitions(database: Database, days: number): Promise<string[]> {
  const tables = PARTITIONED_TABLES.map(([table]) => table);
  const rows = await OVER_PARTITIONS.run(database.sql(), { tables, days });
  for (const { name } of rows) {
    await database.fork().transactional(async em => {
      const sql = em.getKysely();
      await runSql(sql, `set local lock_timeout = '${LOCK_TIMEOUT}'`, []);
      await runSql(sql, `drop table if exists ${name}`, []);
    });
  }
  return rows.map(({ name }) => name);
}

/** One month's partition, and the statement that makes it; `month` counts from 0 and may exceed the year. */
function partitionOf(table: string, fillFactor: number, year: number, month: number): { name: string; sql: string } {
  const from = new Date(Date.UTC(year, month, 1));
  const to = new Date(Date.UTC(year, month + 1, 1));
  const name = `${table}_p${from.toISOString().slice(0, 7).replace('-', '')}`;
  const range = `from ('${uuidFloor(from)}') to ('${uuidFloor(to)}')`;
  const sql = `create table if not exists ${name} partition of ${table} for values ${range} with (fillfactor = ${fillFactor})`;
  return { name, sql };
}
