/** The first page of the log, where it has a million entries and where it has a thousand. */
import { runSql } from '../../support/databases/postgres.ts';
import { checkRows, RowFault, withDatabase } from '../kit/databases.ts';
import { median, table } from '../kit/figures.ts';
import { type Gateway, withGateway } from '../kit/gateway.ts';
import { atMost } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { HttpSocket } from '../load/http-socket.ts';
import { runLoad } from '../load/run-load.ts';
import { untilReported } from './reported.ts';
import { loadPlan } from './sends.ts';

const PATH = '/api/omni/logs?limit=50';
const FEW = 1_000;

/** Rows that one statement makes. */
const CHUNK = 100_000;

/** Sends one message and repeats its rows, a millisecond apart, until there are so many. */
async function fillLog({ url, token }: Gateway, databaseUrl: string, count: number): Promise<void> {
  await runLoad({ ...loadPlan(), url, token, connections: 1, warmUpSeconds: 0, seconds: 60, stepsMax: 1 });
  await untilReported(databaseUrl);
  // Ids hold their time, in milliseconds.
  const idOf = (place: string): string =>
    `(lpad(to_hex((extract(epoch from now()) * 1000)::bigint - n), 12, '0') || '7${place}8' || lpad(to_hex(n), 15, '0'))::uuid`;
  for (let made = 1; made < count; made += CHUNK) {
    const to = Math.min(made + CHUNK, count) - 1;
    const rows = `cross join generate_series(${made}, ${to}) as n`;
    const last = (of: string): string => `(select id from ${of} order by id desc limit 1)`;
    await runSql(
      databaseUrl,
      `insert into messages select (jsonb_populate_record(m, jsonb_build_object('id', ${idOf('000')},
         'reference', 'copy-' || n))).* from messages m ${rows} where m.id = ${last('messages')}`,
    );
    await runSql(
      databaseUrl,
      `insert into attempts select (jsonb_populate_record(a, jsonb_build_object('id', ${idOf('001')},
         'message_id', ${idOf('000')}, 'provider_message_id', 'copy-' || n))).* from attempts a ${rows} where a.id = ${last('attempts')}`,
    );
  }
  await checkRows(databaseUrl, 'the log', { entries: [count, 'attempts'], messages: [count, 'messages'] });
  await runSql(databaseUrl, 'vacuum analyze messages, attempts');
}

/** Asks for the first page of each, in turn and one at a time; answers the median times in milliseconds. */
async function askInTurn(gateways: readonly Gateway[], times: number): Promise<number[]> {
  const asked = await Promise.all(
    gateways.map(async ({ url, token }) => ({ connection: await HttpSocket.open(url, token), tookMs: [] as number[] })),
  );
  const warmUp = times / 5;
  for (let turn = 0; turn < times + warmUp; turn++) {
    for (const { connection, tookMs } of turn % 2 ? asked : asked.toReversed()) {
      const beganMs = performance.now();
      const { status, body } = await connection.get(PATH);
      if (turn >= warmUp) tookMs.push(performance.now() - beganMs);
      if (status !== 200) throw new RowFault(`a page was answered ${status} ${body.toString()}`);
    }
  }
  for (const { connection } of asked) connection.close();
  return asked.map(({ tookMs }) => median(tookMs));
}

/** The first page of a long log to that of a short one. */
export const logPart: Part = {
  flag: '--log',
  about: "the log's first page where it has a million entries, beside one of a thousand",
  async run({ clusterUrl, isQuick, say }) {
    const many = isQuick ? 100_000 : 1_000_000;
    const [fewMs = Number.NaN, manyMs = Number.NaN] = await withDatabase(clusterUrl, fewUrl =>
      withDatabase(clusterUrl, manyUrl =>
        withGateway('grouped', fewUrl, few =>
          withGateway('grouped', manyUrl, async big => {
            await fillLog(few, fewUrl, FEW);
            await fillLog(big, manyUrl, many);
            return askInTurn([few, big], isQuick ? 200 : 1_000);
          }),
        ),
      ),
    );
    say(
      table([
        [`GET ${PATH}, one at a time`, 'median ms'],
        [`of ${FEW.toLocaleString('en')} entries`, fewMs.toFixed(2)],
        [`of ${many.toLocaleString('en')} entries`, manyMs.toFixed(2)],
      ]),
    );
    return [atMost(`the log's first page at ${many.toLocaleString('en')} entries to 1,000`, manyMs / fewMs, 1.1)];
  },
};
