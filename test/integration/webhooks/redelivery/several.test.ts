import { describe, expect, test } from 'vitest';
import { fromUuid, toUuid } from '../../../../src/kernel/ids.ts';
import { redeliverInput } from '../../../../src/modules/webhooks/deliveries/delivery-filter.input.ts';
import { listWebhookDeliveries } from '../../../../src/modules/webhooks/deliveries/list-deliveries.ts';
import { recoverWebhooks, redeliverWebhooks } from '../../../../src/modules/webhooks/redelivery/redeliver.ts';
import { readInput, refusal } from '../../../support/refusal.ts';
import { makeAccount } from '../../../support/services.ts';
import { STATES, setUpRedelivering } from '../../../support/webhooks/redelivery-fixture.ts';
import { storedDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const { endpoint, enqueued, make, manage, runJobs, statuses, t, target } = setUpRedelivering();

describe('redelivering several', () => {
  test('counts what was given up, and begins exactly that again', async () => {
    const dead = [...(await make('dead', 2)), ...(await make('missed'))];
    await make('delivered');
    await make('waiting');
    await make('dead', 1, target.endpointId, 'is_test = true');
    await make('dead', 1, await endpoint());
    expect(await redeliverWebhooks(manage(), { endpointId: target.endpointId })).toEqual({ count: 3 });
    await runJobs();
    const rows = await storedDeliveries(t, target.endpointId);
    const begun = rows.filter(({ status, step }) => status === 'pending' && step === 0);
    expect(begun.map(({ id }) => fromUuid('dlv', id)).sort()).toEqual(dead.sort());
    expect(rows).toHaveLength(6);
  });

  test('of one event leaves the others', async () => {
    await make('dead', 2);
    await make('dead', 1, target.endpointId, `event = 'otp.sent'`);
    expect(await redeliverWebhooks(manage(), { endpointId: target.endpointId, filter: { event: 'otp.sent' } })).toEqual(
      { count: 1 },
    );
    await runJobs();
    expect(await statuses()).toEqual({ dead: 2, pending: 1 });
  });

  test('of a time takes from the one instant to before the other', async () => {
    await make('dead', 3);
    const { rows } = await listWebhookDeliveries(manage(), { endpointId: target.endpointId });
    const times = [1_000, 2_000, 3_000].map(ms => new Date((rows[0]?.createdAt.getTime() ?? 0) + ms));
    for (const [index, row] of rows.entries())
      await t.sql('update webhook_deliveries set created_at = $2 where id = $1', [toUuid(row.id), times[index]]);
    const filter = { from: times[0] ?? null, to: times[2] ?? null };
    expect(await redeliverWebhooks(manage(), { endpointId: target.endpointId, filter })).toEqual({ count: 2 });
  });

  test('of what was delivered begins that again, once', async () => {
    await make('delivered', 2);
    await make('dead');
    const filter = { status: 'delivered' } as const;
    expect(await redeliverWebhooks(manage(), { endpointId: target.endpointId, filter })).toEqual({ count: 2 });
    await runJobs();
    expect(await statuses()).toEqual({ dead: 1, pending: 2 });
    // Delivered again since, so not what was meant.
    await t.sql(`update webhook_deliveries set ${STATES.delivered} where endpoint_id = $1 and status = 'pending'`, [
      toUuid(target.endpointId),
    ]);
    await runJobs();
    expect(await statuses()).toEqual({ dead: 1, delivered: 2 });
  });

  test('of a delivery that was given up once more since does not begin it again', async () => {
    await make('dead');
    await redeliverWebhooks(manage(), { endpointId: target.endpointId });
    await runJobs();
    await t.sql(`update webhook_deliveries set ${STATES.dead} where endpoint_id = $1`, [toUuid(target.endpointId)]);
    await runJobs();
    expect(await statuses()).toEqual({ dead: 1 });
  });

  test('of nothing leaves no job', async () => {
    await make('delivered');
    expect(await redeliverWebhooks(manage(), { endpointId: target.endpointId })).toEqual({ count: 0 });
    expect(await enqueued()).toEqual([]);
  });

  test('of what is pending is refused', () => {
    const input = { endpointId: target.endpointId, filter: { status: 'pending' } };
    expect(() => readInput(redeliverInput, input)).toThrow(refusal('invalid_input', 'filter.status'));
  });

  test.each(['redeliver', 'recover'] as const)('of a disabled endpoint is refused (%s)', async verb => {
    await make('missed');
    await t.sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [toUuid(target.endpointId)]);
    const asked =
      verb === 'redeliver'
        ? redeliverWebhooks(manage(), { endpointId: target.endpointId })
        : recoverWebhooks(manage(), { endpointId: target.endpointId, since: new Date(0) });
    await expect(asked).rejects.toEqual(refusal('invalid_input', 'endpointId'));
    expect(await enqueued()).toEqual([]);
  });

  test('of an endpoint that is disabled meanwhile leaves it dead', async () => {
    await make('dead');
    await redeliverWebhooks(manage(), { endpointId: target.endpointId });
    await t.sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [toUuid(target.endpointId)]);
    await runJobs();
    expect(await statuses()).toEqual({ dead: 1 });
  });

  test("of another account's endpoint is refused as one that is not there", async () => {
    const other = manage(await makeAccount(t.services));
    await expect(redeliverWebhooks(other, { endpointId: target.endpointId })).rejects.toEqual(refusal('not_found'));
    await expect(recoverWebhooks(other, { endpointId: target.endpointId, since: new Date(0) })).rejects.toEqual(
      refusal('not_found'),
    );
  });

  test.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00'])('takes the time %s', async text => {
    const at = new Date(text);
    const input = readInput(redeliverInput, { endpointId: target.endpointId, filter: { from: at, to: at } });
    await expect(redeliverWebhooks(manage(), input)).resolves.toEqual({ count: 0 });
  });
});
