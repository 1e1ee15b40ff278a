/** Sends by WhatsApp Cloud, beside sends by an HTTP gateway at the same server and at the same rate. */
import { type Cost, costEach, costOf } from '../kit/costs.ts';
import { RowFault, withDatabase } from '../kit/databases.ts';
import { type Figures, medianCost, medianFigures, table } from '../kit/figures.ts';
import { withGateway } from '../kit/gateway.ts';
import { atMost, type Goal, ratio } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import { type PacedResult, runPaced, withServer } from '../load/run-load.ts';
import { CALLERS, checkSends, loadPlan } from '../sends/sends.ts';
import { measureCallbacks } from './callbacks.ts';
import { connectCloud, connectGateway, GRAPH, RATE, TEMPLATE } from './connect.ts';

/** In turn, so that a noisy minute of the machine falls on both. */
const WAYS = ['whatsapp-cloud', 'http-sms'] as const;

/** A run at the rate of both. */
interface Run extends Figures {
  readonly cost: Cost;
}

function measure(way: (typeof WAYS)[number], { clusterUrl, times }: Bench): Promise<Run> {
  const isCloud = way === 'whatsapp-cloud';
  return withServer(GRAPH, server =>
    withDatabase(clusterUrl, databaseUrl =>
      withGateway('grouped', databaseUrl, async gateway => {
        await (isCloud ? connectCloud : connectGateway)(gateway, server.url);
        const { url, token, pid } = gateway;
        const plan = {
          url,
          tokens: [token],
          rate: RATE,
          connections: CALLERS,
          ...(isCloud && { cloudTemplate: TEMPLATE }),
        };
        const load = (seconds: number): Promise<PacedResult> => runPaced({ ...loadPlan(), ...plan, seconds });
        const warmUp = await load(times.warmUpSeconds);
        const [{ accepted, answered, others }, cost] = await costOf([pid], databaseUrl, () => load(times.seconds));
        if (accepted.count !== answered)
          throw new RowFault(
            `${way}: ${answered - accepted.count} were not accepted, by status ${JSON.stringify(others)}`,
          );
        await checkSends(databaseUrl, way, warmUp.accepted.count + accepted.count);
        const { p50Ms, p99Ms } = accepted;
        return { sendsPerSecond: answered / times.seconds, p50Ms, p99Ms, cost: costEach(cost, answered) };
      }),
    ),
  );
}

async function measureSends(bench: Bench): Promise<readonly Goal[]> {
  const runs: Record<(typeof WAYS)[number], Run[]> = { 'whatsapp-cloud': [], 'http-sms': [] };
  for (let round = 0; round < bench.rounds; round++) for (const way of WAYS) runs[way].push(await measure(way, bench));
  const [cloud, http] = WAYS.map(way => ({
    ...medianFigures(runs[way]),
    ...medianCost(runs[way].map(({ cost }) => cost)),
  }));
  if (!cloud || !http) throw new Error('nothing was measured');
  const columns = ['sendsPerSecond', 'p50Ms', 'p99Ms', 'gatewayUs', 'postgresUs', 'walBytes'] as const;
  const row = (title: string, figures: typeof cloud): string[] => [
    title,
    ...columns.map(name => figures[name].toFixed(name.endsWith('Ms') ? 1 : 0)),
  ];
  bench.say(
    table([
      [`${RATE} sends a second are offered`, 'sends/s', 'p50 ms', 'p99 ms', 'gateway µs', 'PostgreSQL µs', 'WAL bytes'],
      row('whatsapp-cloud, by a template', cloud),
      row('http-sms, to the same server', http),
      ['the first to the second', ...columns.map(name => ratio(cloud[name] / http[name]))],
    ]),
  );
  return [
    atMost('CPU of a send by WhatsApp Cloud to one by HTTP, gateway', cloud.gatewayUs / http.gatewayUs, 1.15),
    atMost('the same, PostgreSQL', cloud.postgresUs / http.postgresUs, 1.15),
  ];
}

/** WhatsApp Cloud. */
export const whatsAppPart: Part = {
  flag: '--whatsapp',
  about:
    'sends by WhatsApp Cloud beside sends by an HTTP gateway, and 1,000 callbacks a second with three statuses each',
  run: async bench => [...(await measureSends(bench)), ...(await measureCallbacks(bench))],
};
