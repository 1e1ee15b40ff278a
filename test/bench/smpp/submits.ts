/** Texts by SMPP through one bind: what the provider carries, beside a loop of its codec that knows nothing of sessions. */
import { join } from 'node:path';
import { runChild } from '../kit/children.ts';
import { median, table } from '../kit/figures.ts';
import { atLeast, type Goal } from '../kit/goals.ts';
import type { Bench } from '../kit/part.ts';
import { withServer } from '../load/run-load.ts';

/** The arguments of the load. */
export interface SubmitPlan {
  readonly way: 'codec' | 'provider';
  readonly port: number;
  /** Submits without an answer at once. */
  readonly window: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** The report of the load. */
export interface SubmitResult {
  /** Submits that were accepted. */
  readonly perSecond: number;
  /** CPU time of the client for each. */
  readonly cpuUs: number;
}

const WINDOW = 100;

function measure(plan: Omit<SubmitPlan, 'port'>): Promise<SubmitResult> {
  return withServer(join(import.meta.dirname, 'smsc-server.ts'), async ({ url }) => {
    const args = [
      join(import.meta.dirname, 'submit-load.ts'),
      JSON.stringify({ ...plan, port: Number(new URL(url).port) }),
    ];
    return JSON.parse(await runChild(process.execPath, args));
  });
}

/** Texts by the provider alone, through one bind, beside a loop of its bare codec. */
export async function measureSubmits({ rounds, times, say }: Bench): Promise<readonly Goal[]> {
  const codec: SubmitResult[] = [];
  const provider: SubmitResult[] = [];
  for (let round = 0; round < rounds; round++) {
    codec.push(await measure({ way: 'codec', window: WINDOW, ...times }));
    provider.push(await measure({ way: 'provider', window: WINDOW, ...times }));
  }
  const rate = (results: readonly SubmitResult[]): number => median(results.map(({ perSecond }) => perSecond));
  const row = (title: string, results: readonly SubmitResult[]): string[] => [
    title,
    rate(results).toFixed(0),
    median(results.map(({ cpuUs }) => cpuUs)).toFixed(1),
  ];
  say(
    table([
      ['SMPP, one bind, window 100', 'submits a second', 'CPU µs'],
      row('bare codec', codec),
      row('provider', provider),
    ]),
  );
  return [atLeast('texts by SMPP to a loop of the bare codec', rate(provider) / rate(codec), 0.6)];
}
