import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { type Gateway, startGateway, until } from '../../support/processes/gateway.ts';
import { createTestServices, LOCAL_NETWORKS, makeAccount, type TestServices } from '../../support/services.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';
import { makeEndpoint, queueDeliveries, storedDeliveries } from '../../support/webhooks/stored-webhooks.ts';

/** How long after the last arrival the receiver answers what is harmless: all of it is under way whenever a worker dies. */
const ANSWER_MS = 150;

/** So many deliveries go to each endpoint; of the first one's, this is the deadly one. */
const COUNT = 9;
const DEADLY = 4;

/** More deaths than a worker may die of one delivery. */
const DEATHS_MAX = 8;

const TIMEOUT_MS = 300_000;

describePostgres('a delivery that kills its worker', () => {
  let t: TestServices;
  let receiver: Receiver;

  beforeAll(async () => {
    t = await createTestServices();
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
    await t.close();
  });

  const startWorker = (): Promise<Gateway> =>
    startGateway({
      databaseUrl: t.testDatabase.kind === 'postgres' ? t.testDatabase.url : '',
      env: { ROLE: 'worker', WEBHOOK_ALLOWED_NETWORKS: LOCAL_NETWORKS.join(',') },
    });

  /**
   * Has workers die over a delivery, one after the other, until everything is settled. Two endpoints have deliveries. Deliveries under way
   * when a worker dies are under way again with the next one.
   * @param afterDeath a change to the rows of the dead worker
   */
  async function poison(afterDeath: () => Promise<unknown> = async () => undefined) {
    const { accountId } = await makeAccount(t.services);
    const [one, two] = [
      await makeEndpoint(t, accountId, { url: `${receiver.url}/1` }),
      await makeEndpoint(t, accountId, { url: `${receiver.url}/2` }),
    ];
    let worker: Gateway | null = null;
    let deadly = '';
    const held: ServerResponse[] = [];
    let timer: NodeJS.Timeout | undefined;
    receiver.answer = ({ headers }, response) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        for (const each of held.splice(0)) each.end('ok');
      }, ANSWER_MS);
      if (headers['x-service-delivery'] === deadly) worker?.kill('SIGKILL');
      else held.push(response);
    };
    deadly = (await queueDeliveries(t, accountId, one.endpointId, COUNT))[DEADLY] ?? '';
    await queueDeliveries(t, accountId, two.endpointId, COUNT);
    let deaths = 0;
    for (;;) {
      worker = await startWorker();
      const ended = { is: false };
      void worker.exited.then(() => {
        ended.is = true;
      });
      await until('everything is settled, or the worker is dead', async () => {
        const [row] = await t.sql<{ waits: boolean }>(
          `select exists (select from webhook_deliveries where account_id = $1 and status = 'pending') as waits`,
          [toUuid(accountId)],
        );
        return ended.is || row?.waits === false ? true : null;
      });
      if (!ended.is) break;
      deaths += 1;
      if (deaths > DEATHS_MAX) break;
      await afterDeath();
      // The leases of the dead are over.
      await t.sql('update webhook_endpoints set lease_until = clock_timestamp() where lease_until > clock_timestamp()');
    }
    worker.kill('SIGTERM');
    await worker.exited;
    const stored = [...(await storedDeliveries(t, one.endpointId)), ...(await storedDeliveries(t, two.endpointId))];
    const quarantined = stored.filter(({ error }) => error === 'quarantined').map(({ id }) => id);
    return { deaths, deadly: toUuid(deadly), quarantined, stored, log: worker.stderr() };
  }

  test(
    'is quarantined after five, three of them its own, and everything else is delivered',
    async () => {
      const { deaths, deadly, quarantined, stored, log } = await poison();
      expect(quarantined).toEqual([deadly]);
      expect(deaths).toBe(5);
      const others = stored.filter(({ id }) => id !== deadly);
      expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 2 * COUNT - 1 }, () => 'delivered'));
      expect(stored.find(({ id }) => id === deadly)).toMatchObject({ status: 'dead', next_in: null });
      expect(log).toContain('a webhook delivery was quarantined');
    },
    TIMEOUT_MS,
  );

  test(
    'takes others with it where a death is blamed on whatever was at hand, which this test would find',
    async () => {
      const { deadly, quarantined } = await poison(() =>
        t.sql(
          `update webhook_deliveries d set tried_by = e.lease_by from webhook_endpoints e
           where e.id = d.endpoint_id and d.status = 'pending'`,
        ),
      );
      expect(quarantined).toContain(deadly);
      expect(quarantined.length).toBeGreaterThan(1);
    },
    TIMEOUT_MS,
  );
});
