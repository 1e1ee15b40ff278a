import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { overview } from '../../../../src/modules/figures/overview.ts';
import { waitingOfEndpoints } from '../../../../src/modules/webhooks/deliveries/endpoint-figures.ts';
import { setUpDelivering } from '../../../support/webhooks/delivery-fixture.ts';
import { passTheWait, storedDeliveries, wake } from '../../../support/webhooks/stored-webhooks.ts';

const { account, endpointOf, queue, receiver, t, tries } = setUpDelivering();

/** The row of an endpoint, with the seconds for which its circuit stays open in `open_for`; empty where there is none. */
async function rowOf(endpointId: string): Promise<Record<string, unknown>> {
  const [row] = await t.sql<Record<string, unknown>>(
    `select *, extract(epoch from circuit_open_until - clock_timestamp())::float8 as open_for
     from webhook_endpoints where id = $1`,
    [toUuid(endpointId)],
  );
  return row ?? {};
}

describe('an endpoint', () => {
  test('that answers 410 is disabled, gets nothing more, and what waits is given up', async () => {
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const { endpointId } = await endpointOf();
    await t.sql(`update webhook_endpoints set circuit_open_until = now() where id = $1`, [toUuid(endpointId)]);
    await queue(endpointId, 3);
    await tries.reached(1);
    expect(await rowOf(endpointId)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    const errors = async () =>
      (await storedDeliveries(t, endpointId)).map(({ status, error }) => `${status} ${error}`).toSorted();
    await expect.poll(errors).toEqual(['dead bad_status', 'dead endpoint_disabled', 'dead endpoint_disabled']);
    await wake(t, endpointId);
    expect(receiver.received).toHaveLength(1);
  });

  test('that fails once says since when, how often and how many wait, and is well as soon as it answers', async () => {
    receiver.answer = (_request, response, nth) => response.writeHead(nth === 1 ? 500 : 200).end();
    const { endpointId } = await endpointOf();
    await queue(endpointId);
    await tries.reached(1);
    const ctx = t.ctxFor(account.actor('management'));
    expect(await rowOf(endpointId)).toMatchObject({ failures: 1, failing_since: expect.anything() });
    expect(await waitingOfEndpoints(ctx, [endpointId])).toEqual([1]);
    expect((await overview(ctx, {})).notices).toMatchObject([{ kind: 'endpoint_failing', count: 1 }]);
    await passTheWait(t, endpointId);
    await tries.reached(2);
    expect(await rowOf(endpointId)).toMatchObject({ failures: 0, failing_since: null });
    expect((await overview(ctx, {})).notices).toEqual([]);
  });

  test('that fails ten times is spared for 30 s, and then probed once', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { endpointId } = await endpointOf();
    await queue(endpointId, 10);
    await tries.reached(10);
    const { open_for: openFor } = await rowOf(endpointId);
    expect(openFor).toBeGreaterThan(25);
    expect(openFor).toBeLessThanOrEqual(30);
    await queue(endpointId, 2);

    let refuse = (): void => undefined;
    receiver.answer = (_request, response) => {
      refuse = () => response.writeHead(500).end();
    };
    await t.sql(`update webhook_endpoints set circuit_open_until = now() where id = $1`, [toUuid(endpointId)]);
    await passTheWait(t, endpointId);
    await receiver.hasReceived(11);
    expect(receiver.open.now).toBe(1);
    receiver.answer = (_request, response) => response.end();
    refuse();
    await tries.reached(11);
    expect((await rowOf(endpointId)).open_for).toBeGreaterThan(25);

    await t.sql(`update webhook_endpoints set circuit_open_until = now() where id = $1`, [toUuid(endpointId)]);
    await passTheWait(t, endpointId);
    await tries.reached(23);
    expect(await rowOf(endpointId)).toMatchObject({ circuit_open_until: null, failures: 0, failing_since: null });
    expect((await storedDeliveries(t, endpointId)).every(({ status }) => status === 'delivered')).toBe(true);
  });

  test('that fails ten times is spared, though the clock of the process is set in between', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { endpointId } = await endpointOf();
    await queue(endpointId, 5);
    await tries.reached(5);
    t.clock.set(new Date(Date.now() + 3_600_000));
    await queue(endpointId, 5);
    await tries.reached(10);
    expect((await rowOf(endpointId)).open_for).toBeGreaterThan(25);
  });

  test('that does nothing but fail for 120 h is disabled', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { endpointId } = await endpointOf();
    await t.sql(
      `update webhook_endpoints set failing_since = now() - interval '120 hours', failures = 18 where id = $1`,
      [toUuid(endpointId)],
    );
    await queue(endpointId);
    await tries.reached(1);
    expect(await rowOf(endpointId)).toMatchObject({ status: 'enabled', failures: 19 });
    await passTheWait(t, endpointId);
    await tries.reached(2);
    expect(await rowOf(endpointId)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
    await expect
      .poll(async () => (await storedDeliveries(t, endpointId)).map(({ status, error }) => `${status} ${error}`))
      .toEqual(['dead endpoint_disabled']);
  });

  test('keeps what it acknowledges after it was disabled', async () => {
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => {
      held.push(() => response.end());
    };
    const { endpointId } = await endpointOf();
    await queue(endpointId, 3);
    await receiver.hasReceived(3);
    await t.sql(`update webhook_endpoints set status = 'disabled', disabled_at = now() where id = $1`, [
      toUuid(endpointId),
    ]);
    await expect
      .poll(async () => (await storedDeliveries(t, endpointId)).every(({ status }) => status === 'dead'))
      .toBe(true);
    for (const answer of held) answer();
    await tries.reached(3);
    expect((await storedDeliveries(t, endpointId)).every(({ status }) => status === 'delivered')).toBe(true);
  });

  test('whose breaker has opened is spared, whatever else is acknowledged meanwhile', async () => {
    const held: (() => void)[] = [];
    receiver.answer = (_request, response, nth) => {
      held.push(() => response.writeHead(nth === 10 ? 200 : 500).end());
    };
    const { endpointId } = await endpointOf();
    for (let n = 0; n < 2; n++) await queue(endpointId, 10);
    await receiver.hasReceived(10);
    for (const answer of held.slice(0, 9)) answer();
    await receiver.hasReceived(18);
    for (const answer of held.slice(10)) answer();
    await tries.reached(17);
    held[9]?.();
    await tries.reached(18);
    expect((await rowOf(endpointId)).open_for).toBeGreaterThan(20);
  });

  test('that fails for less is not, and one success begins anew', async () => {
    receiver.answer = (_request, response, nth) => response.writeHead(nth === 1 ? 500 : 200).end();
    const { endpointId } = await endpointOf();
    await t.sql(
      `update webhook_endpoints set failing_since = now() - interval '119 hours', failures = 500 where id = $1`,
      [toUuid(endpointId)],
    );
    await queue(endpointId);
    await tries.reached(1);
    expect(await rowOf(endpointId)).toMatchObject({ status: 'enabled', failures: 501 });
    await passTheWait(t, endpointId);
    await tries.reached(2);
    expect(await rowOf(endpointId)).toMatchObject({ status: 'enabled', failures: 0, failing_since: null });
  });
});
