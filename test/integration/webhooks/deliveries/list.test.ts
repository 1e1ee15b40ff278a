import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Ctx } from '../../../../src/context.ts';
import { LOOK } from '../../../../src/db/statements/look.sql.ts';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import {
  type ListDeliveriesInput,
  listDeliveriesInput,
} from '../../../../src/modules/webhooks/deliveries/delivery-filter.input.ts';
import {
  getWebhookDelivery,
  listTries,
  listWebhookDeliveries,
  loadBodies,
} from '../../../../src/modules/webhooks/deliveries/list-deliveries.ts';
import {
  DELIVERY_STATUSES,
  type WebhookDelivery,
} from '../../../../src/modules/webhooks/deliveries/webhook-delivery.entity.ts';
import { deleteWebhookEndpoint } from '../../../../src/modules/webhooks/endpoints/manage-endpoints.ts';
import { WEBHOOK_EVENTS } from '../../../../src/modules/webhooks/events/webhook-events.ts';
import { explainVerb, nodesOf } from '../../../support/databases/explain.ts';
import { setUpAccount, setUpServices } from '../../../support/fixtures.ts';
import { midMonth } from '../../../support/logs/log-rows.ts';
import { readInput } from '../../../support/refusal.ts';
import { assertProperty } from '../../../support/runner/properties.ts';
import { rounds } from '../../../support/runner/rounds.ts';
import { makeAccount } from '../../../support/services.ts';
import { makeDelivery, makeTryRow } from '../../../support/webhooks/delivery-rows.ts';
import { makeEndpoint, queueDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

type Filter = NonNullable<ListDeliveriesInput['filter']>;

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpAccount(on);
let ctx: Ctx;
let endpointId: string;

beforeEach(async () => {
  ctx = on.ctxFor(account.actor('management'));
  endpointId = (await makeEndpoint(on, account.accountId)).endpointId;
});

async function store(...rows: object[]): Promise<void> {
  await on.database.fork().persist(rows).flush();
}

const own = (given: Partial<WebhookDelivery> = {}): WebhookDelivery =>
  makeDelivery({ accountId: account.accountId, endpointId }, given);

/** Deliveries a minute apart, newest first. */
function makeOwn(count: number): WebhookDelivery[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, index) => own({ createdAt: new Date(now - index * 60_000) }));
}

async function idsOf(filter: Filter): Promise<string[]> {
  const input = readInput(listDeliveriesInput, { endpointId, first: 200, filter });
  return (await listWebhookDeliveries(ctx, input)).rows.map(row => row.id);
}

/** The ids of rows in the order of a list. */
function newestFirst(rows: readonly WebhookDelivery[]): string[] {
  return rows
    .map(row => row.id)
    .sort()
    .reverse();
}

describe('a page of deliveries', () => {
  test('is the newest 50 where nothing is said', async () => {
    const rows = makeOwn(51);
    await store(...rows);
    const page = await listWebhookDeliveries(ctx, { endpointId });
    expect(page.rows.map(row => row.id)).toEqual(rows.slice(0, 50).map(row => row.id));
    expect(page.hasNextPage).toBe(true);
  });

  test('goes on after its cursor until nothing is left, each delivery once', async () => {
    const rows = makeOwn(7);
    await store(...rows);
    const seen: string[] = [];
    const sizes: number[] = [];
    let after: string | null = null;
    do {
      const page = await listWebhookDeliveries(ctx, { endpointId, first: 3, after });
      sizes.push(page.rows.length);
      seen.push(...page.rows.map(row => row.id));
      after = page.hasNextPage ? page.endCursor : null;
    } while (after !== null);
    expect(sizes).toEqual([3, 3, 1]);
    expect(seen).toEqual(rows.map(row => row.id));
  });

  test('goes over the months', async () => {
    const rows = [1, 0, -1].map(offset => own({ createdAt: midMonth(offset) }));
    await store(...rows);
    const first = await listWebhookDeliveries(ctx, { endpointId, first: 2 });
    const second = await listWebhookDeliveries(ctx, { endpointId, first: 2, after: first.endCursor });
    expect([...first.rows, ...second.rows].map(row => row.id)).toEqual(rows.map(row => row.id));
  });

  test('holds those of its endpoint only', async () => {
    const [mine, another] = [own(), own({ endpointId: (await makeEndpoint(on, account.accountId)).endpointId })];
    await store(mine, another);
    expect(await idsOf({})).toEqual([mine.id]);
  });

  test('shows a change that was made since the last look', async () => {
    const row = own({ status: 'dead' });
    await store(row);
    await listWebhookDeliveries(ctx, { endpointId });
    await on.sql(`update webhook_deliveries set status = 'delivered' where id = $1`, [toUuid(row.id)]);
    expect((await listWebhookDeliveries(ctx, { endpointId })).rows).toMatchObject([{ status: 'delivered' }]);
  });
});

describe('the filter of deliveries', () => {
  test('lets pass what it names, and nothing else', async () => {
    const times = [0, 1, 2, 3].map(minutes => new Date(Date.now() - minutes * 60_000));
    const given = fc.record({
      status: fc.constantFrom(...DELIVERY_STATUSES),
      event: fc.constantFrom(...WEBHOOK_EVENTS.slice(0, 3)),
      httpStatus: fc.constantFrom(null, 200, 500),
      error: fc.constantFrom(null, 'timeout', 'bad_status'),
      createdAt: fc.constantFrom(...times),
    });
    const rows = fc.sample(given, 120).map(row => own(row));
    await store(...rows);
    const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
    const drawn = fc.record({
      status: maybe(fc.constantFrom(...DELIVERY_STATUSES)),
      event: maybe(fc.constantFrom(...WEBHOOK_EVENTS.slice(0, 3))),
      httpStatus: maybe(fc.constantFrom(200, 500, 599)),
      error: maybe(fc.constantFrom('timeout', 'bad_status', 'lost')),
      from: maybe(fc.constantFrom(...times)),
      to: maybe(fc.constantFrom(...times)),
    });
    // A time that ends before it begins is refused.
    const filters = drawn.filter(({ from, to }) => !from || !to || from <= to);
    await assertProperty(
      fc.asyncProperty(filters, async filter => {
        const passes = (row: WebhookDelivery): boolean =>
          (['status', 'event', 'httpStatus', 'error'] as const).every(
            name => filter[name] === null || row[name] === filter[name],
          ) &&
          (filter.from === null || row.createdAt >= filter.from) &&
          (filter.to === null || row.createdAt < filter.to);
        expect(await idsOf(filter)).toEqual(newestFirst(rows.filter(passes)));
      }),
      { numRuns: rounds({ usual: 150, long: 500 }) },
    );
  });

  test('goes by the time of the delivery, where its id is a little off', async () => {
    const at = new Date('2026-11-21T12:00:00.000Z');
    const row = own({ createdAt: at });
    // Its id has the time at which the statement made it.
    await store(Object.assign(row, { createdAt: new Date(at.getTime() + 500) }));
    const since = (ms: number): Date => new Date(at.getTime() + ms);
    expect(await idsOf({ from: since(400), to: since(600) })).toEqual([row.id]);
    expect(await idsOf({ to: since(500) })).toEqual([]);
    expect(await idsOf({ from: since(501) })).toEqual([]);
  });

  test('takes times at which there was nothing', async () => {
    const row = own();
    await store(row);
    expect(await idsOf({ from: new Date(-8.64e15), to: new Date(8.64e15) })).toEqual([row.id]);
    expect(await idsOf({ to: new Date(-8.64e15) })).toEqual([]);
    expect(await idsOf({ from: new Date(8.64e15) })).toEqual([]);
  });

  test.each([
    ['filter.httpStatus', { filter: { httpStatus: 99 } }],
    ['filter.httpStatus', { filter: { httpStatus: 600 } }],
    ['filter.error', { filter: { error: '' } }],
    ['filter.error', { filter: { error: 'a\u0000' } }],
    ['filter.error', { filter: { error: 'a'.repeat(65) } }],
    ['first', { first: 0 }],
    ['first', { first: 201 }],
    ['after', { after: 'x' }],
  ])('a wrong %s is refused: %j', async (field, input) => {
    const list = async () => listWebhookDeliveries(ctx, readInput(listDeliveriesInput, { endpointId, ...input }));
    await expect(list()).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field }] },
    });
  });
});

describe('who reads deliveries', () => {
  const list = (as: Ctx, of = endpointId) => listWebhookDeliveries(as, { endpointId: of });

  test('an operator who acts for the account does', async () => {
    const row = own();
    await store(row);
    const as = on.ctxFor(account.operator);
    expect((await list(as)).rows.map(({ id }) => id)).toEqual([row.id]);
    expect(await getWebhookDelivery(as, row.id)).toMatchObject({ id: row.id });
  });

  test("another account's endpoint is as a missing one", async () => {
    const as = on.ctxFor(other.actor('management'));
    const refusals = await Promise.all([endpointId, newId('whk'), 'x'].map(id => list(as, id).catch(String)));
    expect(new Set(refusals)).toEqual(new Set(['AppError: There is no such webhook endpoint.']));
  });

  test("another account's delivery is none", async () => {
    const row = own();
    await store(row, makeTryRow(row));
    const as = on.ctxFor(other.actor('management'));
    expect(await getWebhookDelivery(as, row.id)).toBeNull();
    expect(await listTries(as, [row.id])).toEqual([[]]);
  });

  test.each(['unified', 'sms', 'otp'] as const)('a token of the area %s does not', async area => {
    const as = on.ctxFor(account.actor(area));
    for (const read of [
      list(as),
      getWebhookDelivery(as, newId('dlv')),
      listTries(as, [newId('dlv')]),
      loadBodies(as, []),
    ])
      await expect(read).rejects.toMatchObject({ code: 'wrong_area' });
  });

  test.each([
    [{ unifiedApi: false }, 'unified_api_disabled'],
    [{ planExpiresAt: new Date(Date.now() - 1_000) }, 'plan_expired'],
  ])('nobody does for an account with %j, whatever the input', async (seed, code) => {
    const closed = await makeAccount(on, seed);
    for (const actor of [closed.actor('management'), closed.operator]) {
      await expect(listWebhookDeliveries(on.ctxFor(actor), { endpointId: '', first: 0 })).rejects.toMatchObject({
        code,
      });
      await expect(getWebhookDelivery(on.ctxFor(actor), '')).rejects.toMatchObject({ code });
    }
  });
});

describe('a delivery', () => {
  test.each(['', 'x', newId('whk'), newId('dlv'), 'dlv_\u0000'])('of the id %j is none', async id => {
    expect(await getWebhookDelivery(ctx, id)).toBeNull();
  });

  test('is found though its endpoint was deleted', async () => {
    const row = own({ status: 'dead' });
    await store(row);
    await deleteWebhookEndpoint(ctx, endpointId);
    expect(await getWebhookDelivery(ctx, row.id)).toMatchObject({ id: row.id, status: 'dead' });
  });

  test('has its tries in the order in which they were made', async () => {
    const row = own();
    const tries = [3, 2, 1].map(number =>
      makeTryRow(row, { number, createdAt: new Date(row.createdAt.getTime() + number * 1_000) }),
    );
    await store(row, ...tries);
    const [found] = await listTries(ctx, [row.id]);
    expect(found?.map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  test('has its tries of later months', async () => {
    const row = own({ createdAt: midMonth(-1) });
    await store(row, makeTryRow(row));
    expect((await listTries(ctx, [row.id]))[0]).toHaveLength(1);
  });

  test('has the tries that are its own', async () => {
    const rows = [own(), own(), own()];
    const [first, , third] = rows;
    await store(...rows, ...[first, third, third].flatMap(row => (row ? [makeTryRow(row)] : [])));
    const lists = await listTries(
      ctx,
      rows.map(row => row.id),
    );
    expect(lists.map(tries => tries.map(made => made.deliveryId))).toEqual([[first?.id], [], [third?.id, third?.id]]);
  });
});

describe('the body of a delivery', () => {
  test('is what is posted, to the microsecond of its event', async () => {
    const [id = ''] = await queueDeliveries(on, account.accountId, endpointId, 1);
    const { eventId = '' } = (await getWebhookDelivery(ctx, id)) ?? {};
    const [body] = await loadBodies(ctx, [eventId]);
    expect(JSON.parse(body ?? '')).toEqual({
      id: eventId,
      event: 'message.sent',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      accountId: account.accountId,
      data: { messageId: 'msg_1', status: 'sent' },
    });
  });

  test('is null where the event is not kept any longer, each in its place', async () => {
    const [id = ''] = await queueDeliveries(on, account.accountId, endpointId, 1);
    const { eventId = '' } = (await getWebhookDelivery(ctx, id)) ?? {};
    expect(await loadBodies(ctx, [newId('evt'), eventId, newId('evt')])).toEqual([null, expect.any(String), null]);
  });

  test("is null for another account's event", async () => {
    const [id = ''] = await queueDeliveries(on, account.accountId, endpointId, 1);
    const { eventId = '' } = (await getWebhookDelivery(ctx, id)) ?? {};
    expect(await loadBodies(on.ctxFor(other.actor('management')), [eventId])).toEqual([null]);
  });
});

describe('the cost of a page', () => {
  /** A tenth of them are the endpoint's. */
  const COUNT = 50_000;

  /** The blocks that the query of a page reads. */
  async function blocksOf(input: Omit<ListDeliveriesInput, 'endpointId'>): Promise<number> {
    const { orm } = on.database;
    const statements: string[] = [];
    const onQuery = orm.config.get('onQuery');
    orm.config.set('onQuery', (query: string, params: readonly unknown[]) => {
      if (query.includes('webhook_deliveries')) statements.push(orm.driver.getPlatform().formatQuery(query, params));
      return query;
    });
    try {
      await listWebhookDeliveries(ctx, { endpointId, ...input });
    } finally {
      orm.config.set('onQuery', onQuery);
    }
    const [row] = await on.sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${statements[0]}`,
    );
    const { 'Shared Hit Blocks': hit = 0, 'Shared Read Blocks': read = 0 } = row?.['QUERY PLAN'][0].Plan ?? {};
    return hit + read;
  }

  test('is the same at the beginning, in the middle, and for the dead among many delivered', async () => {
    const from = midMonth(0);
    await on.sql(
      `insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event, status, tries, created_at, finished_at)
       select (lpad(to_hex($1::bigint + n), 12, '0') || '7000' || '8' || substr(md5(n::text), 1, 15))::uuid, $3,
         case when n % 10 = 0 then $4::uuid else gen_random_uuid() end, gen_random_uuid(), 'message.sent',
         case when n <= 600 then 'dead' else 'delivered' end, 1, to_timestamp(($1::bigint + n) / 1000.0), now()
       from generate_series(1, $2::int) n`,
      [from.getTime(), COUNT, toUuid(account.accountId), toUuid(endpointId)],
    );
    await on.sql('vacuum analyze webhook_deliveries');
    const to = new Date(from.getTime() + COUNT / 2);
    const { endCursor } = await listWebhookDeliveries(ctx, { endpointId, first: 1, filter: { to } });
    const costs = [
      await blocksOf({}),
      await blocksOf({ after: endCursor }),
      await blocksOf({ filter: { status: 'dead' } }),
    ];
    // A walk over them reads a thousand and more.
    expect(Math.max(...costs)).toBeLessThan(150);
  });

  test('of what few have ends with a look, and the next one goes on', async () => {
    const oldest = own({
      createdAt: midMonth(-1),
      event: 'otp.failed',
      status: 'pending',
      httpStatus: 500,
      error: 'bad_status',
    });
    await store(oldest);
    await on.sql(
      `insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event, status, tries, http_status, created_at, finished_at)
       select (lpad(to_hex($1::bigint + n), 12, '0') || '7000' || '8' || substr(md5(n::text || 'look'), 1, 15))::uuid, $3, $4,
         gen_random_uuid(), 'message.sent', 'dead', 1, 200, to_timestamp(($1::bigint + n) / 1000.0), now()
       from generate_series(1, $2::int) n`,
      [midMonth(0).getTime(), LOOK, toUuid(account.accountId), toUuid(endpointId)],
    );
    await on.sql('vacuum analyze webhook_deliveries');
    for (const filter of [
      { event: 'otp.failed' },
      { httpStatus: 500 },
      { error: 'bad_status' },
      { status: 'pending', event: 'otp.failed' },
    ] as const) {
      const plans = await explainVerb(on, account.actor('management'), as =>
        listWebhookDeliveries(as, { endpointId, filter }),
      );
      const rows = plans.flatMap(nodesOf).map(node => node['Actual Rows'] * node['Actual Loops']);
      expect(Math.max(...rows)).toBeLessThanOrEqual(LOOK);
      const page = await listWebhookDeliveries(ctx, { endpointId, filter });
      expect(page).toMatchObject({ rows: [], hasNextPage: true });
      const next = await listWebhookDeliveries(ctx, { endpointId, filter, after: page.endCursor });
      expect(next).toMatchObject({ rows: [{ id: oldest.id }], hasNextPage: false });
    }
    const delivered = await listWebhookDeliveries(ctx, { endpointId, filter: { status: 'delivered' } });
    expect(delivered).toMatchObject({ rows: [], hasNextPage: true });
  });
});
