/** Plain sends: a gateway as it is started and in two other ways, and pgbench with the least that a send must commit. */
import { randomUUID } from 'node:crypto';
import { type Cost, costEach, costOf, processesOf } from '../kit/costs.ts';
import { checkRows, withDatabase } from '../kit/databases.ts';
import { type Figures, medianCost, medianFigures, percent, table } from '../kit/figures.ts';
import { type Gateway, SENDER, withGateway } from '../kit/gateway.ts';
import { atLeast, atMost, type Goal, ratio } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import { type LoadPlan, type LoadResult, runCeiling, runLoad } from '../load/run-load.ts';
import { runBaseline } from './pgbench.ts';
import { untilReported } from './reported.ts';

/** In turn, so that a noisy minute of the machine falls on all of them alike. */
const VARIANTS = ['grouped', 'minimal', 'unlimited', 'ungrouped'] as const;

/** A way to send. */
type Variant = (typeof VARIANTS)[number];

const TITLES: Readonly<Record<Variant, string>> = {
  grouped: 'gateway, commits in groups',
  minimal: 'pgbench, the least that a send must commit',
  unlimited: 'gateway, no requests counted',
  ungrouped: 'gateway, each change committed alone',
};

const PATH = '/api/omni/send';
const TEXT = 'Your parcel 4711 is on its way and arrives today between 14:00 and 16:00.';
const PGBENCH_CLIENTS = 32;

/** Callers of the gateway at its normal load. */
export const CALLERS = 64;

/** How sends are run: `connections` are the gateway's. */
export type SendTimes = Pick<LoadPlan, 'connections' | 'warmUpSeconds' | 'seconds'>;

/** A run of sends. */
export interface SendRun extends Figures {
  /** Sends that were answered, warm-up included. */
  readonly answered: number;
}

/** A run of sends, and what each of them cost. */
export interface CostedRun extends SendRun {
  readonly cost: Cost;
}

/** The arguments that all loads of sends share. */
export function loadPlan() {
  return { path: PATH, sender: SENDER, text: TEXT, runId: randomUUID() };
}

/** Loads a gateway, and again when it is warm: the second load is measured, to the last report of its sends. */
export async function loadCosted(
  { url, token, pid }: Pick<Gateway, 'url' | 'token' | 'pid'>,
  databaseUrl: string,
  { warmUpSeconds, seconds, connections }: SendTimes,
  how: { readonly path?: string; readonly document?: string } = {},
): Promise<CostedRun> {
  const load = (forSeconds: number): Promise<LoadResult> =>
    runLoad({ ...loadPlan(), ...how, connections, url, token, warmUpSeconds: 0, seconds: forSeconds });
  const warmUp = await load(warmUpSeconds);
  await untilReported(databaseUrl);
  const [run, cost] = await costOf(await processesOf(pid), databaseUrl, async () => {
    const result = await load(seconds);
    await untilReported(databaseUrl);
    return result;
  });
  return { ...run, answered: warmUp.answered + run.answered, cost: costEach(cost, run.answered) };
}

/** Runs plain sends on a database of their own, and counts what they left. @throws RowFault */
export function measurePlain(clusterUrl: string, times: SendTimes): Promise<CostedRun> {
  return measure('grouped', clusterUrl, times);
}

function measure(variant: Variant, clusterUrl: string, times: SendTimes): Promise<CostedRun> {
  return withDatabase(clusterUrl, async url => {
    if (variant === 'minimal') return measureMinimal(url, times);
    const kind = variant === 'ungrouped' ? 'ungrouped' : 'grouped';
    const limit = variant === 'unlimited' ? ([null] as const) : ([] as const);
    const run = await withGateway(kind, url, gateway => loadCosted(gateway, url, times), ...limit);
    await checkSends(url, TITLES[variant], run.answered);
    return run;
  });
}

async function measureMinimal(url: string, { warmUpSeconds, seconds }: SendTimes): Promise<CostedRun> {
  const run = await runBaseline({ databaseUrl: url, clients: PGBENCH_CLIENTS, warmUpSeconds, seconds, text: TEXT });
  await checkRows(url, TITLES.minimal, {
    messages: [run.answered, "bench_messages where status = 'sent'"],
    attempts: [run.answered, 'bench_attempts'],
    events: [2 * run.answered, 'bench_events'],
  });
  return run;
}

/** Checks that the stored rows match the answers: as many messages, attempts and references, all of them settled. @throws RowFault */
export function checkSends(url: string, run: string, answered: number): Promise<void> {
  return checkRows(url, run, {
    messages: [answered, 'messages'],
    'messages settled': [answered, "messages where status in ('sent', 'delivered')"],
    attempts: [answered, 'attempts'],
    'attempts settled': [answered, "attempts where status in ('sent', 'delivered') and finished_at is not null"],
    references: [answered, 'idempotency_keys'],
  });
}

/** Plain sends, what they cost, and what they are compared with. */
export const sendsPart: Part = {
  flag: '--sends',
  about: 'sends over REST, their CPU and WAL, beside the least that PostgreSQL must commit for one (pgbench)',
  async run(bench: Bench): Promise<readonly Goal[]> {
    const { clusterUrl, rounds, times, say } = bench;
    const plan = { ...times, connections: CALLERS };
    const ceiling = await runCeiling({
      ...loadPlan(),
      token: 'none',
      connections: CALLERS,
      warmUpSeconds: 1,
      seconds: 2,
    });
    say(
      `The load alone, against a server that does nothing: ${ceiling.sendsPerSecond.toFixed(0)} requests/s, ${percent(ceiling.coreShare)} of a core`,
    );
    const runs = new Map<Variant, CostedRun[]>(VARIANTS.map(variant => [variant, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [variant, list] of runs) {
        const run = await measure(variant, clusterUrl, plan);
        say(
          `  ${TITLES[variant]}: ${run.sendsPerSecond.toFixed(0)} sends/s; ${run.answered} answered, ${run.answered} stored`,
        );
        list.push(run);
      }
    }
    const figures = new Map([...runs].map(([variant, list]) => [variant, medianFigures(list)]));
    const costs = new Map([...runs].map(([variant, list]) => [variant, medianCost(list.map(run => run.cost))]));
    say();
    say(sendTable(figures, costs));
    const rateTo = (to: Variant): number =>
      (figures.get('grouped')?.sendsPerSecond ?? Number.NaN) / (figures.get(to)?.sendsPerSecond ?? Number.NaN);
    say();
    say(`In groups to each change alone:              ${ratio(rateTo('ungrouped'))}`);
    say(`Each request counted to none counted:        ${ratio(rateTo('unlimited'))}`);
    const cost = costs.get('grouped');
    return [
      atMost('gateway CPU a send', cost?.gatewayUs ?? Number.NaN, 280, 'µs'),
      atMost('PostgreSQL CPU a send, reports included', cost?.postgresUs ?? Number.NaN, 220, 'µs'),
      atMost('WAL a send, full pages included', cost?.walBytes ?? Number.NaN, 3_000, 'bytes'),
      atLeast('sends to the least that PostgreSQL must commit', rateTo('minimal'), 0.65),
    ];
  },
};

function sendTable(figures: ReadonlyMap<Variant, Figures>, costs: ReadonlyMap<Variant, Cost>): string {
  return table([
    [
      `POST ${PATH} (sms, unique references, ${CALLERS} callers)`,
      'sends/s',
      'p50 ms',
      'p99 ms',
      'gateway µs',
      'PostgreSQL µs',
      'WAL bytes',
      'without full pages',
    ],
    ...[...figures].map(([variant, { sendsPerSecond, p50Ms, p99Ms }]) => {
      const cost = costs.get(variant);
      const shown = (value: number | undefined): string => (value ? value.toFixed(0) : '');
      return [
        TITLES[variant],
        shown(sendsPerSecond),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        shown(cost?.gatewayUs),
        shown(cost?.postgresUs),
        shown(cost?.walBytes),
        shown(cost?.walBytesWithoutPages),
      ];
    }),
  ]);
}
