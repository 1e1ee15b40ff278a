/** The cost of GraphQL over HTTP: an empty query beside bare Yoga, and sends beside the REST route that does the same. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withDatabase } from '../kit/databases.ts';
import { medianCost, medianFigures, table } from '../kit/figures.ts';
import { withGateway } from '../kit/gateway.ts';
import { atLeast, atMost } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import { withServer } from '../load/run-load.ts';
import { CALLERS, type CostedRun, checkSends, loadCosted } from '../sends/sends.ts';
import { measureRequests, type RequestCost } from './request-cost.ts';

const DOCUMENT = join(import.meta.dirname, '..', '..', '..', 'src', 'rest', 'operations', 'send-message.graphql');
const NOTHING = { path: '/graphql', body: JSON.stringify({ query: '{ __typename }' }), status: 200 };

/** `{ __typename }` of bare Yoga, and of a gateway. */
function measureNothing({ clusterUrl, rounds, times }: Bench): Promise<RequestCost[]> {
  return withServer(join(import.meta.dirname, 'yoga-server.ts'), yoga =>
    withDatabase(clusterUrl, databaseUrl =>
      withGateway('grouped', databaseUrl, gateway =>
        measureRequests(
          [
            { ...NOTHING, title: 'bare Yoga', server: yoga, token: null },
            { ...NOTHING, title: 'gateway', server: gateway, token: gateway.token },
          ],
          { rounds, times },
        ),
      ),
    ),
  );
}

function measureSends({ clusterUrl, times }: Bench, document: string | null): Promise<CostedRun> {
  const how = document === null ? {} : { path: '/graphql', document };
  return withDatabase(clusterUrl, async url => {
    const run = await withGateway('grouped', url, gateway =>
      loadCosted(gateway, url, { ...times, connections: CALLERS }, how),
    );
    await checkSends(url, 'sends by GraphQL', run.answered);
    return run;
  });
}

/** GraphQL over HTTP. */
export const graphqlPart: Part = {
  flag: '--graphql',
  about: 'GraphQL over HTTP: a query of nothing beside bare Yoga, and sends beside the REST route',
  async run(bench) {
    const [yoga, gateway] = await measureNothing(bench);
    const document = await readFile(DOCUMENT, 'utf8');
    const rest: CostedRun[] = [];
    const graphql: CostedRun[] = [];
    for (let round = 0; round < bench.rounds; round++) {
      rest.push(await measureSends(bench, null));
      graphql.push(await measureSends(bench, document));
    }
    const row = (title: string, runs: readonly CostedRun[]): string[] => [
      title,
      medianFigures(runs).sendsPerSecond.toFixed(0),
      medianCost(runs.map(run => run.cost)).gatewayUs.toFixed(0),
    ];
    bench.say(
      table([
        ['GraphQL over HTTP', 'a second', 'CPU µs'],
        ['bare Yoga, { __typename }', yoga?.perSecond.toFixed(0) ?? '', yoga?.cpuUs.toFixed(0) ?? ''],
        ['gateway, { __typename }', gateway?.perSecond.toFixed(0) ?? '', gateway?.cpuUs.toFixed(0) ?? ''],
        row('gateway, POST /api/omni/send', rest),
        row('gateway, mutation sendMessage', graphql),
      ]),
    );
    const sends = medianFigures(graphql).sendsPerSecond / medianFigures(rest).sendsPerSecond;
    return [
      atMost('gateway CPU of { __typename } to bare Yoga', (gateway?.cpuUs ?? Number.NaN) / (yoga?.cpuUs ?? 0), 1.4),
      atLeast('sendMessage over GraphQL to the REST route, sends/s', sends, 0.75),
    ];
  },
};
