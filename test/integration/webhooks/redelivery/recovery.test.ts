import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { listWebhookDeliveries } from '../../../../src/modules/webhooks/deliveries/list-deliveries.ts';
import { recoverWebhooks, redeliverWebhooksJob } from '../../../../src/modules/webhooks/redelivery/redeliver.ts';
import { JOBS, jobRunner } from '../../../../src/worker/jobs.ts';
import { OPERATOR } from '../../../support/services.ts';
import { setUpRedelivering } from '../../../support/webhooks/redelivery-fixture.ts';
import { makeEndpoint, queueDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const { account, make, makeOne, manage, runJobs, statuses, t, target } = setUpRedelivering();

describe('recovering', () => {
  test('takes everything that was given up from that instant on, as the list shows it', async () => {
    const older = await makeOne('missed');
    await t.sql(`update webhook_deliveries set created_at = created_at - interval '10 seconds' where id = $1`, [
      toUuid(older),
    ]);
    await make('missed', 2);
    await make('dead');
    await make('delivered');
    const { rows } = await listWebhookDeliveries(manage(), {
      endpointId: target.endpointId,
      filter: { status: 'dead' },
    });
    const newer = rows.filter(row => row.id !== older).map(row => row.createdAt.getTime());
    expect(
      await recoverWebhooks(manage(), { endpointId: target.endpointId, since: new Date(Math.min(...newer)) }),
    ).toEqual({ count: 3 });
    await runJobs();
    expect(await statuses()).toEqual({ dead: 1, delivered: 1, pending: 3 });
  });

  test('takes what failed and waits for its next try, and leaves what was never tried', async () => {
    const { endpointId } = await makeEndpoint(t, account.accountId);
    const [failed = ''] = await queueDeliveries(t, account.accountId, endpointId, 2);
    await t.sql(
      `update webhook_deliveries set tries = 4, step = 4, next_try_at = now() + interval '2 hours' where id = $1`,
      [toUuid(failed)],
    );
    expect(await recoverWebhooks(t.ctxFor(account.actor('management')), { endpointId, since: new Date(0) })).toEqual({
      count: 1,
    });
  });

  test('is run by the workers', async () => {
    await make('missed', 3);
    const spy = t.jobs.spy(redeliverWebhooksJob.name);
    await t.jobs.work(
      JOBS,
      jobRunner(() => t.ctxFor(OPERATOR)),
    );
    await recoverWebhooks(manage(), { endpointId: target.endpointId, since: new Date(0) });
    await spy.waitForJob(data => JSON.stringify(data).includes(target.endpointId), 'completed');
    expect(await statuses()).toEqual({ pending: 3 });
  });
});
