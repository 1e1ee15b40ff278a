import { beforeEach, describe, expect, test } from 'vitest';
import { runSql } from '../../../../src/db/statements/sql.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { findDueEndpoints } from '../../../../src/modules/webhooks/deliveries/take-endpoints.ts';
import { openSecrets } from '../../../../src/modules/webhooks/endpoints/endpoint-secrets.ts';
import {
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
} from '../../../../src/modules/webhooks/endpoints/manage-endpoints.ts';
import { CHANGED } from '../../../../src/modules/webhooks/events/announce-webhooks.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { refusal } from '../../../support/refusal.ts';
import { HOSTILE, SECRET, setUpManaging, URL_ONE } from '../../../support/webhooks/endpoint-fixture.ts';
import { makeEndpoint, queueDeliveries, storedDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const { account, create, manage, on, other, set, stored, wokenBy } = setUpManaging();

describe('creating an endpoint', () => {
  test('answers it and its secret', async () => {
    const { endpoint, secret } = await create({ events: ['otp.sent', 'message.sent'], description: ' Orders ' });
    expect(secret).toMatch(SECRET);
    expect(endpoint).toMatchObject({
      id: expect.stringMatching(/^whk_/),
      accountId: account.accountId,
      url: URL_ONE,
      events: ['otp.sent', 'message.sent'],
      description: 'Orders',
      status: 'enabled',
    });
  });

  test('keeps a secret that opens to the one that was answered', async () => {
    const { endpoint, secret } = await create();
    const row = await getWebhookEndpoint(manage(), endpoint.id);
    expect(openSecrets(on.services.keys, row)).toEqual({ current: secret, previous: null });
  });

  test('keeps no secret as it is, before a rotation and after', async () => {
    const { endpoint } = await create();
    await rotateWebhookSecret(manage(), endpoint.id);
    const rows = await on.sql<{ text: string }>('select e::text as text from webhook_endpoints e');
    expect(rows.filter(({ text }) => text.includes('whsec_'))).toEqual([]);
  });

  test.each([
    ['a host in upper case', 'HTTPS://8.8.8.8/Hooks', 'https://8.8.8.8/Hooks'],
    ['no path', 'https://8.8.8.8', 'https://8.8.8.8/'],
    ['the port of the scheme', 'https://8.8.8.8:443/a', 'https://8.8.8.8/a'],
    ['dots in the path', 'https://8.8.8.8/a/../b', 'https://8.8.8.8/b'],
    ['spaces around it', ' https://8.8.8.8/a\n', 'https://8.8.8.8/a'],
    ['a query', 'https://8.8.8.8/?key=a b', 'https://8.8.8.8/?key=a%20b'],
  ])('keeps the URL as it is read: %s', async (_what, url, kept) => {
    expect((await create({ url })).endpoint.url).toBe(kept);
  });

  test.each(HOSTILE)('refuses the URL %s', async url => {
    await expect(create({ url })).rejects.toEqual(refusal('invalid_input', 'url'));
  });

  test('lets an empty description be none', async () => {
    expect((await create({ description: '  ' })).endpoint.description).toBeNull();
  });

  test('takes 50 of an account, however many are asked for at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 60 }, () => create()));
    const refused = results.filter(result => result.status === 'rejected');
    expect(refused.map(result => result.reason)).toEqual(
      Array.from({ length: 10 }, () =>
        expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining('50 webhook endpoints') }),
      ),
    );
    const [{ count } = { count: 0 }] = await on.sql<{ count: number }>(
      'select count(*)::int as count from webhook_endpoints where account_id = $1',
      [toUuid(account.accountId)],
    );
    expect(count).toBe(50);
  });

  test('takes another one once one of 50 is deleted', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => create()));
    await deleteWebhookEndpoint(manage(), made[0]?.endpoint.id ?? '');
    await expect(create()).resolves.toBeDefined();
  });
});

describe('listing endpoints', () => {
  async function pages(count: number): Promise<{ ids: string[]; sizes: number[]; totals: number[] }> {
    const made = [];
    for (let index = 0; index < count; index += 1) made.push(await makeEndpoint(on, account.accountId));
    const found = [];
    for (let page = 1; page <= 4; page += 1) found.push(await listWebhookEndpoints(manage(), page));
    const ids = found.flatMap(({ rows }) => rows.map(({ id }) => id));
    expect(ids).toEqual(
      made
        .map(({ endpointId }) => endpointId)
        .sort()
        .reverse(),
    );
    return { ids, sizes: found.map(({ rows }) => rows.length), totals: [...new Set(found.map(({ total }) => total))] };
  }

  test.each([
    [0, [0, 0, 0, 0]],
    [20, [20, 0, 0, 0]],
    [21, [20, 1, 0, 0]],
    [41, [20, 20, 1, 0]],
  ])('%i of them stand newest first, 20 a page', async (count, sizes) => {
    expect(await pages(count)).toMatchObject({ sizes, totals: [count] });
  });

  test('tells the page and its size', async () => {
    expect(await listWebhookEndpoints(manage(), 3)).toEqual({ rows: [], page: 3, pageSize: 20, total: 0 });
  });

  test('a page far beyond the last one is empty', async () => {
    expect((await listWebhookEndpoints(manage(), 2_147_483_647)).rows).toEqual([]);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('refuses page %d', async page => {
    await expect(listWebhookEndpoints(manage(), page)).rejects.toEqual(refusal('invalid_input', 'page'));
  });

  test("holds nothing of another account's", async () => {
    await makeEndpoint(on, other.accountId);
    expect((await listWebhookEndpoints(manage(), 1)).total).toBe(0);
  });

  test('works with a secret whose key is lost', async () => {
    const { endpointId } = await makeEndpoint(on, account.accountId);
    await set(endpointId, `secret_key_id = '00000000'`);
    expect((await listWebhookEndpoints(manage(), 1)).rows.map(({ id }) => id)).toEqual([endpointId]);
  });
});

describe('deleting an endpoint', () => {
  let endpointId: string;
  beforeEach(async () => {
    ({ endpointId } = await makeEndpoint(on, account.accountId));
  });

  test('takes the row away, and answers it as it was', async () => {
    expect(await deleteWebhookEndpoint(manage(), endpointId)).toMatchObject({ id: endpointId, status: 'enabled' });
    expect(await stored(endpointId)).toBeUndefined();
  });

  test('lets the next look of a worker give up what was pending for it, and nothing else', async () => {
    const [done = ''] = await queueDeliveries(on, account.accountId, endpointId, 2);
    await on.sql(`update webhook_deliveries set status = 'delivered', next_try_at = null where id = $1`, [
      toUuid(done),
    ]);
    const neighbour = await makeEndpoint(on, account.accountId);
    await queueDeliveries(on, account.accountId, neighbour.endpointId, 1);
    await deleteWebhookEndpoint(manage(), endpointId);
    await findDueEndpoints(on.database.sql(), null);
    const deliveries = await storedDeliveries(on, endpointId);
    const byStatus = deliveries.toSorted((a, b) => a.status.localeCompare(b.status));
    expect(byStatus.map(({ status, error, next_in }) => ({ status, error, next_in }))).toEqual([
      { status: 'dead', error: 'endpoint_deleted', next_in: null },
      { status: 'delivered', error: null, next_in: null },
    ]);
    expect((await storedDeliveries(on, neighbour.endpointId)).map(({ status }) => status)).toEqual(['pending']);
  });

  test('twice is not found', async () => {
    await deleteWebhookEndpoint(manage(), endpointId);
    await expect(deleteWebhookEndpoint(manage(), endpointId)).rejects.toEqual(refusal('not_found'));
  });

  test('wakes its worker', async () => {
    expect(await wokenBy(() => deleteWebhookEndpoint(manage(), endpointId))).toEqual([CHANGED + toUuid(endpointId)]);
  });
});

// Two connections are needed.
describePostgres('deleting an endpoint while a worker settles a delivery to it', () => {
  test('does not wait for it', async () => {
    const { endpointId } = await makeEndpoint(on, account.accountId);
    const [settling = ''] = await queueDeliveries(on, account.accountId, endpointId, 2);
    await on.database.fork().transactional(async em => {
      await runSql(em.getKysely(), 'select from webhook_deliveries where id = $1 for update', [toUuid(settling)]);
      await deleteWebhookEndpoint(manage(), endpointId);
    });
    expect(await stored(endpointId)).toBeUndefined();
  });
});
