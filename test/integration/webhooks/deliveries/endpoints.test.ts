import { describe, expect, test } from 'vitest';
import { runSql } from '../../../../src/db/statements/sql.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { CHANGED, wakeEndpoint } from '../../../../src/modules/webhooks/events/announce-webhooks.ts';
import { setUpDelivering } from '../../../support/webhooks/delivery-fixture.ts';
import { ok, type Receiver, startReceiver } from '../../../support/webhooks/receiver.ts';
import { storedDeliveries, wake } from '../../../support/webhooks/stored-webhooks.ts';

const { endpointOf, queue, receiver, t, tries } = setUpDelivering();

/** Moves an endpoint to a receiver that has nothing yet, and resolves when the worker has heard it: a later announcement came there. */
async function moveTo(endpointId: string, { url, hasReceived }: Receiver): Promise<void> {
  await t.database.fork().transactional(async em => {
    await runSql(em.getKysely(), 'update webhook_endpoints set url = $2 where id = $1', [toUuid(endpointId), url]);
    await wakeEndpoint(em.getKysely(), endpointId, CHANGED);
  });
  const marker = await endpointOf({ url });
  await queue(marker.endpointId);
  await hasReceived(1);
}

describe('an endpoint', () => {
  test('gets ten at a time', async () => {
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => {
      held.push(() => response.end());
    };
    const { endpointId } = await endpointOf();
    await queue(endpointId, 25);
    await receiver.hasReceived(10);
    for (let done = 0; done < 25; done++) {
      await receiver.hasReceived(Math.min(25, done + 10));
      held[done]?.();
    }
    await tries.reached(25);
    expect(receiver.open.most).toBe(10);
    expect(receiver.received).toHaveLength(25);
  });

  test('that holds one delivery gets the next', async () => {
    let release = (): void => undefined;
    receiver.answer = (_request, response, nth) => {
      if (nth === 1) release = () => response.end();
      else response.end();
    };
    const { endpointId } = await endpointOf();
    await queue(endpointId);
    await receiver.hasReceived(1);
    await queue(endpointId);
    await receiver.hasReceived(2);
    release();
    await tries.reached(2);
  });

  test('whose URL is changed gets what is not under way at the new one', async () => {
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => {
      held.push(() => response.end());
    };
    const elsewhere = await startReceiver();
    const { endpointId } = await endpointOf();
    await queue(endpointId, 40);
    await receiver.hasReceived(10);
    await moveTo(endpointId, elsewhere);
    for (const answer of held) answer();
    await tries.reached(41);
    expect(receiver.received).toHaveLength(10);
    expect(elsewhere.received).toHaveLength(31);
    await elsewhere.close();
  });

  test('whose URL is changed during its probe gets the rest at the new one', async () => {
    let answerProbe = (): void => undefined;
    receiver.answer = (_request, response) => {
      answerProbe = () => response.end();
    };
    const elsewhere = await startReceiver();
    const { endpointId } = await endpointOf();
    await t.sql('update webhook_endpoints set circuit_open_until = now() where id = $1', [toUuid(endpointId)]);
    await queue(endpointId, 100);
    await receiver.hasReceived(1);
    await moveTo(endpointId, elsewhere);
    receiver.answer = ok;
    answerProbe();
    await tries.reached(101);
    expect(receiver.received).toHaveLength(1);
    expect(elsewhere.received).toHaveLength(100);
    await elsewhere.close();
  });

  test('whose old URL answers 410 after the change stays enabled, and gets that delivery at the new one', async () => {
    let answerGone = (): void => undefined;
    receiver.answer = (_request, response) => {
      answerGone = () => response.writeHead(410).end();
    };
    const elsewhere = await startReceiver();
    const { endpointId } = await endpointOf();
    const [moved] = await queue(endpointId);
    await receiver.hasReceived(1);
    await moveTo(endpointId, elsewhere);
    answerGone();
    await tries.reached(2);
    expect(
      await t.sql('select status, failures, failing_since from webhook_endpoints where id = $1', [toUuid(endpointId)]),
    ).toEqual([{ status: 'enabled', failures: 0, failing_since: null }]);
    await elsewhere.hasReceived(2);
    expect(elsewhere.received[1]?.headers['x-service-delivery']).toBe(moved);
    await tries.reached(3);
    await elsewhere.close();
  });

  test('that is paused gets what waited when it is resumed', async () => {
    const { endpointId } = await endpointOf({ status: 'paused' });
    const [waiting] = await queue(endpointId);
    const marker = await endpointOf();
    await queue(marker.endpointId);
    await tries.reached(1);
    expect(receiver.received[0]?.headers['x-service-delivery']).not.toBe(waiting);
    await t.sql(`update webhook_endpoints set status = 'enabled' where id = $1`, [toUuid(endpointId)]);
    await wake(t, endpointId);
    await tries.reached(2);
    expect(receiver.received[1]?.headers['x-service-delivery']).toBe(waiting);
  });

  test('that was deleted leaves nothing pending', async () => {
    const { endpointId } = await endpointOf({ status: 'paused' });
    await queue(endpointId, 2);
    await t.sql('delete from webhook_endpoints where id = $1', [toUuid(endpointId)]);
    await expect
      .poll(async () => (await storedDeliveries(t, endpointId)).map(({ status, error }) => [status, error]))
      .toEqual([
        ['dead', 'endpoint_deleted'],
        ['dead', 'endpoint_deleted'],
      ]);
  });
});
