/** A purge of ten million messages, and sends beside it. */
import { setTimeout as wait } from 'node:timers/promises';
import { entities } from '../../../mikro-orm.config.ts';
import { type Database, openDatabase } from '../../../src/db/orm.ts';
import { dropPartitions } from '../../../src/db/partitions.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { countRows, RowFault, withDatabase } from '../kit/databases.ts';
import { table } from '../kit/figures.ts';
import { withGateway } from '../kit/gateway.ts';
import { atMost } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { type PacedResult, runLoad, runPaced } from '../load/run-load.ts';
import { untilReported } from './reported.ts';
import { CALLERS, loadPlan } from './sends.ts';

/** Months with as many messages each; all of them are over. */
const MONTHS = 5;

/** The retention, in days: less than the age of the youngest of those months. */
const DAYS = 30;

/** Sends a second beside the purge. */
const RATE = 100;

const SECONDS = 10;

/** As often as the job tries again. */
const PUT_OFF_MAX = 5;

/** How long the sends are under way when the purge begins. */
const BEFORE_MS = 2_000;

/** Repeats the last row of a table in months of their own. Indexes come after the rows, which makes them several times faster. */
async function fillMonths(databaseUrl: string, name: string, count: number, differs: Record<string, string>) {
  const columns = await runSql(
    databaseUrl,
    `select quote_ident(column_name) as name from information_schema.columns where table_name = '${name}' order by ordinal_position`,
  );
  const perMonth = Math.ceil(count / MONTHS);
  for (let month = 2; month < MONTHS + 2; month++) {
    const now = new Date();
    const [from, to] = [month, month - 1].map(
      ago => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)),
    );
    if (!from || !to) throw new Error('a month without an end');
    const partition = `${name}_p${from.toISOString().slice(0, 7).replace('-', '')}`;
    const [floor, ceiling] = [from, to].map(at => `${at.getTime().toString(16).padStart(12, '0').padEnd(32, '0')}`);
    // Ids hold their time, in milliseconds, and are the same in all tables.
    const id = `(lpad(to_hex(${from.getTime()} + n * ${to.getTime() - from.getTime() - 1} / ${perMonth}), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid`;
    const values = columns.map(({ name: column }) => (differs[String(column)] ?? `m.${column}`).replaceAll('$id', id));
    // A month that is over was vacuumed long ago; a vacuum that runs would put the drop off.
    await runSql(
      databaseUrl,
      `create table ${partition} (like ${name} including all excluding indexes) with (autovacuum_enabled = off)`,
    );
    await runSql(
      databaseUrl,
      `insert into ${partition} (${columns.map(({ name: column }) => column).join(', ')})
       select ${values.join(', ')} from (select * from ${name} order by id desc limit 1) m, generate_series(1::bigint, ${perMonth}::bigint) n`,
    );
    await runSql(
      databaseUrl,
      `set maintenance_work_mem = '512MB'; alter table ${name} attach partition ${partition} for values from ('${floor}') to ('${ceiling}')`,
    );
  }
}

/** The duration of a purge, and how often it was put off. */
interface Purged {
  readonly seconds: number;
  /** How often a table was in use for too long. The job tries again a minute later, and the bench after a second. */
  readonly putOff: number;
}

/** Drops what the job drops. @throws RowFault where something of the months is left */
async function purge(databaseUrl: string): Promise<Purged> {
  const database = await openDatabase({ url: databaseUrl, poolSize: 2 }, entities);
  try {
    const beganMs = performance.now();
    const putOff = await dropAll(database);
    const seconds = (performance.now() - beganMs) / 1_000;
    const thisMonth = `lpad(to_hex((extract(epoch from date_trunc('month', now() at time zone 'UTC')) * 1000)::bigint), 12, '0')`;
    const left = await countRows(databaseUrl, `messages where id < rpad(${thisMonth}, 32, '0')::uuid`);
    if (left > 0) throw new RowFault(`${left} messages are left of months that are over`);
    return { seconds, putOff };
  } finally {
    await database.close();
  }
}

async function dropAll(database: Database): Promise<number> {
  for (let putOff = 0; ; putOff++) {
    try {
      await dropPartitions(database, DAYS);
      return putOff;
    } catch (error) {
      if (putOff === PUT_OFF_MAX) throw error;
      await wait(1_000);
    }
  }
}

/** The purge of what is older than is kept. */
export const purgePart: Part = {
  flag: '--purge',
  about: 'a purge of 10,000,000 messages with their attempts, and sends beside it',
  isApart: true,
  async run({ clusterUrl, isQuick, say }) {
    const count = isQuick ? 1_000_000 : 10_000_000;
    const [alone, beside, { seconds, putOff }] = await withDatabase(clusterUrl, databaseUrl =>
      withGateway('grouped', databaseUrl, async ({ url, token }) => {
        const load = { ...loadPlan(), url, connections: CALLERS };
        const paced = (): Promise<PacedResult> =>
          runPaced({ ...load, ...loadPlan(), tokens: [token], rate: RATE, seconds: SECONDS });
        await runLoad({ ...load, token, warmUpSeconds: 0, seconds: 5 });
        await untilReported(databaseUrl);
        await fillMonths(databaseUrl, 'messages', count, { id: '$id', reference: `'old-' || n` });
        await fillMonths(databaseUrl, 'attempts', count, {
          id: '$id',
          message_id: '$id',
          provider_message_id: `'old-' || n`,
        });
        await runSql(databaseUrl, 'analyze messages, attempts');
        await runSql(databaseUrl, 'checkpoint');
        const before = await paced();
        const [under, took] = await Promise.all([paced(), wait(BEFORE_MS).then(() => purge(databaseUrl))]);
        return [before, under, took] as const;
      }),
    );
    say(
      `${count.toLocaleString('en')} messages and as many attempts were purged in ${seconds.toFixed(2)} s, put off ${putOff} times`,
    );
    say(
      table([
        [`sends at ${RATE} a second`, 'p50 ms', 'p99 ms', 'refused'],
        ...Object.entries({ alone, 'beside the purge': beside }).map(([name, { accepted, refused }]) => [
          name,
          accepted.p50Ms.toFixed(1),
          accepted.p99Ms.toFixed(1),
          String(refused.count),
        ]),
      ]),
    );
    if (beside.accepted.count !== beside.offered)
      throw new RowFault(`of ${beside.offered} sends beside the purge ${beside.accepted.count} were accepted`);
    return [
      atMost(`a purge of ${count.toLocaleString('en')} messages`, seconds, 10, 's'),
      atMost('p99 of sends beside it', beside.accepted.p99Ms, 500, 'ms'),
    ];
  },
};
