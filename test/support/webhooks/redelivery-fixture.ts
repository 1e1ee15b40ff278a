/** Services, and for each test an account with an endpoint whose deliveries stand as the test says, to begin again. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Services } from '../../../src/context.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { redeliverWebhooksJob, restartDeliveries } from '../../../src/modules/webhooks/redelivery/redeliver.ts';
import {
  createTestCtx,
  createTestServices,
  makeAccount,
  OPERATOR,
  type TestAccount,
  type TestServices,
} from '../services.ts';
import { makeEndpoint, queueDeliveries, storedDeliveries } from './stored-webhooks.ts';

/** The services of the file, whose jobs can be spied on. */
export let t: TestServices;
/** The account of the test. */
export let account: TestAccount;
/** The endpoint of the test. */
export let endpointId: string;

/** Makes all of it for the tests of the file that calls this. */
export function setUpRedelivering(): void {
  beforeAll(async () => {
    t = await createTestServices({ spies: true });
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    account = await makeAccount(t.services);
    endpointId = await endpoint();
  });
}

/** A context of a management token. */
export const manage = (of = account) => t.ctxFor(of.actor('management'));

/** Stores an endpoint of the account, and answers its id. */
export async function endpoint(seed: Parameters<typeof makeEndpoint>[2] = {}): Promise<string> {
  return (await makeEndpoint(t, account.accountId, seed)).endpointId;
}

/** The columns of a delivery: given up after all tries, given up untried, acknowledged, and waiting for its next try. */
export const STATES = {
  dead: `status = 'dead', tries = 10, step = 10, http_status = 500, error = 'bad_status', next_try_at = null, finished_at = clock_timestamp()`,
  missed: `status = 'dead', error = 'endpoint_disabled', next_try_at = null, finished_at = clock_timestamp()`,
  delivered: `status = 'delivered', tries = 1, step = 1, http_status = 200, next_try_at = null, finished_at = clock_timestamp()`,
  waiting: `tries = 3, step = 3, http_status = 500, error = 'bad_status', next_try_at = clock_timestamp() + interval '2 hours'`,
} as const;

/** Makes deliveries that stand like this; answers their ids. */
export async function make(state: keyof typeof STATES, count = 1, to = endpointId, columns = ''): Promise<string[]> {
  const ids = await queueDeliveries(t, account.accountId, to, count);
  const changes = columns ? `${STATES[state]}, ${columns}` : STATES[state];
  await t.sql(`update webhook_deliveries set ${changes} where id = any($1::uuid[])`, [ids.map(toUuid)]);
  return ids;
}

/** Makes one delivery that stands like this; answers its id. */
export async function makeOne(state: keyof typeof STATES, columns = ''): Promise<string> {
  const [id = ''] = await make(state, 1, endpointId, columns);
  return id;
}

/** The payloads of the job that were enqueued for an endpoint. */
export async function enqueued(of = endpointId): Promise<(typeof redeliverWebhooksJob.schema)['_output'][]> {
  const rows = await t.sql<{ data: unknown }>(
    `select data from pgboss.job where name = $1 and data->>'endpointId' = $2`,
    [redeliverWebhooksJob.name, of],
  );
  return rows.map(({ data }) => redeliverWebhooksJob.schema.parse(data));
}

/** Runs what was enqueued, as a worker would. */
export async function runJobs(services: Services = t.services): Promise<void> {
  for (const payload of await enqueued()) await restartDeliveries(createTestCtx(services, OPERATOR, t.clock), payload);
}

/** How many deliveries to an endpoint have each status. */
export async function statuses(of = endpointId): Promise<Record<string, number>> {
  const rows = await storedDeliveries(t, of);
  return Object.fromEntries([...Map.groupBy(rows, ({ status }) => status)].map(([key, all]) => [key, all.length]));
}
