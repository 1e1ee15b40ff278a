import { expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { restartDeliveries } from '../../../../src/modules/webhooks/redelivery/redeliver.ts';
import { OPERATOR } from '../../../support/services.ts';
import { setUpDelivering } from '../../../support/webhooks/delivery-fixture.ts';
import { storedDeliveries, wake } from '../../../support/webhooks/stored-webhooks.ts';

const { endpointOf, queue, receiver, t, tries } = setUpDelivering();

test('a recovery is not undone by a last try that was under way, and fails', async () => {
  let refuse = (): void => undefined;
  receiver.answer = (_request, response) => {
    refuse = () => response.writeHead(500).end();
  };
  const { endpointId } = await endpointOf({ status: 'paused' });
  await queue(endpointId);
  await t.sql('update webhook_deliveries set tries = 9, step = 9 where endpoint_id = $1', [toUuid(endpointId)]);
  await t.sql(`update webhook_endpoints set status = 'enabled' where id = $1`, [toUuid(endpointId)]);
  await wake(t, endpointId);
  await receiver.hasReceived(1);
  const missed = { endpointId, status: 'missed', event: null, from: null, to: null } as const;
  await restartDeliveries(t.ctxFor(OPERATOR), { ...missed, before: new Date().toISOString(), after: null });
  refuse();
  await tries.reached(1);
  expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'pending', step: 0, tries: 10 }]);
  // Due since it was recovered: the next look has it tried again.
  await receiver.hasReceived(2);
});
