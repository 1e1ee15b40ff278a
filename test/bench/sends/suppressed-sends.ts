/** The cost of a list of suppressed people for the sends of its account: each send looks at it. */
import { runSql } from '../../support/databases/postgres.ts';
import { withDatabase } from '../kit/databases.ts';
import { median, table } from '../kit/figures.ts';
import { withGateway } from '../kit/gateway.ts';
import { atMost } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { CALLERS, type CostedRun, loadCosted, type SendTimes } from './sends.ts';

/** The lengths of the list. */
const LENGTHS = [0, 1_000_000] as const;

/** Runs sends of an account that has suppressed so many people, to none of whom they go. */
function measure(clusterUrl: string, suppressed: number, times: SendTimes): Promise<CostedRun> {
  return withDatabase(clusterUrl, async databaseUrl => {
    const { accountId, token } = await withGateway('grouped', databaseUrl, async account => account);
    await runSql(
      databaseUrl,
      `insert into suppressions (id, account_id, person, origin, created_at)
       select gen_random_uuid(), '${accountId.slice(4)}', (4915000000000 + n)::text, 'recipient', now() from generate_series(1, ${suppressed}) n`,
    );
    await runSql(databaseUrl, 'vacuum analyze suppressions');
    // This one has read the list at its start.
    return withGateway('grouped', databaseUrl, gateway => loadCosted({ ...gateway, token }, databaseUrl, times));
  });
}

/** Sends beside a long list of suppressed people. */
export const suppressedSendsPart: Part = {
  flag: '--suppressed-sends',
  about: 'sends of an account that has suppressed 1,000,000 people, beside sends of one that has suppressed nobody',
  async run({ clusterUrl, rounds, times, say }) {
    const costs = new Map<number, number[]>(LENGTHS.map(length => [length, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [length, list] of costs) {
        const { cost } = await measure(clusterUrl, length, { ...times, connections: CALLERS });
        list.push(cost.gatewayUs + cost.postgresUs);
      }
    }
    const costOf = (length: number): number => median(costs.get(length) ?? []);
    say(
      table([
        ['Suppressed people', 'µs of gateway and PostgreSQL a send'],
        ...LENGTHS.map(length => [length.toLocaleString('en'), costOf(length).toFixed(0)]),
      ]),
    );
    return [
      atMost(
        'cost of a send beside 1,000,000 suppressed people to one beside none',
        costOf(LENGTHS[1]) / costOf(LENGTHS[0]),
        1.02,
      ),
    ];
  },
};
