/** Services, and for each test an account with an endpoint whose deliveries stand as the test says, to begin again. */
import type { Services } from '../../../src/context.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { redeliverWebhooksJob, restartDeliveries } from '../../../src/modules/webhooks/redelivery/redeliver.ts';
import { oncePerTest, setUpAccount, setUpServices } from '../fixtures.ts';
import { createTestCtx, OPERATOR } from '../services.ts';
import { makeEndpoint, queueDeliveries, storedDeliveries } from './stored-webhooks.ts';

/** The columns of a delivery: given up after all tries, given up untried, acknowledged, and waiting for its next try. */
export const STATES = {
  dead: `status = 'dead', tries = 10, step = 10, http_status = 500, error = 'bad_status', next_try_at = null, finished_at = clock_timestamp()`,
  missed: `status = 'dead', error = 'endpoint_disabled', next_try_at = null, finished_at = clock_timestamp()`,
  delivered: `status = 'delivered', tries = 1, step = 1, http_status = 200, next_try_at = null, finished_at = clock_timestamp()`,
  waiting: `tries = 3, step = 3, http_status = 500, error = 'bad_status', next_try_at = clock_timestamp() + interval '2 hours'`,
} as const;

/** Makes all of it for the tests of the file that calls this; the jobs can be spied on. */
export function setUpRedelivering() {
  const t = setUpServices({ spies: true });
  const account = setUpAccount(t);
  const target = oncePerTest(() => makeEndpoint(t, account.accountId));

  const make = async (state: keyof typeof STATES, count = 1, to = target.endpointId, columns = '') => {
    const ids = await queueDeliveries(t, account.accountId, to, count);
    const changes = columns ? `${STATES[state]}, ${columns}` : STATES[state];
    await t.sql(`update webhook_deliveries set ${changes} where id = any($1::uuid[])`, [ids.map(toUuid)]);
    return ids;
  };
  const enqueued = async (of = target.endpointId): Promise<(typeof redeliverWebhooksJob.schema)['_output'][]> => {
    const rows = await t.sql<{ data: unknown }>(
      `select data from pgboss.job where name = $1 and data->>'endpointId' = $2`,
      [redeliverWebhooksJob.name, of],
    );
    return rows.map(({ data }) => redeliverWebhooksJob.schema.parse(data));
  };
  return {
    t,
    account,
    /** The endpoint of the test. */
    target,
    /** A context of a management token. */
    manage: (of = account) => t.ctxFor(of.actor('management')),
    /** Stores another endpoint of the account, and answers its id. */
    endpoint: async (seed: Parameters<typeof makeEndpoint>[2] = {}): Promise<string> =>
      (await makeEndpoint(t, account.accountId, seed)).endpointId,
    /** Makes deliveries that stand like this; answers their ids. */
    make,
    /** Makes one delivery that stands like this; answers its id. */
    async makeOne(state: keyof typeof STATES, columns = ''): Promise<string> {
      const [id = ''] = await make(state, 1, target.endpointId, columns);
      return id;
    },
    /** The payloads of the job that were enqueued for an endpoint. */
    enqueued,
    /** Runs what was enqueued, as a worker would. */
    async runJobs(services: Services = t.services): Promise<void> {
      for (const payload of await enqueued())
        await restartDeliveries(createTestCtx(services, OPERATOR, t.clock), payload);
    },
    /** How many deliveries to an endpoint have each status. */
    async statuses(of = target.endpointId): Promise<Record<string, number>> {
      const rows = await storedDeliveries(t, of);
      return Object.fromEntries([...Map.groupBy(rows, ({ status }) => status)].map(([key, all]) => [key, all.length]));
    },
  };
}
