import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Actor, Ctx } from '../../src/context.ts';
import { runSql } from '../../src/db/sql.ts';
import { newId, toUuid } from '../../src/kernel/ids.ts';
import { createKeyRing } from '../../src/kernel/key-ring.ts';
import { CHANGED, RENEWED, WEBHOOK_CHANNEL } from '../../src/modules/webhooks/announce-webhooks.ts';
import { createEndpointInput, updateEndpointInput } from '../../src/modules/webhooks/endpoint.input.ts';
import { openSecrets } from '../../src/modules/webhooks/endpoint-secrets.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  enableWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../src/modules/webhooks/manage-endpoints.ts';
import { findDueEndpoints } from '../../src/modules/webhooks/take-endpoints.ts';
import type { WebhookEndpoint } from '../../src/modules/webhooks/webhook-endpoint.entity.ts';
import { describePostgres } from '../support/database.ts';
import {
  createTestCtx,
  createTestServices,
  makeAccount,
  type TestAccount,
  type TestServices,
} from '../support/services.ts';
import { makeEndpoint, queueDeliveries, storedDeliveries } from '../support/webhooks.ts';

const URL_ONE = 'https://8.8.8.8/hooks';
const URL_TWO = 'https://8.8.4.4/hooks';
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

/** Addresses that a customer must not reach through the gateway. The tests themselves may reach this machine. */
const HOSTILE = [
  'http://10.0.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://100.100.100.200/',
  'http://0/',
  'http://2852039166/',
  'https://[fd00:ec2::254]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[fe80::1]/',
  'ftp://8.8.8.8/',
  'file:///etc/passwd',
  'gopher://8.8.8.8/',
  'javascript:alert(1)',
  'https://user:word@8.8.8.8/',
  'https://8.8.8.8:25/',
  'https://8.8.8.8:5432/',
];

let on: TestServices;
let account: TestAccount;
let other: TestAccount;

beforeAll(async () => {
  on = await createTestServices();
  other = await makeAccount(on.services);
});
beforeEach(async () => {
  account = await makeAccount(on.services);
});
afterAll(() => on.close());

function manage(of: TestAccount = account): Ctx {
  return on.ctxFor(of.actor('management'));
}

function create(input: object = {}, ctx = manage()) {
  return createWebhookEndpoint(ctx, createEndpointInput.parse({ url: URL_ONE, events: ['message.sent'], ...input }));
}

function update(endpointId: string, input: object, ctx = manage()): Promise<WebhookEndpoint> {
  return updateWebhookEndpoint(ctx, updateEndpointInput.parse({ endpointId, ...input }));
}

interface StoredEndpoint {
  readonly [column: string]: unknown;
}

async function stored(endpointId: string): Promise<StoredEndpoint | undefined> {
  const [row] = await on.sql<StoredEndpoint>('select * from webhook_endpoints where id = $1', [toUuid(endpointId)]);
  return row;
}

/** Writes what a worker would have written. */
async function set(endpointId: string, columns: string): Promise<void> {
  await on.sql(`update webhook_endpoints set ${columns} where id = $1`, [toUuid(endpointId)]);
}

const FAILING = `failing_since = now() - interval '1 hour', failures = 12, circuit_open_until = now() + interval '20 seconds'`;
const DISABLED = `status = 'disabled', disabled_reason = 'failing', disabled_at = now(), ${FAILING}`;
const CLEAN = { failing_since: null, failures: 0, circuit_open_until: null };

/** The endpoints that workers were woken for while something ran. */
async function wokenBy(run: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  const END = 'the end';
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = await on.database.listen(
    WEBHOOK_CHANNEL,
    payload => (payload === END ? resolve() : void heard.push(payload)),
    () => undefined,
  );
  await run();
  // Notifications come in the order of their commits.
  await on.sql('select pg_notify($1, $2)', [WEBHOOK_CHANNEL, END]);
  await promise;
  await stop();
  return heard;
}

const refusal = (code: string, field?: string) =>
  expect.objectContaining({ code, ...(field && { details: { errors: [{ field, message: expect.any(String) }] } }) });

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

describe('the input of an endpoint', () => {
  const faults = (input: object): unknown =>
    createEndpointInput
      .safeParse({ url: URL_ONE, events: ['message.sent'], ...input })
      .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const longUrl = (length: number): string => URL_ONE.padEnd(length, 'a');

  test.each([
    ['no URL', { url: 'example.com/hooks' }, /^url: must be a URL, like/],
    ['an empty URL', { url: '' }, /^url: must be a URL, like/],
    ['a fragment', { url: `${URL_ONE}#a` }, /^url: must have no fragment/],
    ['an empty fragment', { url: `${URL_ONE}#` }, /^url: must have no fragment/],
    ['a URL that is too long', { url: longUrl(2_049) }, /^url: must have at most 2048 characters/],
    [
      'one that grows too long',
      { url: `${longUrl(2_000)}${'é'.repeat(20)}` },
      /^url: must have at most 2048 characters/,
    ],
    ['no event', { events: [] }, /^events: must name at least one event/],
    ['an event twice', { events: ['otp.sent', 'otp.sent'] }, /^events: must name each event once/],
    ['an unknown event', { events: ['otp.lost'] }, /^events\.0: must be one of message\.sent, /],
    ['a long description', { description: 'a'.repeat(501) }, /^description: must have at most 500 characters/],
    ['a NUL', { description: 'a\u0000' }, /^description: holds a character that cannot be stored/],
    ['a member too many', { secret: 'whsec_' }, /Unrecognized key/],
  ])('refuses %s', (_what, input, fault) => {
    expect(faults(input)).toEqual([expect.stringMatching(fault)]);
  });

  test.each([
    ['a URL of 2,048 characters', { url: longUrl(2_048) }],
    ['a description of 500 characters', { description: 'a'.repeat(500) }],
    ['an escaped # in the path', { url: `${URL_ONE}/%23a` }],
  ])('takes %s', (_what, input) => {
    expect(faults(input)).toBeUndefined();
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

describe('changing an endpoint', () => {
  let endpointId: string;
  beforeEach(async () => {
    ({ endpointId } = await makeEndpoint(on, account.accountId, { url: URL_ONE, events: ['message.sent'] }));
    await set(endpointId, `description = 'Orders', updated_at = now() - interval '1 day'`);
  });

  test('leaves what is not given', async () => {
    const { secret, ...before } = (await stored(endpointId)) ?? {};
    await update(endpointId, { events: ['otp.sent', 'otp.failed'] });
    expect(await stored(endpointId)).toEqual({
      ...before,
      secret,
      events: ['otp.sent', 'otp.failed'],
      updated_at: expect.anything(),
    });
  });

  test('leaves URL, events and pause where they are null, and takes the description away', async () => {
    const changed = await update(endpointId, { url: null, events: null, description: null, paused: null });
    expect(changed).toMatchObject({ url: URL_ONE, events: ['message.sent'], description: null, status: 'enabled' });
  });

  test('tells when', async () => {
    on.clock.set(new Date());
    expect((await update(endpointId, { description: 'New' })).updatedAt).toEqual(on.clock.now());
  });

  test('a new URL starts without the failures of the old one', async () => {
    await set(endpointId, FAILING);
    await update(endpointId, { url: URL_TWO });
    expect(await stored(endpointId)).toMatchObject({ url: URL_TWO, ...CLEAN });
  });

  test('the same URL keeps its failures', async () => {
    await set(endpointId, FAILING);
    await update(endpointId, { url: URL_ONE });
    expect(await stored(endpointId)).toMatchObject({ failures: 12, circuit_open_until: expect.anything() });
  });

  test('does not enable one that is disabled by a new URL', async () => {
    await set(endpointId, DISABLED);
    expect(await update(endpointId, { url: URL_TWO })).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
  });

  test.each(HOSTILE)('refuses the URL %s, and changes nothing', async url => {
    await expect(update(endpointId, { url, description: 'New' })).rejects.toEqual(refusal('invalid_input', 'url'));
    expect(await stored(endpointId)).toMatchObject({ url: URL_ONE, description: 'Orders' });
  });

  test('pauses and resumes', async () => {
    expect((await update(endpointId, { paused: true })).status).toBe('paused');
    expect((await update(endpointId, { paused: true })).status).toBe('paused');
    expect((await update(endpointId, { paused: false })).status).toBe('enabled');
  });

  test.each([true, false])('refuses paused: %j of one that is disabled, and changes nothing', async paused => {
    await set(endpointId, DISABLED);
    const before = await stored(endpointId);
    await expect(update(endpointId, { description: 'New', paused })).rejects.toEqual(
      refusal('invalid_input', 'paused'),
    );
    expect(await stored(endpointId)).toEqual(before);
  });

  test('leaves pending deliveries to wait', async () => {
    await queueDeliveries(on, account.accountId, endpointId, 2);
    await update(endpointId, { paused: true });
    expect((await storedDeliveries(on, endpointId)).map(({ status }) => status)).toEqual(['pending', 'pending']);
  });

  test('wakes its worker, in the transaction', async () => {
    expect(await wokenBy(() => update(endpointId, { paused: true }))).toEqual([CHANGED + toUuid(endpointId)]);
    expect(await wokenBy(() => update(endpointId, { url: 'http://10.0.0.1/' }).catch(() => undefined))).toEqual([]);
  });

  test('keeps what a worker wrote since this request read it', async () => {
    const ctx = manage();
    await getWebhookEndpoint(ctx, endpointId);
    await set(endpointId, DISABLED);
    await expect(update(endpointId, { paused: true }, ctx)).rejects.toEqual(refusal('invalid_input', 'paused'));
  });
});

describe('enabling an endpoint', () => {
  let endpointId: string;
  beforeEach(async () => {
    ({ endpointId } = await makeEndpoint(on, account.accountId));
  });

  test('gives one that was disabled a clean slate', async () => {
    await set(endpointId, DISABLED);
    await enableWebhookEndpoint(manage(), endpointId);
    const clean = { ...CLEAN, status: 'enabled', disabled_reason: null, disabled_at: null };
    expect(await stored(endpointId)).toMatchObject(clean);
  });

  test('resumes one that is paused', async () => {
    await set(endpointId, `status = 'paused'`);
    expect((await enableWebhookEndpoint(manage(), endpointId)).status).toBe('enabled');
  });

  test('keeps the failures of one that is enabled', async () => {
    await set(endpointId, FAILING);
    await enableWebhookEndpoint(manage(), endpointId);
    expect(await stored(endpointId)).toMatchObject({ failures: 12 });
  });

  test('wakes its worker', async () => {
    await set(endpointId, DISABLED);
    expect(await wokenBy(() => enableWebhookEndpoint(manage(), endpointId))).toEqual([RENEWED + toUuid(endpointId)]);
  });
});

describe('rotating a secret', () => {
  const secretsOf = async (endpointId: string) =>
    openSecrets(on.services.keys, await getWebhookEndpoint(manage(), endpointId));

  test('answers a new one, and the one before signs too', async () => {
    const first = await create();
    const { secret } = await rotateWebhookSecret(manage(), first.endpoint.id);
    expect(secret).toMatch(SECRET);
    expect(await secretsOf(first.endpoint.id)).toEqual({ current: secret, previous: first.secret });
  });

  test("lets the one before sign for 24 hours by the database's clock", async () => {
    const { endpoint } = await create();
    // This clock is a year behind: it decides nothing.
    on.clock.set(new Date(Date.now() - 365 * 86_400_000));
    await rotateWebhookSecret(manage(), endpoint.id);
    on.clock.set(new Date());
    const [row] = await on.sql<{ seconds: number }>(
      `select extract(epoch from previous_secret_until - clock_timestamp())::float8 as seconds from webhook_endpoints where id = $1`,
      [toUuid(endpoint.id)],
    );
    expect(row?.seconds).toBeGreaterThan(86_390);
    expect(row?.seconds).toBeLessThanOrEqual(86_400);
  });

  test('keeps only the latest of those before', async () => {
    const { endpoint } = await create();
    const second = await rotateWebhookSecret(manage(), endpoint.id);
    const third = await rotateWebhookSecret(manage(), endpoint.id);
    expect(await secretsOf(endpoint.id)).toEqual({ current: third.secret, previous: second.secret });
  });

  test('gives each of two rotations at once a secret of its own, the second over the first', async () => {
    const { endpoint } = await create();
    const both = await Promise.all([1, 2].map(() => rotateWebhookSecret(manage(), endpoint.id)));
    const kept = await secretsOf(endpoint.id);
    expect([kept?.current, kept?.previous].sort()).toEqual(both.map(({ secret }) => secret).sort());
  });

  test('mends a secret whose key is lost', async () => {
    const { endpoint } = await create();
    const ctx = createTestCtx(
      { ...on.services, keys: createKeyRing(Buffer.alloc(32, 9), []) },
      account.actor('management'),
    );
    const { secret } = await rotateWebhookSecret(ctx, endpoint.id);
    const row = await getWebhookEndpoint(manage(), endpoint.id);
    expect(openSecrets(ctx.services.keys, row)).toEqual({ current: secret, previous: null });
    expect(row.previousSecretUntil ?? null).toBeNull();
  });
});

describe('the secrets of an endpoint', () => {
  const former = Buffer.alloc(32, 7);

  test('open under a former secret key', async () => {
    const { endpoint, secret } = await create();
    const ring = createKeyRing(Buffer.alloc(32, 8), [former]);
    expect(openSecrets(ring, endpoint)).toEqual({ current: secret, previous: null });
  });

  test('do not open in the row of another endpoint', async () => {
    const [one, two] = [await create(), await create()];
    await set(
      two.endpoint.id,
      `secret = (select secret from webhook_endpoints where id = '${toUuid(one.endpoint.id)}')`,
    );
    expect(openSecrets(on.services.keys, await getWebhookEndpoint(manage(), two.endpoint.id))).toBeNull();
  });

  test('sign with the current one alone where the key of the one before is lost', async () => {
    const { endpoint } = await create();
    const { secret } = await rotateWebhookSecret(manage(), endpoint.id);
    await set(endpoint.id, `previous_secret_key_id = '00000000'`);
    const row = await getWebhookEndpoint(manage(), endpoint.id);
    expect(openSecrets(on.services.keys, row)).toEqual({ current: secret, previous: null });
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
    expect(deliveries.map(({ status, error, next_in }) => ({ status, error, next_in }))).toEqual([
      { status: 'delivered', error: null, next_in: null },
      { status: 'dead', error: 'endpoint_deleted', next_in: null },
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

/** Every verb, on an endpoint of this id where it takes one. */
const VERBS: Record<string, (ctx: Ctx, endpointId: string) => Promise<unknown>> = {
  listWebhookEndpoints: ctx => listWebhookEndpoints(ctx, 1),
  createWebhookEndpoint: ctx => create({}, ctx),
  getWebhookEndpoint,
  updateWebhookEndpoint: (ctx, id) => update(id, { description: 'New' }, ctx),
  enableWebhookEndpoint,
  rotateWebhookSecret,
  deleteWebhookEndpoint,
};

describe.each(Object.entries(VERBS))('%s', (_name, verb) => {
  async function hear(actor: Actor): Promise<unknown> {
    const { endpointId } = await makeEndpoint(on, account.accountId);
    return verb(on.ctxFor(actor), endpointId).then(
      () => 'ok',
      error => error.code,
    );
  }

  test('is open to management tokens and to operators who act for the account', async () => {
    const areas = ['unified', 'sms', 'otp', 'management'] as const;
    const heard = [];
    for (const area of areas) heard.push(await hear(account.actor(area)));
    heard.push(
      await hear(account.operator),
      await hear({ kind: 'operator', account: null }),
      await hear({ kind: 'anonymous' }),
    );
    expect(heard).toEqual(['wrong_area', 'wrong_area', 'wrong_area', 'ok', 'ok', 'invalid_input', 'unauthenticated']);
  });

  test.each([
    [{ unifiedApi: false }, 'unified_api_disabled'],
    [{ planExpiresAt: new Date(Date.now() - 1_000) }, 'plan_expired'],
  ])('is closed to an account with %j, and to operators who act for it', async (seed, code) => {
    account = await makeAccount(on.services, seed);
    expect([await hear(account.actor('management')), await hear(account.operator)]).toEqual([code, code]);
  });
});

describe.each(Object.entries(VERBS).filter(([name]) => !/^(list|create)/.test(name)))('%s', (_name, verb) => {
  test("takes another account's endpoint for one that does not exist, and leaves it", async () => {
    const foreign = await makeEndpoint(on, other.accountId);
    const before = await stored(foreign.endpointId);
    const ids = [foreign.endpointId, newId('whk'), newId('dlv'), 'whk_', '', "whk_'; --", 'whk_\u0000'];
    const heard = await Promise.all(
      ids.map(id => verb(manage(), id).catch(error => `${error.code}: ${error.message}`)),
    );
    expect(heard).toEqual(ids.map(() => 'not_found: There is no such webhook endpoint.'));
    expect(await stored(foreign.endpointId)).toEqual(before);
  });
});
