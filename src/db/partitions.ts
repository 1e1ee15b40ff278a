/** Monthly partitions of growing tables. A range of their keys (UUIDv7) is a range of time: retention drops a partition. */
import { uuidFloor } from '../kernel/ids.ts';
import type { Database } from './orm.ts';
import { OVER_PARTITIONS } from './statements/partitions.sql.ts';
import { runSql } from './statements/sql.ts';

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

/** Makes the partitions from last month (for a late clock) to `MONTHS_AHEAD` months ahead. Safe to repeat and to race. */
export async function ensurePartitions(database: Database): Promise<void> {
  await database.fork().transactional(async em => {
    const sql = em.getKysely();
    await runSql(sql, 'select pg_advisory_xact_lock($1::bigint)', [PARTITION_LOCK]);
    const [clock] = await runSql<{ year: number; month: number }>(
      sql,
      `select extract(year from now() at time zone 'UTC')::int as year, extract(month from now() at time zone 'UTC')::int as month`,
      [],
    );
    if (!clock) throw new Error('the database told no time');
    for (const [table, fillFactor] of PARTITIONED_TABLES) {
      for (let offset = -1; offset <= MONTHS_AHEAD; offset++) {
        await runSql(sql, partitionSql(table, fillFactor, clock.year, clock.month - 1 + offset), []);
      }
    }
  });
}

/** How long a partition is waited for that somebody uses: whoever comes after waits behind it. */
const LOCK_TIMEOUT = '500ms';

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

/** The statement for one month's partition; `month` counts from 0 and may exceed the year. */
function partitionSql(table: string, fillFactor: number, year: number, month: number): string {
  const from = new Date(Date.UTC(year, month, 1));
  const to = new Date(Date.UTC(year, month + 1, 1));
  const name = `${table}_p${from.toISOString().slice(0, 7).replace('-', '')}`;
  return `create table if not exists ${name} partition of ${table} for values from ('${uuidFloor(from)}') to ('${uuidFloor(to)}') with (fillfactor = ${fillFactor})`;
}
