/**
 * `npm run bench -- --neighbours`: what others on the same gateway cost a tenant that sends a few messages a second, beside each of them
 * and alone in turn, so that a slow minute of the machine falls on both alike.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { withDatabase } from '../kit/databases.ts';
import { median, table } from '../kit/figures.ts';
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

/** What a tenant noticed of one neighbour. */
interface Noticed {
  readonly kind: Kind;
  /** Of each round, to the mean of the rounds alone before it and after it. */
  readonly p50Ratio: number;
  readonly p99Ratio: number;
  readonly alone: { readonly p50Ms: number; readonly p99Ms: number };
  readonly beside: { readonly p50Ms: number; readonly p99Ms: number };
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

async function measureKind(
  kind: Kind,
  send: (seconds: number) => Promise<PacedResult>,
  neighbour: Disturb,
  { rounds, seconds }: Plan,
): Promise<Noticed> {
  const alone = [await send(seconds)];
  const beside: PacedResult[] = [];
  const answers: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    const disturbing = neighbour(LEAD_SECONDS + seconds);
    await wait(LEAD_SECONDS * 1_000);
    beside.push(await send(seconds));
    for (const [answer, count] of Object.entries((await disturbing).answers))
      answers[answer] = (answers[answer] ?? 0) + count;
    await wait(SETTLE_MS);
    alone.push(await send(seconds));
  }
  const ratioOf = (of: 'p50Ms' | 'p99Ms'): number =>
    median(
      beside.map(({ accepted }, at) => {
        const around = [alone[at], alone[at + 1]].map(run => run?.accepted[of] ?? Number.NaN);
        return (2 * accepted[of]) / around.reduce((sum, one) => sum + one, 0);
      }),
    );
  const medians = (runs: readonly PacedResult[]) => ({
    p50Ms: median(runs.map(run => run.accepted.p50Ms)),
    p99Ms: median(runs.map(run => run.accepted.p99Ms)),
  });
  return {
    kind,
    p50Ratio: ratioOf('p50Ms'),
    p99Ratio: ratioOf('p99Ms'),
    alone: medians(alone),
    beside: medians(beside),
    offered: sum(beside, run => run.offered),
    accepted: sum(beside, run => run.accepted.count),
    refused: refusedOf(beside),
    answers,
  };
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

async function measureAll(gateway: Gateway, plan: Plan, isQuick: boolean): Promise<Noticed[]> {
  const { url, token } = gateway;
  const send = (seconds: number): Promise<PacedResult> =>
    runPaced({ ...loadPlan(), url, tokens: [token], rate: RATE, connections: CONNECTIONS, seconds });
  return withServer(join(import.meta.dirname, '..', 'load', 'null-server.ts'), async provider => {
    const neighbours = await makeNeighbours(gateway, provider.url, isQuick ? 2_000 : 20_000);
    await send(plan.seconds);
    const noticed: Noticed[] = [];
    for (const kind of KINDS) noticed.push(await measureKind(kind, send, neighbours[kind], plan));
    return noticed;
  });
}

/** Gives `use` a gateway that believes its neighbours' addresses. */
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
  return [
    table([
      [
        `${RATE} sends a second on ${title}, beside`,
        'p50 ms alone',
        'beside',
        '',
        'p99 ms alone',
        'beside',
        '',
        'accepted',
      ],
      ...noticed.map(({ kind, alone, beside, p50Ratio, p99Ratio, accepted, offered }) => [
        TITLES[kind],
        ...[ms(alone.p50Ms), ms(beside.p50Ms), ratio(p50Ratio)],
        ...[ms(alone.p99Ms), ms(beside.p99Ms), ratio(p99Ratio)],
        `${accepted} of ${offered}`,
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
  return noticed.flatMap(({ kind, p50Ratio, p99Ratio, accepted, offered }) => [
    atMost(`${title}, p50 beside ${TITLES[kind]}`, p50Ratio, GOAL),
    atMost(`${title}, p99 beside ${TITLES[kind]}`, p99Ratio, GOAL),
    atLeast(`${title}, sends that were accepted beside ${TITLES[kind]}`, accepted / offered, 1),
  ]);
}

async function run({ clusterUrl, isQuick, say }: Bench): Promise<readonly Goal[]> {
  const plan: Plan = isQuick ? { rounds: 2, seconds: 5 } : { rounds: 3, seconds: 10 };
  const embedded = await onDatabase({}, gateway => measureAll(gateway, plan, isQuick));
  say(report('the embedded database', embedded, plan));
  const outside = await withDatabase(clusterUrl, url =>
    onDatabase({ DATABASE_URL: url }, gateway => measureAll(gateway, plan, isQuick)),
  );
  say(report('PostgreSQL', outside, plan));
  return [...goalsOf('embedded', embedded), ...goalsOf('PostgreSQL', outside)];
}

/** What neighbours cost a tenant. */
export const neighboursPart: Part = {
  flag: '--neighbours',
  about: "a tenant's sends beside strangers that sign in, streams, an export and receipts of others",
  isApart: true,
  run,
};
