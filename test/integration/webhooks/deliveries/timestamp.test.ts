import { afterEach, describe, expect, test, vi } from 'vitest';
import { testWebhookEndpoint } from '../../../../src/modules/webhooks/endpoints/test-endpoint.ts';
import { setUpDelivering } from '../../../support/webhooks/delivery-fixture.ts';

const { account, endpointOf, queue, receiver, t, tries } = setUpDelivering();
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;

/** Sets the clock of this process, as a machine whose clock is wrong has it. The database is another one, or keeps the real time. */
function setClock(skewMs: number): void {
  const at = new Date(Date.now() + skewMs);
  t.clock.set(at);
  vi.useFakeTimers({ toFake: ['Date'], now: at });
}

/** How far the timestamps of what came are from the database's clock, in seconds. */
async function skews(): Promise<number[]> {
  const [row] = await t.sql<{ now: number }>('select extract(epoch from clock_timestamp())::float8 as now');
  return receiver.received.flatMap(({ headers }) =>
    ['x-service-timestamp', 'webhook-timestamp'].map(name => (row?.now ?? 0) - Number(headers[name])),
  );
}

describe.each([
  ['an hour fast', HOUR_MS],
  ['an hour slow', -HOUR_MS],
])('in a process whose clock is %s', (_title, skewMs) => {
  // PGlite lives in this process and has its clock.
  const isApart = (): boolean => t.testDatabase.kind === 'postgres';

  test('a try is dated by the clock of the database', async context => {
    if (!isApart()) return context.skip();
    setClock(skewMs);
    const { endpointId } = await endpointOf();
    await queue(endpointId, 3);
    await tries.reached(3);
    const found = await skews();
    expect(found).toHaveLength(6);
    for (const skew of found) expect(Math.abs(skew)).toBeLessThan(60);
  });

  test('the test of an endpoint is too', async context => {
    if (!isApart()) return context.skip();
    setClock(skewMs);
    const { endpointId } = await endpointOf();
    await testWebhookEndpoint(t.ctxFor(account.actor('management')), { endpointId });
    for (const skew of await skews()) expect(Math.abs(skew)).toBeLessThan(60);
  });
});
