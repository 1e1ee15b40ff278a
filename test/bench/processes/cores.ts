/** One gateway whose port is served by one process, by two and by four. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDatabase } from '../kit/databases.ts';
import { median, medianCost, table } from '../kit/figures.ts';
import { withGatewayOn } from '../kit/gateway.ts';
import { atLeast, atMost } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import { CALLERS, type CostedRun, checkSends, loadCosted } from '../sends/sends.ts';

const COUNTS = [1, 2, 4] as const;

/** Connections to the database of each process: four of them have fewer than a server's 100 together. */
const POOL_SIZE = 10;

function measure(count: number, { clusterUrl, times }: Bench): Promise<CostedRun> {
  return withDatabase(clusterUrl, async databaseUrl => {
    const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-cores-'));
    const settings = { DATABASE_URL: databaseUrl, PROCESSES: String(count), DATABASE_POOL_SIZE: String(POOL_SIZE) };
    try {
      const run = await withGatewayOn(dataDir, 'grouped', settings, gateway =>
        loadCosted(gateway, databaseUrl, { ...times, connections: CALLERS }),
      );
      await checkSends(databaseUrl, `PROCESSES=${count}`, run.answered);
      return run;
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
}

/** The processes of one gateway. */
export const coresPart: Part = {
  flag: '--cores',
  about: 'sends by one gateway with PROCESSES 1, 2 and 4',
  async run(bench) {
    const runs = new Map<number, CostedRun[]>(COUNTS.map(count => [count, []]));
    for (let round = 0; round < bench.rounds; round++)
      for (const [count, list] of runs) {
        const run = await measure(count, bench);
        bench.say(`  PROCESSES=${count}: ${run.sendsPerSecond.toFixed(0)} sends/s`);
        list.push(run);
      }
    const rateOf = (count: number): number => median((runs.get(count) ?? []).map(run => run.sendsPerSecond));
    const costOfCount = (count: number) => medianCost((runs.get(count) ?? []).map(run => run.cost));
    bench.say();
    bench.say(
      table([
        [`POST /api/omni/send, ${CALLERS} callers`, 'sends/s', 'gateway µs', 'PostgreSQL µs'],
        ...COUNTS.map(count => {
          const { gatewayUs, postgresUs } = costOfCount(count);
          return [`PROCESSES=${count}`, ...[rateOf(count), gatewayUs, postgresUs].map(value => value.toFixed(0))];
        }),
      ]),
    );
    return [
      atLeast('two processes to one, sends/s, where four cores are free', rateOf(2) / rateOf(1), 1.3),
      atMost('gateway CPU a send, two processes to one', costOfCount(2).gatewayUs / costOfCount(1).gatewayUs, 1.2),
    ];
  },
};
