/**
 * Hostile GraphQL requests: how long each is answered after, how long it keeps the gateway from anything else, and what memory it
 * takes.
 */

import { HOSTILE_REQUESTS, type HostileRequest } from '../../support/graphql/hostile-documents.ts';
import { RowFault, withDatabase } from '../kit/databases.ts';
import { table } from '../kit/figures.ts';
import type { Gateway } from '../kit/gateway.ts';
import { withGateway } from '../kit/gateway.ts';
import type { Part } from '../kit/part.ts';

/** The most that an answer, and a block of the event loop, may take, in milliseconds; and the most that memory may grow by one. */
const GOALS = { answerMs: 100, blockMs: 50, growthMiB: 20 };

/** Until memory has grown to what a gateway under load has, which nobody gives back. */
const WARM_UP_ROUNDS = 6;
const WARM_UPS = 2;
const REQUESTS = 5;
/** How many of the dearest the report shows. */
const SHOWN = 12;
/** The least delay that the histogram of the event loop shows, even when idle. */
const IDLE_MS = 10;

/** The cost of one hostile request. */
interface HostileCost {
  readonly name: string;
  readonly asked: 'token' | 'stranger';
  readonly status: number;
  /** The longest of its answers. */
  readonly answerMs: number;
  /** The longest time in which the event loop of the gateway did nothing else. */
  readonly blockMs: number;
  /** The growth of the gateway's resident memory. */
  readonly growthMiB: number;
}

/** Measures them on a gateway. @throws RowFault where one is not answered as it must be. */
async function measureHostile(gateway: Gateway): Promise<HostileCost[]> {
  let costs: HostileCost[] = [];
  for (let round = 0; round <= WARM_UP_ROUNDS; round++) {
    costs = [];
    for (const request of HOSTILE_REQUESTS)
      for (const asked of ['token', 'stranger'] as const) costs.push(await measure(gateway, request, asked));
  }
  return costs;
}

async function measure(gateway: Gateway, request: HostileRequest, asked: HostileCost['asked']): Promise<HostileCost> {
  const token = asked === 'token' ? gateway.token : null;
  let status = 0;
  for (let time = 0; time < WARM_UPS; time++) status = await ask(gateway.url, request, token);
  // The longest block is forgotten when it is asked for.
  const { memoryMiB } = await vitals(gateway);
  let answerMs = 0;
  for (let time = 0; time < REQUESTS; time++) {
    const startedMs = performance.now();
    status = await ask(gateway.url, request, token);
    answerMs = Math.max(answerMs, performance.now() - startedMs);
  }
  const after = await vitals(gateway);
  const growthMiB = Math.max(0, after.memoryMiB - memoryMiB);
  return { name: request.name, asked, status, answerMs, blockMs: after.blockMs, growthMiB };
}

/** @throws RowFault where a fault of the gateway answers, or where the answer is not what it must be. */
async function ask(
  url: string,
  { name, body, headers, isAnswered }: HostileRequest,
  token: string | null,
): Promise<number> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body,
  });
  const text = await response.text();
  const isRight =
    token === null ? response.status < 500 : isAnswered ? response.ok : response.status >= 400 && response.status < 500;
  if (!isRight) throw new RowFault(`${name} was answered ${response.status} ${text.slice(0, 300)}`);
  return response.status;
}

/** The longest block of the event loop since they were last asked for, and the memory. */
async function vitals({ url }: Gateway): Promise<{ readonly blockMs: number; readonly memoryMiB: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const figureOf = (name: string): number => Number(new RegExp(`^${name} ([\\d.e+-]+)`, 'm').exec(text)?.[1]);
  return {
    blockMs: Math.max(0, figureOf('nodejs_eventloop_lag_max_seconds') * 1_000 - IDLE_MS),
    memoryMiB: figureOf('process_resident_memory_bytes') / 1024 ** 2,
  };
}

/** The dearest of them as a table, and the most of each figure. */
function hostileReport(costs: readonly HostileCost[]): string {
  const dearest = costs.toSorted((a, b) => b.answerMs - a.answerMs).slice(0, SHOWN);
  const most = (of: (cost: HostileCost) => number): string => Math.max(...costs.map(of)).toFixed(1);
  return [
    table([
      [`POST /graphql, the dearest of ${costs.length}`, 'asked by', 'status', 'answer ms', 'block ms'],
      ...dearest.map(({ name, asked, status, answerMs, blockMs }) => [
        name,
        asked,
        String(status),
        answerMs.toFixed(1),
        blockMs.toFixed(1),
      ]),
    ]),
    '',
    `Longest answer:                              ${most(cost => cost.answerMs)} ms (goal: at most ${GOALS.answerMs} ms)`,
    `Longest block of the event loop:             ${most(cost => cost.blockMs)} ms (goal: at most ${GOALS.blockMs} ms)`,
    `Most growth of memory by one of them:        ${most(cost => cost.growthMiB)} MiB (goal: below ${GOALS.growthMiB} MiB)`,
  ].join('\n');
}

/** Hostile GraphQL requests. */
export const hostilePart: Part = {
  flag: '--hostile',
  about: 'GraphQL requests that are made to be dear',
  async run({ clusterUrl, say }) {
    say(hostileReport(await withDatabase(clusterUrl, url => withGateway('grouped', url, measureHostile))));
    return [];
  },
};
