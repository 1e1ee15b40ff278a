import { describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { startWebhooks } from '../../../../src/modules/webhooks/deliveries/deliverer.ts';
import { listTries } from '../../../../src/modules/webhooks/deliveries/list-deliveries.ts';
import { redeliverWebhook } from '../../../../src/modules/webhooks/redelivery/redeliver.ts';
import { refusal } from '../../../support/refusal.ts';
import { makeAccount, OPERATOR } from '../../../support/services.ts';
import { startReceiver } from '../../../support/webhooks/receiver.ts';
import { setUpRedelivering } from '../../../support/webhooks/redelivery-fixture.ts';
import { queueDeliveries, storedDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const { account, endpoint, makeOne, manage, statuses, t, target } = setUpRedelivering();

describe('redelivering one', () => {
  test.each(['dead', 'missed', 'delivered'] as const)('that is %s lets it begin again at once', async state => {
    const id = await makeOne(state);
    const before = (await storedDeliveries(t, target.endpointId))[0];
    expect(await redeliverWebhook(manage(), id)).toMatchObject({ id, status: 'pending', step: 0, error: null });
    const [row, ...others] = await storedDeliveries(t, target.endpointId);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ id: toUuid(id), status: 'pending', step: 0, tries: before?.tries, error: null });
    expect(row?.next_in).toBeLessThanOrEqual(0);
  });

  test('takes away when it was over', async () => {
    const id = await makeOne('dead');
    expect((await redeliverWebhook(manage(), id)).finishedAt ?? null).toBeNull();
  });

  test('that waits lets it be tried now, at its place in the schedule', async () => {
    const id = await makeOne('waiting');
    expect(await redeliverWebhook(manage(), id)).toMatchObject({ status: 'pending', step: 3, tries: 3 });
    expect((await storedDeliveries(t, target.endpointId))[0]?.next_in).toBeLessThanOrEqual(0);
  });

  test('of a paused endpoint lets it wait there', async () => {
    await t.sql(`update webhook_endpoints set status = 'paused' where id = $1`, [toUuid(target.endpointId)]);
    const id = await makeOne('dead');
    expect(await redeliverWebhook(manage(), id)).toMatchObject({ status: 'pending' });
  });

  test('works for an operator who acts for the account', async () => {
    const id = await makeOne('dead');
    expect(await redeliverWebhook(t.ctxFor(account.operator), id)).toMatchObject({ status: 'pending' });
  });

  test('sends it with the same id and the same body, and keeps every try', async () => {
    const receiver = await startReceiver((_request, response, nth) => response.writeHead(nth === 1 ? 200 : 204).end());
    const webhooks = await startWebhooks(t.ctxFor(OPERATOR));
    try {
      const own = await endpoint({ url: receiver.url });
      const [id = ''] = await queueDeliveries(t, account.accountId, own, 1);
      await receiver.hasReceived(1);
      await expect.poll(() => storedDeliveries(t, own)).toMatchObject([{ status: 'delivered' }]);
      await redeliverWebhook(manage(), id);
      await receiver.hasReceived(2);
      const [first, second] = receiver.received;
      expect(second?.headers['x-service-delivery']).toBe(id);
      expect(second?.body).toBe(first?.body);
      await expect
        .poll(() => storedDeliveries(t, own))
        .toMatchObject([{ status: 'delivered', tries: 2, http_status: 204 }]);
      expect(await listTries(manage(), [id])).toMatchObject([
        [
          { number: 1, httpStatus: 200 },
          { number: 2, httpStatus: 204 },
        ],
      ]);
    } finally {
      await receiver.close();
      await webhooks.stop();
    }
  });

  test('of a disabled endpoint is refused, and changes nothing', async () => {
    const id = await makeOne('dead');
    await t.sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [toUuid(target.endpointId)]);
    await expect(redeliverWebhook(manage(), id)).rejects.toEqual(refusal('invalid_input', 'deliveryId'));
    expect(await statuses()).toEqual({ dead: 1 });
  });

  test('of a deleted endpoint is refused', async () => {
    const id = await makeOne('dead');
    await t.sql('delete from webhook_endpoints where id = $1', [toUuid(target.endpointId)]);
    await expect(redeliverWebhook(manage(), id)).rejects.toThrow(/deleted/);
  });

  test('of a test is refused', async () => {
    const id = await makeOne('dead', 'is_test = true');
    await expect(redeliverWebhook(manage(), id)).rejects.toEqual(refusal('invalid_input', 'deliveryId'));
  });

  test.each([() => newId('dlv'), () => newId('whk'), () => '', () => 'dlv_x'])(
    'that is not there is refused',
    async id => {
      await expect(redeliverWebhook(manage(), id())).rejects.toEqual(refusal('not_found'));
    },
  );

  test('of another account is refused as one that is not there', async () => {
    const id = await makeOne('dead');
    const other = await makeAccount(t.services);
    await expect(redeliverWebhook(manage(other), id)).rejects.toEqual(refusal('not_found'));
    expect(await statuses()).toEqual({ dead: 1 });
  });
});
