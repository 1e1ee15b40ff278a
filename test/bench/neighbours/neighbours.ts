/**
 * `npm run bench -- --neighbours`: the cost of others on the same gateway for a tenant that sends a few messages a second. Each round
 * measures the tenant alone, beside the neighbour, and beside the neighbour at a gateway of its own. A slow minute of the machine falls on
 * all alike. The neighbour's own gateway tells its use of the machine apart from its use of the tenant's gateway.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { withDatabase } from '../kit/databases.ts';
import { type Latency, latencyOf, table } from '../kit/figures.ts';
import { type Gateway, withGatewayOn } from '../kit/gateway.ts';
import { atLeast, atMost, type Goal, ratio } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import { type PacedResult, runPaced, withServer } from '../load/run-load.ts';
import { loadPlan } from '../sends/sends.ts';
import { type Disturb, KINDS, type Kind, makeNeighbours, TITLES } from './kinds.ts';

/** Sends a second of the tenant: little enough that only others make it wait. */
const RATE = 50;

/** As many as may be under way at once: a send that waits keeps the next one from nothing. */
const CONNECTIONS = 200;

/** A neighbour begins before it is measured, and what it asked for ends after. */
const LEAD_SECONDS = 4;
const SETTLE_MS = 1_500;

/** How much slower a neighbour may make a tenant. */
const GOAL = 1.2;

/** The effect of one neighbour on a tenant. */
interface Noticed {
  readonly kind: Kind;
  /** Of the sends of all rounds together: what is slow once in a hundred is seen a few times in a round. */
  readonly alone: Latency;
  /** Beside the same neighbour at a gateway of its own. */
  readonly apart: Latency;
  readonly beside: Latency;
  readonly offered: number;
  readonly accepted: number;
  /** The sends that were not accepted, in words. */
  readonly refused: string;
  /** The neighbour's answers in all rounds. */
  readonly answers: Readonly<Record<string, number>>;
}

interface Plan {
  readonly rounds: number;
  readonly seconds: number;
}

/** A neighbour that asks the tenant's gateway, and the same at another gateway of the machine. */
interface Neighbour {
  readonly kind: Kind;
  readonly here: Disturb;
  readonly apart: Disturb;
}

type Send = (seconds: number) => Promise<PacedResult>;

async function measureKind({ kind, here, apart }: Neighbour, send: Send, plan: Plan): Promise<Noticed> {
  const runs: Readonly<Record<'alone' | 'beside' | 'apart', PacedResult[]>> = { alone: [], beside: [], apart: [] };
  const answers: Record<string, number> = {};
  const measure = {
    alone: async () => void runs.alone.push(await send(plan.seconds)),
    beside: async () => {
      const beside = await sendBeside(here, send, plan);
      runs.beside.push(beside.sent);
      for (const [answer, count] of Object.entries(beside.answers)) answers[answer] = (answers[answer] ?? 0) + count;
    },
    apart: async () => void runs.apart.push((await sendBeside(apart, send, plan)).sent),
  };
  for (let round = 0; round < plan.rounds; round++) {
    const order = [measure.alone, measure.beside, measure.apart];
    // There and back, so that a machine that slows down favours none.
    for (const run of round % 2 === 0 ? order : order.toReversed()) await run();
  }
  return {
    kind,
    alone: ofAll(runs.alone),
    apart: ofAll(runs.apart),
    beside: ofAll(runs.beside),
    offered: sum(runs.beside, run => run.offered),
    accepted: sum(runs.beside, run => run.accepted.count),
    refused: refusedOf(runs.beside),
    answers,
  };
}

function ofAll(runs: readonly PacedResult[]): Latency {
  return latencyOf(runs.flatMap(({ acceptedMs }) => acceptedMs));
}

async function sendBeside(neighbour: Disturb, send: Send, { seconds }: Plan) {
  const disturbing = neighbour(LEAD_SECONDS + seconds);
  await wait(LEAD_SECONDS * 1_000);
  const sent = await send(seconds);
  const { answers } = await disturbing;
  await wait(SETTLE_MS);
  return { sent, answers };
}

function sum(runs: readonly PacedResult[], of: (run: PacedResult) => number): number {
  return runs.reduce((total, run) => total + of(run), 0);
}

function refusedOf(runs: readonly PacedResult[]): string {
  const counts: Record<string, number> = {
    '429 or 503': sum(runs, run => run.refused.count),
    'no connection free': sum(runs, run => run.unsent),
  };
  for (const { others } of runs)
    for (const [status, count] of Object.entries(others)) counts[status] = (counts[status] ?? 0) + count;
  return inWords(counts);
}

function inWords(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([what, count]) => `${count} × ${what}`).join(', ') || 'none';
}

async function measureAll(
  [gateway, other]: readonly [Gateway, Gateway],
  plan: Plan,
  isQuick: boolean,
): Promise<Noticed[]> {
  const { url, token } = gateway;
  const send: Send = seconds =>
    runPaced({ ...loadPlan(), url, tokens: [token], rate: RATE, connections: CONNECTIONS, seconds });
  return withServer(join(import.meta.dirname, '..', 'load', 'null-server.ts'), async provider => {
    const entries = isQuick ? 2_000 : 20_000;
    const here = await makeNeighbours(gateway, provider.url, entries);
    const apart = await makeNeighbours(other, provider.url, entries);
    await send(plan.seconds);
    const noticed: Noticed[] = [];
    for (const kind of KINDS)
      noticed.push(await measureKind({ kind, here: here[kind], apart: apart[kind] }, send, plan));
    return noticed;
  });
}

/** Gives `use` two gateways that believe their neighbours' addresses, each on a database of its own. */
async function withBoth<Result>(
  clusterUrl: string | null,
  use: (gateways: readonly [Gateway, Gateway]) => Promise<Result>,
): Promise<Result> {
  return withOne(clusterUrl, gateway => withOne(clusterUrl, other => use([gateway, other])));
}

function withOne<Result>(clusterUrl: string | null, use: (gateway: Gateway) => Promise<Result>): Promise<Result> {
  return clusterUrl === null
    ? onDatabase({}, use)
    : withDatabase(clusterUrl, url => onDatabase({ DATABASE_URL: url }, use));
}

async function onDatabase<Result>(
  settings: Readonly<Record<string, string>>,
  use: (gateway: Gateway) => Promise<Result>,
): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-bench-'));
  try {
    return await withGatewayOn(dataDir, 'grouped', { ...settings, TRUSTED_PROXIES: '1' }, use);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const ms = (value: number): string => value.toFixed(1);

function report(title: string, noticed: readonly Noticed[], { rounds, seconds }: Plan): string {
  const columns = ['alone', 'apart', 'beside', 'to alone', 'to apart'];
  const cells = ({ alone, apart, beside }: Noticed, of: keyof Latency): string[] => [
    ...[alone, apart, beside].map(latency => ms(latency[of])),
    ...[alone, apart].map(latency => ratio(beside[of] / latency[of])),
  ];
  return [
    table([
      [
        `${RATE} sends a second on ${title}, beside`,
        ...columns.map(column => `p50 ${column}`),
        ...columns.map(column => `p99 ${column}`),
        'accepted',
      ],
      ...noticed.map(row => [
        TITLES[row.kind],
        ...cells(row, 'p50Ms'),
        ...cells(row, 'p99Ms'),
        `${row.accepted} of ${row.offered}`,
      ]),
    ]),
    ...noticed.map(
      ({ kind, answers, refused }) =>
        `  ${TITLES[kind]}, in ${rounds * (LEAD_SECONDS + seconds)} s: ${inWords(answers)}; sends of the tenant that failed: ${refused}`,
    ),
    '',
  ].join('\n');
}

function goalsOf(title: string, noticed: readonly Noticed[]): Goal[] {
  return noticed.flatMap(({ kind, alone, apart, beside, accepted, offered }) => [
    atMost(`${title}, p50 beside ${TITLES[kind]}`, beside.p50Ms / alone.p50Ms, GOAL),
    atMost(`${title}, p99 beside ${TITLES[kind]}`, beside.p99Ms / alone.p99Ms, GOAL),
    atMost(`${title}, p50 beside ${TITLES[kind]}, to the same at another gateway`, beside.p50Ms / apart.p50Ms, GOAL),
    atMost(`${title}, p99 beside ${TITLES[kind]}, to the same at another gateway`, beside.p99Ms / apart.p99Ms, GOAL),
    atLeast(`${title}, sends that were accepted beside ${TITLES[kind]}`, accepted / offered, 1),
  ]);
}

async function run({ clusterUrl, isQuick, say }: Bench): Promise<readonly Goal[]> {
  const plan: Plan = isQuick ? { rounds: 2, seconds: 5 } : { rounds: 6, seconds: 10 };
  const measure = (url: string | null) => withBoth(url, gateways => measureAll(gateways, plan, isQuick));
  const embedded = await measure(null);
  say(report('the embedded database', embedded, plan));
  const outside = await measure(clusterUrl);
  say(report('PostgreSQL', outside, plan));
  return [...goalsOf('embedded', embedded), ...goalsOf('PostgreSQL', outside)];
}

/** The cost of neighbours for a tenant. */
export const neighboursPart: Part = {
  flag: '--neighbours',
  about: "a tenant's sends beside strangers that sign in, streams, an export and receipts of others",
  isApart: true,
  run,
};
