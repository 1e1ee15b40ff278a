/** Two gateways on one database: with an account each, with one account for both, whose row is hot, and beside one alone. */
import { type Cost, costEach, costOf } from '../kit/costs.ts';
import { withDatabase } from '../kit/databases.ts';
import { median, medianCost, table } from '../kit/figures.ts';
import { type Gateway, withGateway } from '../kit/gateway.ts';
import { atLeast, atMost } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import { runLoad } from '../load/run-load.ts';
import { untilReported } from '../sends/reported.ts';
import { CALLERS, checkSends, loadPlan } from '../sends/sends.ts';

const SETUPS = ['alone', 'two accounts', 'one account'] as const;
type Setup = (typeof SETUPS)[number];

const TITLES: Readonly<Record<Setup, string>> = {
  alone: 'one process',
  'two accounts': 'two processes, an account each',
  'one account': 'two processes, one account',
};

interface Run {
  readonly sendsPerSecond: number;
  readonly cost: Cost;
}

function measure(setup: Setup, { clusterUrl, times }: Bench): Promise<Run> {
  return withDatabase(clusterUrl, async databaseUrl => {
    const { answered, ...run } = await withGateway('grouped', databaseUrl, first =>
      setup === 'alone'
        ? load([first], databaseUrl, times)
        : withGateway('grouped', databaseUrl, second =>
            load([first, setup === 'one account' ? { ...second, token: first.token } : second], databaseUrl, times),
          ),
    );
    await checkSends(databaseUrl, TITLES[setup], answered);
    return run;
  });
}

async function load(
  gateways: readonly Pick<Gateway, 'url' | 'token' | 'pid'>[],
  databaseUrl: string,
  { warmUpSeconds, seconds }: Bench['times'],
): Promise<Run & { readonly answered: number }> {
  const loadAll = async (forSeconds: number): Promise<{ answered: number; sendsPerSecond: number }> => {
    const results = await Promise.all(
      gateways.map(({ url, token }) =>
        runLoad({ ...loadPlan(), url, token, connections: CALLERS, warmUpSeconds: 0, seconds: forSeconds }),
      ),
    );
    await untilReported(databaseUrl);
    const sum = (of: (result: (typeof results)[number]) => number): number =>
      results.reduce((total, result) => total + of(result), 0);
    return { answered: sum(result => result.answered), sendsPerSecond: sum(result => result.sendsPerSecond) };
  };
  const warmUp = await loadAll(warmUpSeconds);
  const pids = gateways.map(({ pid }) => pid);
  const [run, cost] = await costOf(pids, databaseUrl, () => loadAll(seconds));
  return {
    answered: warmUp.answered + run.answered,
    sendsPerSecond: run.sendsPerSecond,
    cost: costEach(cost, run.answered),
  };
}

/** Several processes on one database. */
export const twoProcessesPart: Part = {
  flag: '--processes',
  about: 'two gateways on one database, with one account and with two, beside one gateway',
  async run(bench) {
    const runs = new Map<Setup, Run[]>(SETUPS.map(setup => [setup, []]));
    for (let round = 0; round < bench.rounds; round++) {
      for (const [setup, list] of runs) {
        const run = await measure(setup, bench);
        bench.say(`  ${TITLES[setup]}: ${run.sendsPerSecond.toFixed(0)} sends/s`);
        list.push(run);
      }
    }
    const rateOf = (setup: Setup): number => median((runs.get(setup) ?? []).map(run => run.sendsPerSecond));
    const costOfSetup = (setup: Setup): Cost => medianCost((runs.get(setup) ?? []).map(run => run.cost));
    bench.say();
    bench.say(
      table([
        [`POST /api/omni/send, ${CALLERS} callers a process`, 'sends/s', 'gateways µs', 'PostgreSQL µs', 'WAL bytes'],
        ...SETUPS.map(setup => {
          const { gatewayUs, postgresUs, walBytes } = costOfSetup(setup);
          return [TITLES[setup], ...[rateOf(setup), gatewayUs, postgresUs, walBytes].map(value => value.toFixed(0))];
        }),
      ]),
    );
    return [
      atLeast(
        'one account in two processes to two accounts, sends/s',
        rateOf('one account') / rateOf('two accounts'),
        0.85,
      ),
      atMost(
        'PostgreSQL CPU a send, two processes to one',
        costOfSetup('two accounts').postgresUs / costOfSetup('alone').postgresUs,
        1.1,
      ),
    ];
  },
};
