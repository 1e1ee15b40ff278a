import { beforeEach, describe, expect, test } from 'vitest';
import type { Ctx } from '../../../../src/context.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { WAITING_MAX } from '../../../../src/modules/webhooks/deliveries/endpoint-figures.sql.ts';
import {
  COUNTED_DELIVERIES,
  p95OfEndpoints,
  waitingOfEndpoints,
} from '../../../../src/modules/webhooks/deliveries/endpoint-figures.ts';
import { explainVerb, nodesOf } from '../../../support/databases/explain.ts';
import { setUpAccount, setUpServices } from '../../../support/fixtures.ts';
import { midMonth } from '../../../support/logs/log-rows.ts';
import { makeDelivery, makeTryRow } from '../../../support/webhooks/delivery-rows.ts';
import { makeEndpoint } from '../../../support/webhooks/stored-webhooks.ts';

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpAccount(on);
let ctx: Ctx;
let endpointId: string;

beforeEach(async () => {
  ctx = on.ctxFor(account.actor('management'));
  endpointId = (await makeEndpoint(on, account.accountId)).endpointId;
});

/** A delivery a second, the last one now, each with tries that took so long. */
async function store(to: string, durations: readonly (readonly number[])[]): Promise<void> {
  const rows = durations.flatMap((tries, index) => {
    const createdAt = new Date(Date.now() - (durations.length - index) * 1_000);
    const delivery = makeDelivery({ accountId: account.accountId, endpointId: to }, { createdAt });
    return [delivery, ...tries.map((durationMs, place) => makeTryRow(delivery, { number: place + 1, durationMs }))];
  });
  await on.database.fork().persist(rows).flush();
}

describe('how fast endpoints answer', () => {
  test('95 % of the tries of the newest deliveries took as long at most, each endpoint by itself', async () => {
    const { endpointId: quick } = await makeEndpoint(on, account.accountId);
    const { endpointId: silent } = await makeEndpoint(on, account.accountId);
    const old = Array.from({ length: 20 }, () => [9_000]);
    const ascending = Array.from({ length: COUNTED_DELIVERIES / 2 }, (_, n) => [2 * n + 1, 2 * n + 2]);
    await store(endpointId, [...old, ...Array.from({ length: COUNTED_DELIVERIES / 2 }, () => []), ...ascending]);
    await store(quick, [[7]]);
    expect(await p95OfEndpoints(ctx, [quick, silent, endpointId])).toEqual([7, null, 95]);
  });

  test('nothing is told of an endpoint of another account', async () => {
    await store(endpointId, [[7]]);
    expect(await p95OfEndpoints(on.ctxFor(other.actor('management')), [endpointId])).toEqual([null]);
  });

  test('looks at no more than the tries of the newest deliveries, however many there are', async () => {
    const made = `(lpad(to_hex($1::bigint + n), 12, '0') || '7000' || '8' || substr(md5(n::text || $2), 1, 15))::uuid`;
    const rows = [midMonth(0).getTime(), toUuid(account.accountId), toUuid(endpointId)];
    await on.sql(
      `insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event, status, tries, created_at, finished_at)
       select ${made}, $2::uuid, $3::uuid, gen_random_uuid(), 'message.sent', 'delivered', 1, now(), now()
       from generate_series(1, 30000) n`,
      rows,
    );
    await on.sql(
      `insert into webhook_tries (id, account_id, endpoint_id, delivery_id, number, duration_ms, created_at)
       select ${made}, $2::uuid, $3::uuid, ${made}, 1, 10, now() from generate_series(1, 30000) n`,
      rows,
    );
    await on.sql('vacuum analyze webhook_deliveries');
    await on.sql('vacuum analyze webhook_tries');
    const plans = await explainVerb(on, account.actor('management'), ctx => p95OfEndpoints(ctx, [endpointId]));
    expect(plans).toHaveLength(2);
    const scans = plans.flatMap(nodesOf).filter(node => node['Relation Name'] && node['Actual Rows'] > 0);
    expect(new Set(scans.map(node => node['Node Type']))).toEqual(new Set(['Index Scan']));
    expect(scans.map(node => node['Actual Rows'] * node['Actual Loops'])).toEqual([
      COUNTED_DELIVERIES,
      COUNTED_DELIVERIES,
    ]);
  });
});

describe('what waits for endpoints', () => {
  const pending = { status: 'pending', finishedAt: null, nextTryAt: new Date() } as const;
  const keep = (to: string, given: Parameters<typeof makeDelivery>[1], count: number) =>
    on.database
      .fork()
      .persist(
        Array.from({ length: count }, () => makeDelivery({ accountId: account.accountId, endpointId: to }, given)),
      )
      .flush();

  test('is counted, each endpoint by itself, and not for another account', async () => {
    const { endpointId: idle } = await makeEndpoint(on, account.accountId);
    await keep(endpointId, pending, 3);
    await keep(endpointId, {}, 2);
    await keep(idle, {}, 1);
    expect(await waitingOfEndpoints(ctx, [idle, endpointId])).toEqual([0, 3]);
    expect(await waitingOfEndpoints(on.ctxFor(other.actor('management')), [endpointId])).toEqual([0]);
  });

  test('is counted up to a bound, however much it is', async () => {
    await keep(endpointId, pending, WAITING_MAX + 5);
    expect(await waitingOfEndpoints(ctx, [endpointId])).toEqual([WAITING_MAX]);
  });
});
