import { expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { startWebhooks } from '../../../../src/modules/webhooks/deliveries/deliverer.ts';
import { createLogger } from '../../../../src/observability/logger.ts';
import { OPERATOR } from '../../../support/services.ts';
import { setUpDelivering } from '../../../support/webhooks/delivery-fixture.ts';
import { wake } from '../../../support/webhooks/stored-webhooks.ts';

const { endpointOf, queue, receiver, t, tries, webhooks, workBy } = setUpDelivering();

/** Lets a worker deliver whose log is kept, and answers its warnings about these deliveries so far. */
async function warnings(): Promise<() => string[]> {
  await webhooks.stop();
  const lines: { msg: string; level: number | string }[] = [];
  const log = createLogger('trace', { write: line => lines.push(JSON.parse(line)) });
  workBy(await startWebhooks(t.ctxFor(OPERATOR).with({ log: () => log })));
  return () => lines.map(line => line.msg).filter(msg => msg.startsWith('a webhook'));
}

/** A delivery to an endpoint that refuses, which has failed so often already. */
async function failAfter(failures: number): Promise<void> {
  receiver.answer = (_request, response) => response.writeHead(500).end();
  const { endpointId } = await endpointOf({ status: 'paused' });
  await queue(endpointId);
  await t.sql('update webhook_deliveries set tries = $2, step = $2 where endpoint_id = $1', [
    toUuid(endpointId),
    failures,
  ]);
  await t.sql(`update webhook_endpoints set status = 'enabled' where id = $1`, [toUuid(endpointId)]);
  await wake(t, endpointId);
  await tries.reached(1);
}

test.each([
  ['nothing of a third failure', 2, []],
  ['of a fourth failure', 3, ['a webhook delivery has failed four times']],
  ['of a delivery that is given up', 9, ['a webhook delivery was given up after its last try']],
])('the operator is told %s', async (_name, failures, expected) => {
  const told = await warnings();
  await failAfter(failures);
  // Told once the try is stored, and a stop waits for that.
  await webhooks.stop();
  expect(told()).toEqual(expected);
});

test('the operator is told once of an endpoint that is disabled, however many of its tries say so', async () => {
  const told = await warnings();
  const held: (() => void)[] = [];
  receiver.answer = (_request, response) => {
    held.push(() => response.writeHead(410).end());
  };
  const { endpointId } = await endpointOf();
  await queue(endpointId, 10);
  await receiver.hasReceived(10);
  for (const answer of held) answer();
  await tries.reached(10);
  await webhooks.stop();
  expect(told().filter(msg => msg === 'a webhook endpoint was disabled')).toHaveLength(1);
});
