/** The overview of an account and the histogram of its log, with a million attempts in 30 days, a fifth in the last hour. */
import { entities } from '../../../mikro-orm.config.ts';
import { openDatabase } from '../../../src/db/orm.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { rollUpLog } from '../../../src/modules/figures/roll-up.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { checkRows, RowFault, withDatabase } from '../kit/databases.ts';
import { median, table } from '../kit/figures.ts';
import { type Gateway, withGateway } from '../kit/gateway.ts';
import { atMost } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { HttpSocket } from '../load/http-socket.ts';

const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;

/** The queries of the pages, by the name of the figure. */
const ASKED = {
  'overview, 24 h': 'overview(range: DAY)',
  'overview, 7 d': 'overview(range: WEEK)',
  'overview, 30 d': 'overview(range: MONTH)',
} as const;
const OVERVIEW = `{ buckets { from channel status attempts } totals { attempts } previousTotals { attempts } latencies { medianMs p95Ms }
  otps { sent verified } previousOtps { sent } failures { errorCode attempts previousAttempts } creditsLeft creditsLastDays }`;

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

/** The queries that are timed, by name. */
function queries(): Record<string, string> {
  const histogram = (days: number, filter: string): string =>
    `{ logHistogram(from: "${daysAgo(days)}", filter: { ${filter} }) { countedFrom buckets { from status entries } } }`;
  return {
    ...Object.fromEntries(Object.entries(ASKED).map(([name, field]) => [name, `{ ${field} ${OVERVIEW} }`])),
    'histogram, 24 h': histogram(1, ''),
    'histogram, 30 d': histogram(30, ''),
    'histogram, 30 d, failed SMS': histogram(30, 'status: FAILED, channel: SMS'),
    'histogram, 30 d, one sender': histogram(30, 'sender: "BENCH"'),
    'histogram, 30 d, one recipient': histogram(30, 'recipient: "+12025550100"'),
  };
}

/** The part of the attempts that is of the last hour; the others are spread evenly over the days before. */
const BUSY_PART = 0.2;

/** Writes attempts: messages, and of each third one an OTP that is verified as often as not, half a minute later. */
async function fill(databaseUrl: string, accountId: string, count: number): Promise<void> {
  await runSql(
    databaseUrl,
    `do $$ begin for i in 0..1 loop execute format('create table if not exists attempts_past%s partition of attempts for values from (%L) to (%L)',
       i, rpad(lpad(to_hex((extract(epoch from date_trunc('month', now() at time zone 'UTC') - (i + 2) * interval '1 month') * 1000)::bigint), 12, '0'), 32, '0')::uuid,
       rpad(lpad(to_hex((extract(epoch from date_trunc('month', now() at time zone 'UTC') - (i + 1) * interval '1 month') * 1000)::bigint), 12, '0'), 32, '0')::uuid);
     end loop; end $$`,
  );
  const busy = Math.floor(count * BUSY_PART);
  // Milliseconds since 1970: they are the same for an attempt of an OTP and for what became of it.
  const nowMs = Date.now();
  const atOf = `${nowMs} - case when n <= ${busy} then n * ${HOUR_MS} / ${busy}
    else ${HOUR_MS} + (n - ${busy}) * ${MONTH_MS - HOUR_MS} / ${count - busy} end`;
  await runSql(
    databaseUrl,
    `insert into attempts (id, account_id, area, type, message_id, pin_id, channel, provider, recipient, country, sender, status, error_code,
       segments, credits, provider_message_id, started_at, finished_at)
     select (lpad(to_hex(at), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid, '${toUuid(accountId)}'::uuid, 'unified',
       case when n % 3 > 0 then 'message_attempt' else 'otp_attempt' end, case when n % 3 > 0 then gen_random_uuid() end,
       case when n % 3 = 0 then md5(n::text)::uuid end, (array['sms', 'chat_qr', 'chat_cloud'])[1 + n % 3], (array['smpp', 'http', 'twilio'])[1 + n % 3],
       '1202555' || lpad((n % 5000)::text, 4, '0'), (array['US', 'GB', 'DE', 'FR'])[1 + n % 4], 'BENCH',
       case when n % 11 = 0 then 'failed' when n % 7 = 0 then 'sent' else 'delivered' end,
       case when n % 11 = 0 then (array['timeout', 'no_route', 'throttled'])[1 + n % 3] end, 1, 1, 'p' || n,
       to_timestamp(at / 1000.0), to_timestamp((at + 20 + n * 7919 % 900) / 1000.0)
     from (select n, ${atOf} as at from generate_series(1::bigint, ${count}::bigint) n) made`,
  );
  await runSql(
    databaseUrl,
    `insert into attempts (id, account_id, area, type, pin_id, channel, recipient, country, status, segments, credits, started_at, finished_at)
     select (lpad(to_hex(verified_at), 12, '0') || '7000a' || lpad(to_hex(n), 15, '0'))::uuid, '${toUuid(accountId)}'::uuid, 'unified',
       'otp_verified', md5(n::text)::uuid, 'sms', '1202555' || lpad((n % 5000)::text, 4, '0'), 'US', 'verified', 0, 0,
       to_timestamp(at / 1000.0), to_timestamp(verified_at / 1000.0)
     from (select n, at, least(at + 30000, ${nowMs}) as verified_at
       from (select n, ${atOf} as at from generate_series(6::bigint, ${count}::bigint, 6) n) tried) made`,
  );
  await checkRows(databaseUrl, 'the log', { entries: [count + Math.floor(count / 6), 'attempts'] });
  await runSql(databaseUrl, 'vacuum analyze attempts');
}

/** Counts the hours that are over, as the job does; answers how long that took, in seconds. @throws RowFault where entries are missing */
async function rollUp(databaseUrl: string): Promise<number> {
  const database = await openDatabase({ url: databaseUrl, poolSize: 2 }, entities);
  try {
    // The gateway's own job may have run before the entries were written, which are older than any that it expects.
    for (const table of ['log_counts', 'log_latencies', 'log_otp_counts'])
      await runSql(databaseUrl, `delete from ${table}`);
    await runSql(databaseUrl, `update log_roll_up set until = '00000000-0000-0000-0000-000000000000'`);
    const beganMs = performance.now();
    await rollUpLog(database);
    const seconds = (performance.now() - beganMs) / 1_000;
    const [stored] = await runSql(
      databaseUrl,
      `select (select sum(entries)::int from log_counts) as counted,
         (select count(*)::int from attempts where id < (select until from log_roll_up)) as entries`,
    );
    if (!stored?.entries || stored.counted !== stored.entries)
      throw new RowFault(`${stored?.counted} entries were counted of ${stored?.entries} in hours that are over`);
    await runSql(databaseUrl, 'vacuum analyze log_counts, log_latencies, log_otp_counts');
    return seconds;
  } finally {
    await database.close();
  }
}

/** The median time of each query, one at a time, in milliseconds. @throws RowFault where one is refused */
async function ask({ url, token }: Gateway, times: number): Promise<[name: string, ms: number][]> {
  const socket = await HttpSocket.open(url, token);
  const asked: [string, number][] = [];
  for (const [name, query] of Object.entries(queries())) {
    const tookMs: number[] = [];
    for (let turn = 0; turn < times + 2; turn++) {
      const beganMs = performance.now();
      const { status, body } = await socket.post('/graphql', JSON.stringify({ query }));
      if (turn >= 2) tookMs.push(performance.now() - beganMs);
      if (status !== 200 || body.includes('"errors"')) throw new RowFault(`${name} was answered ${status} ${body}`);
    }
    asked.push([name, median(tookMs)]);
  }
  socket.close();
  return asked;
}

/** The times of the queries that the dashboard's pages wait for. */
export const overviewPart: Part = {
  flag: '--overview',
  about: 'the overview and the histogram of the log, where an account has a million attempts in 30 days',
  async run({ clusterUrl, isQuick, say }) {
    const count = isQuick ? 100_000 : 1_000_000;
    const [seconds, asked] = await withDatabase(clusterUrl, databaseUrl =>
      withGateway('grouped', databaseUrl, async gateway => {
        await fill(databaseUrl, gateway.accountId, count);
        const took = await rollUp(databaseUrl);
        return [took, await ask(gateway, isQuick ? 10 : 20)] as const;
      }),
    );
    say(`${count.toLocaleString('en')} attempts; their hours were counted in ${seconds.toFixed(1)} s`);
    say(table([['asked one at a time', 'median ms'], ...asked.map(([name, ms]) => [name, ms.toFixed(0)])]));
    return asked.map(([name, ms]) => atMost(`${name} at ${count.toLocaleString('en')} attempts`, ms, 300, 'ms'));
  },
};
