import { beforeEach, describe, expect, test } from 'vitest';
import type { Services } from '../../../../src/context.ts';
import { runSql } from '../../../../src/db/statements/sql.ts';
import { fromUuid, newId, toUuid } from '../../../../src/kernel/ids.ts';
import {
  recoverWebhooks,
  redeliverWebhooks,
  restartDeliveries,
} from '../../../../src/modules/webhooks/redelivery/redeliver.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { OPERATOR } from '../../../support/services.ts';
import { setUpRedelivering } from '../../../support/webhooks/redelivery-fixture.ts';
import { passTheWait, queueDeliveries, storedDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

/** Deliveries that begin again in a second, and the time between two of them. */
const PER_SECOND = 50;
const GAP_SECONDS = 1 / PER_SECOND;

const { account, enqueued, make, manage, runJobs, statuses, t, target } = setUpRedelivering();

/** The seconds from the first to the last of the times at which an endpoint is tried. */
async function span(): Promise<number> {
  const [row] = await t.sql<{ seconds: number }>(
    `select extract(epoch from max(next_try_at) - min(next_try_at))::float8 as seconds
     from webhook_deliveries where endpoint_id = $1`,
    [toUuid(target.endpointId)],
  );
  return row?.seconds ?? Number.NaN;
}

/** Services whose database fails from the `nth` transaction on, as where the process is killed there. */
function dyingAt(nth: number): Services {
  let count = 0;
  const database = new Proxy(t.database, {
    get(target, key, receiver) {
      if (key === 'fork' && ++count >= nth) throw new Error('killed');
      const value: unknown = Reflect.get(target, key, receiver);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...t.services, database };
}

describe('10,000 deliveries', () => {
  const COUNT = 10_000;
  let ids: Set<string>;

  beforeEach(async () => {
    ids = new Set(await make('dead', COUNT));
  });

  async function storedIds(): Promise<Set<string>> {
    return new Set((await storedDeliveries(t, target.endpointId)).map(({ id }) => fromUuid('dlv', id)));
  }

  test('are counted at once, and begin again by a job, fifty for each second to come', async () => {
    expect(await recoverWebhooks(manage(), { endpointId: target.endpointId, since: new Date(0) })).toEqual({
      count: COUNT,
    });
    expect(await statuses()).toEqual({ dead: COUNT });
    await runJobs();
    expect(await statuses()).toEqual({ pending: COUNT });
    expect(await span()).toBeGreaterThan((COUNT - 20) * GAP_SECONDS);
    expect(await span()).toBeLessThan(COUNT * GAP_SECONDS + 15);
  });

  test('whose job is killed in the middle go on where it ended, at the same pace', async () => {
    await redeliverWebhooks(manage(), { endpointId: target.endpointId });
    await expect(runJobs(dyingAt(5))).rejects.toThrow('killed');
    const { dead = 0, pending = 0 } = await statuses();
    expect(dead).toBeGreaterThan(0);
    expect(pending).toBeGreaterThan(0);
    expect(dead + pending).toBe(COUNT);
    await runJobs();
    expect(await statuses()).toEqual({ pending: COUNT });
    expect(await span()).toBeGreaterThan((COUNT - 20) * GAP_SECONDS);
    expect(await storedIds()).toEqual(ids);
  });

  test('that are asked for twice begin again once, with the ids that they had', async () => {
    await redeliverWebhooks(manage(), { endpointId: target.endpointId });
    await redeliverWebhooks(manage(), { endpointId: target.endpointId });
    await runJobs();
    const first = new Map(
      (await storedDeliveries(t, target.endpointId)).map(({ id, tries, step }) => [id, { tries, step }]),
    );
    await runJobs();
    expect(await redeliverWebhooks(manage(), { endpointId: target.endpointId })).toEqual({ count: 0 });
    expect(await storedIds()).toEqual(ids);
    expect(
      new Map((await storedDeliveries(t, target.endpointId)).map(({ id, tries, step }) => [id, { tries, step }])),
    ).toEqual(first);
    expect(await span()).toBeLessThan(COUNT * GAP_SECONDS + 15);
  });

  test('do not put off what is new', async () => {
    await redeliverWebhooks(manage(), { endpointId: target.endpointId });
    await runJobs();
    const [fresh = ''] = await queueDeliveries(t, account.accountId, target.endpointId, 1);
    await passTheWait(t, newId('whk'));
    const row = (await storedDeliveries(t, target.endpointId)).find(({ id }) => fromUuid('dlv', id) === fresh);
    expect(row?.next_in).toBeLessThanOrEqual(0);
  });
});

describePostgres('a redelivery beside others', () => {
  /** Resolves when so many sessions wait for a lock. */
  async function waiting(count: number): Promise<void> {
    const query = `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect
      .poll(async () => (await t.sql<{ count: number }>(query))[0]?.count ?? 0, { interval: 20 })
      .toBeGreaterThanOrEqual(count);
  }

  test('begins all that is left where one of its deliveries begins again meanwhile', async () => {
    const [oldest = ''] = (await make('dead', 1_500)).sort();
    await redeliverWebhooks(manage(), { endpointId: target.endpointId });
    let run: Promise<void> = Promise.resolve();
    await t.database.fork().transactional(async em => {
      await runSql(
        em.getKysely(),
        `update webhook_deliveries set status = 'pending', step = 0, next_try_at = now(), finished_at = null where id = $1`,
        [toUuid(oldest)],
      );
      run = runJobs();
      await waiting(1);
    });
    await run;
    expect(await statuses()).toEqual({ pending: 1_500 });
  });

  test('shares the pace with another one of the same endpoint, and both begin all of theirs', async () => {
    await make('dead', 1_500);
    await make('dead', 1_500, target.endpointId, `event = 'otp.sent'`);
    await redeliverWebhooks(manage(), { endpointId: target.endpointId, filter: { event: 'otp.sent' } });
    await redeliverWebhooks(manage(), { endpointId: target.endpointId });
    const payloads = await enqueued();
    expect(payloads).toHaveLength(2);
    await Promise.all(payloads.map(payload => restartDeliveries(t.ctxFor(OPERATOR), payload)));
    expect(await statuses()).toEqual({ pending: 3_000 });
    expect(await span()).toBeGreaterThan(2_990 * GAP_SECONDS);
  });
});
