/** Sends by SMPP through the whole gateway, beside Kannel with its disk spool at the same SMSC, and beside the sandbox. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { KANNEL_USER, startKannel } from '../../support/kannel/kannel.ts';
import { missing, startPerlSmsc } from '../../support/smpp/programs.ts';
import { costEach, costOf } from '../kit/costs.ts';
import { checkRows, withDatabase } from '../kit/databases.ts';
import { median, medianCost, medianFigures, table } from '../kit/figures.ts';
import { type Gateway, withGateway } from '../kit/gateway.ts';
import { atLeast, type Goal } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import { type LoadResult, runLoad, runSame, withServer } from '../load/run-load.ts';
import { untilReported } from '../sends/reported.ts';
import { CALLERS, type CostedRun, loadPlan, measurePlain, type SendTimes } from '../sends/sends.ts';
import { measureSubmits } from './submits.ts';

/** With which digit a recipient ends: the SMSC on the codec of Net::SMPP reports a text to such a one as delivered. */
const DELIVERED = '0';

const SMSC_USER = { user: 'gateway', password: 'secret' } as const;

const CREATE = `mutation ($input: CreateConnectionInput!) { result: createConnection(input: $input) { connectionId } }`;

/** Gives `use` the port of an SMSC: one that accepts as fast as it reads, or one on a foreign codec that reports each text. */
async function withSmsc<Result>(reports: boolean, use: (port: number) => Promise<Result>): Promise<Result> {
  if (!reports)
    return withServer(join(import.meta.dirname, 'smsc-server.ts'), ({ url }) => use(Number(new URL(url).port)));
  await using smsc = await startPerlSmsc();
  // Awaited here: the SMSC ends with this function.
  return await use(smsc.port);
}

function measureGateway(clusterUrl: string, times: SendTimes, reports: boolean): Promise<CostedRun> {
  return withSmsc(reports, port =>
    withDatabase(clusterUrl, async url => {
      const run = await withGateway('grouped', url, async gateway => {
        const config = { host: '127.0.0.1', port, systemId: SMSC_USER.user, password: SMSC_USER.password, window: 100 };
        const { accountId } = gateway;
        await gateway.operate(CREATE, { accountId, provider: 'smpp', channel: 'SMS', name: 'SMSC', config });
        return loadConnected(gateway, url, times, reports);
      });
      await checkRows(url, 'sends by SMPP', {
        messages: [run.answered, 'messages'],
        attempts: [run.answered, "attempts where status in ('sent', 'delivered') and provider = 'smpp'"],
        paid: [run.answered, "ledger where kind = 'capture'"],
      });
      return run;
    }),
  );
}

/** Loads a gateway, and again when it is warm: the second load is measured, to its last receipt. */
async function loadConnected(
  { url, token, pid }: Gateway,
  databaseUrl: string,
  { warmUpSeconds, seconds, connections }: SendTimes,
  reports: boolean,
): Promise<CostedRun> {
  const plan = { ...loadPlan(), ending: DELIVERED, connections, url, token, warmUpSeconds: 0 };
  const settled = async (): Promise<void> => (reports ? untilReported(databaseUrl) : undefined);
  const warmUp = await runLoad({ ...plan, seconds: warmUpSeconds });
  await settled();
  const [run, cost] = await costOf([pid], databaseUrl, async () => {
    const result = await runLoad({ ...loadPlan(), ...plan, runId: loadPlan().runId, seconds });
    await settled();
    return result;
  });
  return { ...run, answered: warmUp.answered + run.answered, cost: costEach(cost, run.answered) };
}

/** Kannel's sendsms, its queues on the disk, to the same SMSC; with reports each one is told to a server that does nothing. */
function measureKannel({ warmUpSeconds, seconds, connections }: SendTimes, reports: boolean): Promise<LoadResult> {
  return withSmsc(reports, port =>
    withServer(join(import.meta.dirname, '..', 'load', 'null-server.ts'), async receiver => {
      await using kannel = await startKannel({ port, ...SMSC_USER });
      const { origin, pathname } = new URL(kannel.sendsmsUrl);
      const query = new URLSearchParams({
        ...KANNEL_USER,
        to: `120260000${DELIVERED}${DELIVERED}`,
        from: 'BENCH',
        text: loadPlan().text,
        ...(reports && { 'dlr-mask': '31', 'dlr-url': `${receiver.url}/?type=%d` }),
      });
      const path = `${pathname}?${query}`;
      const result = await runSame({
        url: origin,
        token: null,
        path,
        status: 202,
        connections,
        warmUpSeconds,
        seconds,
      });
      // The rest of its queues must not be under way while the next gateway is measured.
      await wait(2_000);
      return result;
    }),
  );
}

async function measureSends({ clusterUrl, rounds, times, say }: Bench): Promise<readonly Goal[]> {
  const plan = { ...times, connections: CALLERS };
  const gateway = { false: [] as CostedRun[], true: [] as CostedRun[] };
  const kannel = { false: [] as number[], true: [] as number[] };
  const sandbox: CostedRun[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const reports of [false, true]) {
      gateway[`${reports}`].push(await measureGateway(clusterUrl, plan, reports));
      kannel[`${reports}`].push((await measureKannel(plan, reports)).sendsPerSecond);
    }
    sandbox.push(await measurePlain(clusterUrl, plan));
  }
  const row = (title: string, runs: readonly CostedRun[]): string[] => {
    const { sendsPerSecond, p50Ms, p99Ms } = medianFigures(runs);
    const { gatewayUs, postgresUs } = medianCost(runs.map(run => run.cost));
    return [
      title,
      sendsPerSecond.toFixed(0),
      p50Ms.toFixed(1),
      p99Ms.toFixed(1),
      gatewayUs.toFixed(0),
      postgresUs.toFixed(0),
    ];
  };
  say(
    table([
      [`${CALLERS} callers`, 'sends/s', 'p50 ms', 'p99 ms', 'gateway µs', 'PostgreSQL µs'],
      row('gateway to an SMSC', gateway.false),
      ['Kannel, disk spool, to the same one', median(kannel.false).toFixed(0)],
      row('gateway, each with its receipt', gateway.true),
      ['Kannel, each with its receipt posted', median(kannel.true).toFixed(0)],
      row('gateway to the sandbox', sandbox),
    ]),
  );
  const toKannel = (reports: boolean): number =>
    medianFigures(gateway[`${reports}`]).sendsPerSecond / median(kannel[`${reports}`]);
  return [
    atLeast('sends by SMPP to those of Kannel with its spool', toKannel(false), 0.65),
    atLeast('the same, each with its receipt', toKannel(true), 0.65),
  ];
}

/** Texts by SMPP. */
export const smppPart: Part = {
  flag: '--smpp',
  about:
    'texts by SMPP: one bind beside its bare codec, and the gateway beside Kannel with its disk spool (needs Debian packages)',
  async run(bench) {
    const submits = await measureSubmits(bench);
    const absent = missing(['libnet-smpp-perl', 'kannel']);
    return absent === null ? [...submits, ...(await measureSends(bench))] : submits;
  },
};
