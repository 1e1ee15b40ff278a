/**
 * `npm run bench -- --overload`: ten times the load that the gateway can carry, and one account that floods it while others go on. Accepted
 * sends must keep their speed, and refusals must come at once. Memory must stay bounded, and the others must hardly notice.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { withDatabase } from '../kit/databases.ts';
import { median, table } from '../kit/figures.ts';
import { type Gateway, makeAccount, withGateway } from '../kit/gateway.ts';
import { atLeast, atMost, type Goal } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { type PacedResult, runLoad, runPaced } from '../load/run-load.ts';
import { CALLERS, loadPlan } from '../sends/sends.ts';

/** How long the parts take, in seconds, and how many connections the normal load has. */
interface OverloadPlan {
  readonly normalSeconds: number;
  readonly overloadSeconds: number;
  readonly fairSeconds: number;
  readonly connections: number;
}

/** How many times the normal rate is asked for. */
const TIMES = 10;
/** Accounts that go on while one floods, and how much of what the gateway can do they ask for together. */
const OTHERS = 10;
const OTHERS_PART = 0.3;
const AFTER_SECONDS = 10;

interface Memory {
  readonly beforeMiB: number;
  readonly peakMiB: number;
  readonly afterMiB: number;
}

/** The figures of an overload. */
interface OverloadResult {
  readonly normal: { readonly sendsPerSecond: number; readonly p50Ms: number; readonly p99Ms: number };
  readonly overload: PacedResult;
  readonly seconds: number;
  readonly memory: Memory;
  /** The normal load again, right after. */
  readonly after: { readonly sendsPerSecond: number; readonly p99Ms: number };
}

/** The cost of a flood for the others. */
interface FairResult {
  readonly title: string;
  /** The others' 95th percentile with the flood, and the mean of the same without it before and after. */
  readonly aloneMs: number;
  readonly floodedMs: number;
  readonly refusedOthers: number;
  readonly flood: PacedResult;
}

/** Measures an overload on a gateway of its own. */
function measureOverload(clusterUrl: string, plan: OverloadPlan): Promise<OverloadResult> {
  return withDatabase(clusterUrl, url =>
    withGateway('grouped', url, async gateway => {
      const closed = {
        ...loadPlan(),
        url: gateway.url,
        token: gateway.token,
        connections: plan.connections,
        warmUpSeconds: 2,
      };
      const normal = await runLoad({ ...closed, seconds: plan.normalSeconds });
      const beforeMiB = await memoryOf(gateway);
      const watch = watchMemory(gateway);
      const overload = await runPaced({
        ...loadPlan(),
        url: gateway.url,
        tokens: [gateway.token],
        rate: TIMES * normal.sendsPerSecond,
        connections: TIMES * plan.connections,
        seconds: plan.overloadSeconds,
      });
      const peakMiB = await watch.stop();
      const after = await runLoad({
        ...closed,
        runId: `${closed.runId}-after`,
        warmUpSeconds: 0,
        seconds: AFTER_SECONDS,
      });
      const memory = { beforeMiB, peakMiB, afterMiB: await memoryOf(gateway) };
      return { normal, overload, seconds: plan.overloadSeconds, memory, after };
    }),
  );
}

/** Measures what one flooding account costs others, with a limit of requests and without. `rate` is what the gateway can do. */
function measureFairness(clusterUrl: string, rate: number, plan: OverloadPlan): Promise<FairResult[]> {
  return withDatabase(clusterUrl, url =>
    withGateway('grouped', url, async gateway => {
      const others: string[] = [];
      for (let index = 0; index < OTHERS; index++) others.push((await makeAccount(gateway.operate)).token);
      const results: FairResult[] = [];
      for (const rateLimit of [100, null]) {
        const { accountId, token } = await makeAccount(gateway.operate);
        await gateway.operate(
          'mutation ($input: UpdateAccountInput!) { result: updateAccount(input: $input) { id } }',
          { accountId, rateLimit },
        );
        const title = rateLimit === null ? 'no limit of requests' : `a limit of ${rateLimit} requests/s, as by default`;
        results.push(await compareFlood(gateway, title, { others, flooding: token, rate, plan }));
      }
      return results;
    }),
  );
}

interface FairRun {
  readonly others: readonly string[];
  readonly flooding: string;
  readonly rate: number;
  readonly plan: OverloadPlan;
}

async function compareFlood(
  { url }: Gateway,
  title: string,
  { others, flooding, rate, plan }: FairRun,
): Promise<FairResult> {
  const seconds = plan.fairSeconds;
  const modest = () =>
    runPaced({ ...loadPlan(), url, tokens: others, rate: OTHERS_PART * rate, connections: 200, seconds });
  await modest();
  const before = await modest();
  const [with_, flood] = await Promise.all([
    modest(),
    runPaced({ ...loadPlan(), url, tokens: [flooding], rate: TIMES * rate, connections: plan.connections, seconds }),
  ]);
  await wait(2_000);
  const after = await modest();
  return {
    title,
    aloneMs: median([before.accepted.p95Ms, after.accepted.p95Ms]),
    floodedMs: with_.accepted.p95Ms,
    refusedOthers: with_.refused.count,
    flood,
  };
}

async function memoryOf({ url }: Gateway): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes ([\d.e+-]+)/m.exec(text)?.[1]) / 1024 ** 2;
}

function watchMemory(gateway: Gateway): { stop(): Promise<number> } {
  const ended = new AbortController();
  const peak = (async () => {
    let most = 0;
    while (!ended.signal.aborted) {
      most = Math.max(most, await memoryOf(gateway));
      await wait(500, undefined, { signal: ended.signal }).catch(() => undefined);
    }
    return most;
  })();
  return {
    stop() {
      ended.abort();
      return peak;
    },
  };
}

const ms = (value: number): string => value.toFixed(1);

/** An overload as a table and its ratios. */
function overloadReport({ normal, overload, seconds, memory, after }: OverloadResult): string {
  const { accepted, refused, others } = overload;
  return [
    table([
      [`POST /api/omni/send, ${TIMES} times as many as can be done, for ${seconds} s`, 'a second', 'p50 ms', 'p99 ms'],
      ['normal load', normal.sendsPerSecond.toFixed(0), ms(normal.p50Ms), ms(normal.p99Ms)],
      ['overload, accepted', (accepted.count / seconds).toFixed(0), ms(accepted.p50Ms), ms(accepted.p99Ms)],
      ['overload, refused', (refused.count / seconds).toFixed(0), ms(refused.p50Ms), ms(refused.p99Ms)],
      ['normal load, right after', after.sendsPerSecond.toFixed(0), '', ms(after.p99Ms)],
    ]),
    '',
    `Accepted to normal, p99:                     ${(accepted.p99Ms / normal.p99Ms).toFixed(2)} × (goal: at most 2)`,
    `Refusals, p99:                               ${ms(refused.p99Ms)} ms (goal: at most 100)`,
    `Normal load within ${AFTER_SECONDS} s after, p99:          ${(after.p99Ms / normal.p99Ms).toFixed(2)} × normal`,
    `Offered ${overload.offered}, of which ${overload.unsent} found no connection; other answers: ${JSON.stringify(others)}`,
    `Memory of the gateway: ${memory.beforeMiB.toFixed(0)} MiB before, ${memory.peakMiB.toFixed(0)} at most, ${memory.afterMiB.toFixed(0)} after`,
  ].join('\n');
}

/** The cost of floods, as a table. */
function fairReport(results: readonly FairResult[]): string {
  return table([
    [
      `${OTHERS} accounts, while another floods that has`,
      'p95 alone',
      'p95 flooded',
      'ratio',
      'refused',
      'flood 200/s',
      'flood refused',
    ],
    ...results.map(({ title, aloneMs, floodedMs, refusedOthers, flood }) => [
      title,
      ms(aloneMs),
      ms(floodedMs),
      `${(floodedMs / aloneMs).toFixed(2)} ×`,
      String(refusedOthers),
      String(flood.accepted.count),
      String(flood.refused.count),
    ]),
  ]);
}

/** The most memory that a gateway may take in an overload, in MiB: a burst of every connection, and what it took before. */
const MEMORY_MIB = 768;

/** The goals in an overload, after it, and beside one account that floods. */
function goalsOf({ normal, overload, memory, after }: OverloadResult, fair: readonly FairResult[]): Goal[] {
  const advised = overload.answered - overload.accepted.count - overload.unadvised;
  return [
    atMost('accepted in an overload to normal, p99', overload.accepted.p99Ms / normal.p99Ms, 2),
    atMost('refused in an overload, p99', overload.refused.p99Ms, 100, 'ms'),
    atLeast('refusals with Retry-After', advised / (overload.answered - overload.accepted.count), 1),
    atMost('memory in an overload', memory.peakMiB, MEMORY_MIB, 'MB'),
    atMost(`normal load in the ${AFTER_SECONDS} s after to before, p99`, after.p99Ms / normal.p99Ms, 1.2),
    ...fair.flatMap(({ title, aloneMs, floodedMs, refusedOthers }) => [
      atMost(`others beside a flood, ${title}, p95`, floodedMs / aloneMs, 1.2),
      atMost(`others beside a flood, ${title}, refused`, refusedOthers, 0),
    ]),
  ];
}

/** Ten times the normal load, and one account that floods others. */
export const overloadPart: Part = {
  flag: '--overload',
  about: 'ten times the load that the gateway can do, for five minutes',
  isApart: true,
  async run({ clusterUrl, isQuick, say }) {
    const plan: OverloadPlan = {
      normalSeconds: isQuick ? 5 : 20,
      overloadSeconds: isQuick ? 20 : 300,
      fairSeconds: isQuick ? 5 : 15,
      connections: CALLERS,
    };
    const overload = await measureOverload(clusterUrl, plan);
    say(overloadReport(overload));
    say();
    const fair = await measureFairness(clusterUrl, overload.normal.sendsPerSecond, plan);
    say(fairReport(fair));
    return goalsOf(overload, fair);
  },
};
