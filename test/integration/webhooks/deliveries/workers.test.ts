import { describe, expect, test, vi } from 'vitest';
import { createKeyRing } from '../../../../src/kernel/crypto/key-ring.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { startWebhooks } from '../../../../src/modules/webhooks/deliveries/deliverer.ts';
import { openSecrets } from '../../../../src/modules/webhooks/endpoints/endpoint-secrets.ts';
import { WebhookEndpoint } from '../../../../src/modules/webhooks/endpoints/webhook-endpoint.entity.ts';
import { createOutbound } from '../../../../src/outbound/outbound.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { createTestCtx, LOCAL_NETWORKS, OPERATOR, openTestDatabase } from '../../../support/services.ts';
import { setUpDelivering } from '../../../support/webhooks/delivery-fixture.ts';
import { startReceiver } from '../../../support/webhooks/receiver.ts';
import { storedDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const { endpointOf, queue, receiver, t, tries, webhooks, workBy } = setUpDelivering();

test('a process that ends leaves the tries under way to the next one, uncounted', async () => {
  await webhooks.stop();
  const outbound = createOutbound({ allowedNetworks: LOCAL_NETWORKS });
  workBy(await startWebhooks(createTestCtx({ ...t.services, outbound }, OPERATOR, t.clock)));
  receiver.answer = () => undefined;
  const { endpointId } = await endpointOf();
  await queue(endpointId);
  await receiver.hasReceived(1);
  await outbound.close();
  await webhooks.stop();
  expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'pending', tries: 0, error: null }]);
  receiver.answer = (_request, response) => response.end();
  workBy(await startWebhooks(t.ctxFor(OPERATOR)));
  await tries.reached(1);
  expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'delivered', tries: 1 }]);
});

test('secrets that were sealed under a former secret key are sealed under the current one when a worker starts', async () => {
  const { endpointId, secret } = await endpointOf();
  await t.sql(
    `update webhook_endpoints set previous_secret = secret, previous_secret_key_id = secret_key_id,
       previous_secret_until = now() + interval '1 hour' where id = $1`,
    [toUuid(endpointId)],
  );
  const keys = createKeyRing(Buffer.alloc(32, 8), [Buffer.alloc(32, 7)]);
  const next = await startWebhooks(createTestCtx({ ...t.services, keys }, OPERATOR, t.clock));
  await next.stop();
  const row = await t.database.fork().findOneOrFail(WebhookEndpoint, { id: endpointId });
  expect(openSecrets(createKeyRing(Buffer.alloc(32, 8), []), row)).toEqual({ current: secret, previous: secret });
});

describe('an endpoint', () => {
  test('that a process which stood still may have lost gets no further try of it', async () => {
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => {
      held.push(() => response.end());
    };
    const { endpointId } = await endpointOf();
    await queue(endpointId, 40);
    await receiver.hasReceived(10);
    await t.sql(
      `update webhook_endpoints set lease_by = gen_random_uuid(), lease_until = now() + interval '1 hour' where id = $1`,
      [toUuid(endpointId)],
    );
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 16_000);
    for (const answer of held) answer();
    await tries.reached(10);
    vi.restoreAllMocks();
    expect(receiver.received).toHaveLength(10);
  });

  test('that another worker has is left to it, until the lease is over', async () => {
    const { endpointId } = await endpointOf();
    const leasedAtMs = performance.now();
    await t.sql(
      `update webhook_endpoints set lease_by = gen_random_uuid(), lease_until = now() + interval '2 s' where id = $1`,
      [toUuid(endpointId)],
    );
    await queue(endpointId);
    await tries.reached(1);
    expect((receiver.received[0]?.atMs ?? 0) - leasedAtMs).toBeGreaterThan(1_500);
  });
});

test('an endpoint with a backlog gives its place to one that waits for it', async () => {
  await webhooks.stop();
  workBy(await startWebhooks(t.ctxFor(OPERATOR), { endpoints: 1, turnMs: 100 }));
  // Slow enough that the backlog outlasts a turn and a look.
  receiver.answer = (_request, response) => void setTimeout(() => response.end(), 20);
  const elsewhere = await startReceiver();
  const busy = await endpointOf();
  const other = await endpointOf({ url: elsewhere.url });
  await queue(busy.endpointId, 1_500);
  await receiver.hasReceived(10);
  await queue(other.endpointId);
  await elsewhere.hasReceived(1);
  expect(receiver.received.length).toBeLessThan(1_500);
  await tries.reached(1_501);
  await elsewhere.close();
});

describePostgres('two workers', () => {
  test('deliver everything once, ten at a time in all', async () => {
    const database = await openTestDatabase(t.testDatabase);
    const second = await startWebhooks(createTestCtx({ ...t.services, database }, OPERATOR, t.clock));
    try {
      const { endpointId } = await endpointOf();
      const ids = new Set<string>();
      for (let round = 0; round < 10; round++) for (const id of await queue(endpointId, 50)) ids.add(id);
      await tries.reached(500);
      expect(receiver.received).toHaveLength(500);
      expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery']))).toEqual(ids);
      expect(receiver.open.most).toBeLessThanOrEqual(10);
    } finally {
      await second.stop();
      await database.close();
    }
  });
});
