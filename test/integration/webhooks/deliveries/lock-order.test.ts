import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { fromUuid, newId, toUuid } from '../../../../src/kernel/ids.ts';
import { SETTLE_TRIES } from '../../../../src/modules/webhooks/deliveries/settle-tries.sql.ts';
import { RELEASE_ENDPOINTS, RENEW_LEASES } from '../../../../src/modules/webhooks/deliveries/take-endpoints.sql.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { besideLocks, lockOf } from '../../../support/databases/lock-order.ts';
import { setUpAccount, setUpOtherProcess, setUpServices } from '../../../support/fixtures.ts';
import { makeEndpoint, queueDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

/** So many that none of them stands by its id by chance. */
const COUNT = 64;

describePostgres('two processes that deliver webhooks', () => {
  const t = setUpServices();
  const other = setUpOtherProcess(t);
  const account = setUpAccount(t);
  /** Endpoints and deliveries by their ids, which their rows do not stand by. */
  let endpoints: string[];
  let deliveries: string[];

  const worker = randomUUID();

  beforeEach(async () => {
    const made = Array.from({ length: COUNT }, () => makeEndpoint(t, account.accountId));
    endpoints = (await Promise.all(made)).map(({ endpointId }) => toUuid(endpointId)).sort();
    const queued = await queueDeliveries(t, account.accountId, newId('whk'), COUNT);
    deliveries = queued.map(toUuid).sort();
    // A row that is changed moves to the end of its table.
    for (const id of endpoints.toReversed())
      await t.sql('update webhook_endpoints set lease_by = $2, lease_until = now() where id = $1', [id, worker]);
  });

  const lock = (table: 'webhook_endpoints' | 'webhook_deliveries', ids: readonly string[]) =>
    lockOf(table, 'id = any($1::uuid[])', [ids]);

  /** Settles a try of each delivery, the latest first, as the batch may. */
  async function settle(error: 'bad_status' | null): Promise<void> {
    const tries = deliveries.toReversed().map((delivery, index) => ({
      id: newId('try'),
      accountId: account.accountId,
      endpointId: fromUuid('whk', endpoints[COUNT - 1 - index] ?? ''),
      deliveryId: fromUuid('dlv', delivery),
      number: 1,
      httpStatus: error === null ? 200 : 500,
      durationMs: 1,
      error,
      errorMessage: null,
      response: null,
    }));
    await SETTLE_TRIES.run(other.prepared.sql(), {
      tries,
      verdicts:
        error === null
          ? []
          : tries.map(({ id }) => ({
              id: toUuid(id),
              step: 0,
              is_aside: false,
              retry_seconds: 60,
              opens_circuit: false,
            })),
      deliveries,
      lowestDelivery: deliveries[0] ?? null,
      highestDelivery: deliveries.at(-1) ?? null,
      circuitOpenSeconds: 30,
      told: [],
      retoldDeliveries: [],
      retold: [],
    });
  }

  const settled = () =>
    t.sql('select distinct status, tries from webhook_deliveries where id = any($1::uuid[])', [deliveries]);

  test('settle a failure after a redelivery to its endpoint, which locks the endpoint first', async () => {
    await besideLocks(
      t,
      lock('webhook_endpoints', endpoints.slice(0, 1)),
      () => settle('bad_status'),
      lock('webhook_deliveries', deliveries.slice(0, 1)),
    );
    expect(await settled()).toEqual([{ status: 'pending', tries: 1 }]);
  });

  test('settle failures in the order of their endpoints', async () => {
    await besideLocks(
      t,
      lock('webhook_endpoints', endpoints.slice(0, 1)),
      () => settle('bad_status'),
      lock('webhook_endpoints', endpoints.slice(1)),
    );
    const counted = await t.sql('select distinct failures from webhook_endpoints where id = any($1::uuid[])', [
      endpoints,
    ]);
    expect(counted).toEqual([{ failures: 1 }]);
  });

  test('settle deliveries in their order', async () => {
    await besideLocks(
      t,
      lock('webhook_deliveries', deliveries.slice(0, 1)),
      () => settle(null),
      lock('webhook_deliveries', deliveries.slice(1)),
    );
    expect(await settled()).toEqual([{ status: 'delivered', tries: 1 }]);
  });

  test.each([
    ['renew leases', () => RENEW_LEASES.run(other.prepared.sql(), { worker, ids: endpoints.toReversed() })],
    ['give endpoints back', () => RELEASE_ENDPOINTS.run(other.prepared.sql(), { worker })],
  ])('%s in the order of the endpoints', async (_what, work) => {
    await besideLocks(
      t,
      lock('webhook_endpoints', endpoints.slice(0, 1)),
      work,
      lock('webhook_endpoints', endpoints.slice(1)),
    );
  });
});
