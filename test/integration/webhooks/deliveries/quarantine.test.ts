import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { Isolation } from '../../../../src/modules/webhooks/deliveries/isolation.ts';
import { listWebhookDeliveries } from '../../../../src/modules/webhooks/deliveries/list-deliveries.ts';
import {
  NOTE_TRIED,
  RELEASE_ENDPOINTS,
  TAKE_ENDPOINTS,
} from '../../../../src/modules/webhooks/deliveries/take-endpoints.sql.ts';
import { redeliverWebhook } from '../../../../src/modules/webhooks/redelivery/redeliver.ts';
import { setUpAccount, setUpServices } from '../../../support/fixtures.ts';
import { makeEndpoint, queueDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const t = setUpServices();
const account = setUpAccount(t);
let endpointId: string;

beforeEach(async () => {
  endpointId = (await makeEndpoint(t, account.accountId)).endpointId;
});

async function take(worker: string) {
  const taken = await TAKE_ENDPOINTS.first(t.database.sql(), { worker, ids: [toUuid(endpointId)] });
  if (!taken) throw new Error('the statement answered nothing');
  return taken;
}

const noteTried = (worker: string, deliveryId: string) =>
  NOTE_TRIED.run(t.database.sql(), { worker, id: toUuid(deliveryId) });

/** Has a worker take the endpoint, try these deliveries where they are suspected, and die. */
async function die(deliveryIds: readonly string[] = []): Promise<Awaited<ReturnType<typeof take>>> {
  const worker = randomUUID();
  const taken = await take(worker);
  for (const id of deliveryIds) await noteTried(worker, id);
  await t.sql('update webhook_endpoints set lease_until = clock_timestamp() where id = $1', [toUuid(endpointId)]);
  return taken;
}

const deliveries = async () =>
  (await listWebhookDeliveries(t.ctxFor(account.actor('management')), { endpointId })).rows.map(
    ({ id, status, error, deaths }) => ({ id, status, error: error ?? null, deaths }),
  );

describe('a delivery over which workers die', () => {
  test('is quarantined at the third death over it alone, and can be redelivered', async () => {
    const [id = '', other = ''] = await queueDeliveries(t, account.accountId, endpointId, 2);
    await die();
    await die([id]);
    for (let alone = 0; alone < 3; alone++) {
      await die([id]);
      // The delivery is put off from then on.
      await t.sql('update webhook_deliveries set next_try_at = created_at where id = $1', [toUuid(id)]);
    }
    const { ids, quarantined } = await take(randomUUID());
    expect(ids).toEqual([toUuid(endpointId)]);
    expect(quarantined).toEqual([{ deliveryId: id, endpointId, accountId: account.accountId }]);
    expect((await deliveries()).toSorted((a, b) => b.deaths - a.deaths)).toEqual([
      { id, status: 'dead', error: 'quarantined', deaths: 5 },
      { id: other, status: 'pending', error: null, deaths: 1 },
    ]);
    const again = await redeliverWebhook(t.ctxFor(account.actor('management')), id);
    expect(again).toMatchObject({ status: 'pending', deaths: 0 });
  });

  test('is not, where the workers died while it was not tried', async () => {
    const [id = ''] = await queueDeliveries(t, account.accountId, endpointId, 1);
    for (let death = 0; death < 5; death++) await die();
    expect((await take(randomUUID())).quarantined).toEqual([]);
    expect(await deliveries()).toEqual([{ id, status: 'pending', error: null, deaths: 1 }]);
  });

  test('is not, where the workers gave it back', async () => {
    const [id = ''] = await queueDeliveries(t, account.accountId, endpointId, 1);
    for (let stop = 0; stop < 5; stop++) {
      const worker = randomUUID();
      await take(worker);
      await noteTried(worker, id);
      await RELEASE_ENDPOINTS.run(t.database.sql(), { worker });
    }
    expect((await take(randomUUID())).quarantined).toEqual([]);
    expect(await deliveries()).toEqual([{ id, status: 'pending', error: null, deaths: 0 }]);
  });

  test('is not, where one worker lost its lease again and again and lives', async () => {
    const [id = ''] = await queueDeliveries(t, account.accountId, endpointId, 1);
    const worker = randomUUID();
    for (let loss = 0; loss < 5; loss++) {
      await take(worker);
      await noteTried(worker, id);
      await t.sql('update webhook_endpoints set lease_until = clock_timestamp() where id = $1', [toUuid(endpointId)]);
    }
    expect(await deliveries()).toEqual([{ id, status: 'pending', error: null, deaths: 0 }]);
  });
});

describe('of the suspects of a process', () => {
  test('many are tried side by side, and one by itself', async () => {
    const isolation = new Isolation();
    const log: string[] = [];
    const enter = (name: string, alone: boolean) => isolation.enter(alone).then(() => log.push(name));
    await Promise.all([enter('a', false), enter('b', false)]);
    const alone = enter('c', true);
    const second = enter('d', true);
    const behind = enter('e', false);
    expect(log).toEqual(['a', 'b']);
    isolation.leave();
    isolation.leave();
    await alone;
    expect(log).toEqual(['a', 'b', 'c']);
    isolation.leave();
    await second;
    isolation.leave();
    await behind;
    expect(log).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
