import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Services } from '../../src/context.ts';
import { runSql } from '../../src/db/sql.ts';
import { fromUuid, newId, toUuid } from '../../src/kernel/ids.ts';
import { listTries, listWebhookDeliveries } from '../../src/modules/webhooks/list-deliveries.ts';
import {
  recoverWebhooks,
  redeliverWebhook,
  redeliverWebhooks,
  restartDeliveries,
} from '../../src/modules/webhooks/redeliver.ts';
import { redeliverWebhooksJob } from '../../src/modules/webhooks/webhook.jobs.ts';
import { runnableJobs } from '../../src/worker/jobs.ts';
import { startWebhooks } from '../../src/worker/webhooks.ts';
import { describePostgres } from '../support/database.ts';
import { startReceiver } from '../support/receiver.ts';
import {
  createTestCtx,
  createTestServices,
  makeAccount,
  OPERATOR,
  type TestAccount,
  type TestServices,
} from '../support/services.ts';
import { makeEndpoint, passTheWait, queueDeliveries, storedDeliveries } from '../support/webhooks.ts';

/** Deliveries that begin again in a second, and the time between two of them. */
const PER_SECOND = 50;
const GAP_SECONDS = 1 / PER_SECOND;

let t: TestServices;
let account: TestAccount;
let endpointId: string;

beforeAll(async () => {
  t = await createTestServices({ spies: true });
});
afterAll(() => t.close());
beforeEach(async () => {
  account = await makeAccount(t.services);
  endpointId = await endpoint();
});

const manage = (of = account) => t.ctxFor(of.actor('management'));

async function endpoint(seed: Parameters<typeof makeEndpoint>[2] = {}): Promise<string> {
  return (await makeEndpoint(t, account.accountId, seed)).endpointId;
}

const STATES = {
  dead: `status = 'dead', tries = 10, step = 10, http_status = 500, error = 'bad_status', next_try_at = null, finished_at = clock_timestamp()`,
  missed: `status = 'dead', error = 'endpoint_disabled', next_try_at = null, finished_at = clock_timestamp()`,
  delivered: `status = 'delivered', tries = 1, step = 1, http_status = 200, next_try_at = null, finished_at = clock_timestamp()`,
  waiting: `tries = 3, step = 3, http_status = 500, error = 'bad_status', next_try_at = clock_timestamp() + interval '2 hours'`,
} as const;

/** Makes deliveries that stand like this; answers their ids. */
async function make(state: keyof typeof STATES, count = 1, to = endpointId, columns = ''): Promise<string[]> {
  const ids = await queueDeliveries(t, account.accountId, to, count);
  const changes = columns ? `${STATES[state]}, ${columns}` : STATES[state];
  await t.sql(`update webhook_deliveries set ${changes} where id = any($1::uuid[])`, [ids.map(toUuid)]);
  return ids;
}

async function makeOne(state: keyof typeof STATES, columns = ''): Promise<string> {
  const [id = ''] = await make(state, 1, endpointId, columns);
  return id;
}

const refusal = (code: string, field?: string) =>
  expect.objectContaining({ code, ...(field && { details: { errors: [{ field, message: expect.any(String) }] } }) });

/** The payloads of the job that were enqueued for an endpoint. */
async function enqueued(of = endpointId): Promise<(typeof redeliverWebhooksJob.schema)['_output'][]> {
  const rows = await t.sql<{ data: unknown }>(
    `select data from pgboss.job where name = $1 and data->>'endpointId' = $2`,
    [redeliverWebhooksJob.name, of],
  );
  return rows.map(({ data }) => redeliverWebhooksJob.schema.parse(data));
}

/** Runs what was enqueued, as a worker would. */
async function runJobs(services: Services = t.services): Promise<void> {
  for (const payload of await enqueued()) await restartDeliveries(createTestCtx(services, OPERATOR, t.clock), payload);
}

async function statuses(of = endpointId): Promise<Record<string, number>> {
  const rows = await storedDeliveries(t, of);
  return Object.fromEntries([...Map.groupBy(rows, ({ status }) => status)].map(([key, all]) => [key, all.length]));
}

describe('redelivering one', () => {
  test.each(['dead', 'missed', 'delivered'] as const)('that is %s lets it begin again at once', async state => {
    const id = await makeOne(state);
    const before = (await storedDeliveries(t, endpointId))[0];
    expect(await redeliverWebhook(manage(), id)).toMatchObject({ id, status: 'pending', step: 0, error: null });
    const [row, ...others] = await storedDeliveries(t, endpointId);
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
    expect((await storedDeliveries(t, endpointId))[0]?.next_in).toBeLessThanOrEqual(0);
  });

  test('of a paused endpoint lets it wait there', async () => {
    await t.sql(`update webhook_endpoints set status = 'paused' where id = $1`, [toUuid(endpointId)]);
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
    await t.sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [toUuid(endpointId)]);
    await expect(redeliverWebhook(manage(), id)).rejects.toEqual(refusal('invalid_input', 'deliveryId'));
    expect(await statuses()).toEqual({ dead: 1 });
  });

  test('of a deleted endpoint is refused', async () => {
    const id = await makeOne('dead');
    await t.sql('delete from webhook_endpoints where id = $1', [toUuid(endpointId)]);
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

describe('redelivering several', () => {
  test('counts what was given up, and begins exactly that again', async () => {
    const dead = [...(await make('dead', 2)), ...(await make('missed'))];
    await make('delivered');
    await make('waiting');
    await make('dead', 1, endpointId, 'is_test = true');
    await make('dead', 1, await endpoint());
    expect(await redeliverWebhooks(manage(), { endpointId })).toEqual({ count: 3 });
    await runJobs();
    const rows = await storedDeliveries(t, endpointId);
    const begun = rows.filter(({ status, step }) => status === 'pending' && step === 0);
    expect(begun.map(({ id }) => fromUuid('dlv', id)).sort()).toEqual(dead.sort());
    expect(rows).toHaveLength(6);
  });

  test('of one event leaves the others', async () => {
    await make('dead', 2);
    await make('dead', 1, endpointId, `event = 'otp.sent'`);
    expect(await redeliverWebhooks(manage(), { endpointId, filter: { event: 'otp.sent' } })).toEqual({ count: 1 });
    await runJobs();
    expect(await statuses()).toEqual({ dead: 2, pending: 1 });
  });

  test('of a time takes from the one instant to before the other', async () => {
    await make('dead', 3);
    const { rows } = await listWebhookDeliveries(manage(), { endpointId });
    const times = [1_000, 2_000, 3_000].map(ms => new Date((rows[0]?.createdAt.getTime() ?? 0) + ms));
    for (const [index, row] of rows.entries())
      await t.sql('update webhook_deliveries set created_at = $2 where id = $1', [toUuid(row.id), times[index]]);
    const filter = { from: times[0] ?? null, to: times[2] ?? null };
    expect(await redeliverWebhooks(manage(), { endpointId, filter })).toEqual({ count: 2 });
  });

  test('of what was delivered begins that again, once', async () => {
    await make('delivered', 2);
    await make('dead');
    const filter = { status: 'delivered' } as const;
    expect(await redeliverWebhooks(manage(), { endpointId, filter })).toEqual({ count: 2 });
    await runJobs();
    expect(await statuses()).toEqual({ dead: 1, pending: 2 });
    // Delivered again since, so not what was meant.
    await t.sql(`update webhook_deliveries set ${STATES.delivered} where endpoint_id = $1 and status = 'pending'`, [
      toUuid(endpointId),
    ]);
    await runJobs();
    expect(await statuses()).toEqual({ dead: 1, delivered: 2 });
  });

  test('of a delivery that was given up once more since does not begin it again', async () => {
    await make('dead');
    await redeliverWebhooks(manage(), { endpointId });
    await runJobs();
    await t.sql(`update webhook_deliveries set ${STATES.dead} where endpoint_id = $1`, [toUuid(endpointId)]);
    await runJobs();
    expect(await statuses()).toEqual({ dead: 1 });
  });

  test('of nothing leaves no job', async () => {
    await make('delivered');
    expect(await redeliverWebhooks(manage(), { endpointId })).toEqual({ count: 0 });
    expect(await enqueued()).toEqual([]);
  });

  test('of what is pending is refused', async () => {
    const filter = { status: 'pending' } as const;
    await expect(redeliverWebhooks(manage(), { endpointId, filter })).rejects.toEqual(
      refusal('invalid_input', 'filter.status'),
    );
  });

  test.each(['redeliver', 'recover'] as const)('of a disabled endpoint is refused (%s)', async verb => {
    await make('missed');
    await t.sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [toUuid(endpointId)]);
    const asked =
      verb === 'redeliver'
        ? redeliverWebhooks(manage(), { endpointId })
        : recoverWebhooks(manage(), { endpointId, since: new Date(0) });
    await expect(asked).rejects.toEqual(refusal('invalid_input', 'endpointId'));
    expect(await enqueued()).toEqual([]);
  });

  test('of an endpoint that is disabled meanwhile leaves it dead', async () => {
    await make('dead');
    await redeliverWebhooks(manage(), { endpointId });
    await t.sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [toUuid(endpointId)]);
    await runJobs();
    expect(await statuses()).toEqual({ dead: 1 });
  });

  test("of another account's endpoint is refused as one that is not there", async () => {
    const other = manage(await makeAccount(t.services));
    await expect(redeliverWebhooks(other, { endpointId })).rejects.toEqual(refusal('not_found'));
    await expect(recoverWebhooks(other, { endpointId, since: new Date(0) })).rejects.toEqual(refusal('not_found'));
  });

  test.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00'])('takes the time %s', async text => {
    const at = new Date(text);
    await expect(redeliverWebhooks(manage(), { endpointId, filter: { from: at, to: at } })).resolves.toEqual({
      count: 0,
    });
  });
});

describe('recovering', () => {
  test('takes everything that was given up from that instant on, as the list shows it', async () => {
    const older = await makeOne('missed');
    await t.sql(`update webhook_deliveries set created_at = created_at - interval '10 seconds' where id = $1`, [
      toUuid(older),
    ]);
    await make('missed', 2);
    await make('dead');
    await make('delivered');
    const { rows } = await listWebhookDeliveries(manage(), { endpointId, filter: { status: 'dead' } });
    const newer = rows.filter(row => row.id !== older).map(row => row.createdAt.getTime());
    expect(await recoverWebhooks(manage(), { endpointId, since: new Date(Math.min(...newer)) })).toEqual({ count: 3 });
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
    await t.jobs.work(runnableJobs(() => t.ctxFor(OPERATOR)));
    await recoverWebhooks(manage(), { endpointId, since: new Date(0) });
    await spy.waitForJob(data => JSON.stringify(data).includes(endpointId), 'completed');
    expect(await statuses()).toEqual({ pending: 3 });
  });
});

/** The seconds from the first to the last of the times at which an endpoint is tried. */
async function span(): Promise<number> {
  const [row] = await t.sql<{ seconds: number }>(
    `select extract(epoch from max(next_try_at) - min(next_try_at))::float8 as seconds
     from webhook_deliveries where endpoint_id = $1`,
    [toUuid(endpointId)],
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
    return new Set((await storedDeliveries(t, endpointId)).map(({ id }) => fromUuid('dlv', id)));
  }

  test('are counted at once, and begin again in a few seconds, fifty for each second to come', async () => {
    const startedMs = performance.now();
    expect(await recoverWebhooks(manage(), { endpointId, since: new Date(0) })).toEqual({ count: COUNT });
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    const jobMs = performance.now();
    await runJobs();
    expect(performance.now() - jobMs).toBeLessThan(15_000);
    expect(await statuses()).toEqual({ pending: COUNT });
    expect(await span()).toBeGreaterThan((COUNT - 20) * GAP_SECONDS);
    expect(await span()).toBeLessThan(COUNT * GAP_SECONDS + 15);
  });

  test('whose job is killed in the middle go on where it ended, at the same pace', async () => {
    await redeliverWebhooks(manage(), { endpointId });
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
    await redeliverWebhooks(manage(), { endpointId });
    await redeliverWebhooks(manage(), { endpointId });
    await runJobs();
    const first = new Map((await storedDeliveries(t, endpointId)).map(({ id, tries, step }) => [id, { tries, step }]));
    await runJobs();
    expect(await redeliverWebhooks(manage(), { endpointId })).toEqual({ count: 0 });
    expect(await storedIds()).toEqual(ids);
    expect(
      new Map((await storedDeliveries(t, endpointId)).map(({ id, tries, step }) => [id, { tries, step }])),
    ).toEqual(first);
    expect(await span()).toBeLessThan(COUNT * GAP_SECONDS + 15);
  });

  test('do not put off what is new', async () => {
    await redeliverWebhooks(manage(), { endpointId });
    await runJobs();
    const [fresh = ''] = await queueDeliveries(t, account.accountId, endpointId, 1);
    await passTheWait(t, newId('whk'));
    const row = (await storedDeliveries(t, endpointId)).find(({ id }) => fromUuid('dlv', id) === fresh);
    expect(row?.next_in).toBeLessThanOrEqual(0);
  });
});

describePostgres('a redelivery beside others', () => {
  /** Resolves when so many sessions wait for a lock. */
  async function waiting(count: number): Promise<void> {
    const query = `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect
      .poll(async () => (await t.sql<{ count: number }>(query))[0]?.count ?? 0, { timeout: 10_000, interval: 20 })
      .toBeGreaterThanOrEqual(count);
  }

  test('begins all that is left where one of its deliveries begins again meanwhile', async () => {
    const [oldest = ''] = (await make('dead', 1_500)).sort();
    await redeliverWebhooks(manage(), { endpointId });
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
    await make('dead', 1_500, endpointId, `event = 'otp.sent'`);
    await redeliverWebhooks(manage(), { endpointId, filter: { event: 'otp.sent' } });
    await redeliverWebhooks(manage(), { endpointId });
    const payloads = await enqueued();
    expect(payloads).toHaveLength(2);
    await Promise.all(payloads.map(payload => restartDeliveries(t.ctxFor(OPERATOR), payload)));
    expect(await statuses()).toEqual({ pending: 3_000 });
    expect(await span()).toBeGreaterThan(2_990 * GAP_SECONDS);
  });
});
