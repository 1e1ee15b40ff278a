import { execFileSync } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createOutbound } from '../../src/channels/http/outbound.ts';
import { runSql } from '../../src/db/sql.ts';
import { toUuid } from '../../src/kernel/ids.ts';
import { createKeyRing } from '../../src/kernel/key-ring.ts';
import { verifyWebhook } from '../../src/kernel/webhook-signature.ts';
import { CHANGED, wakeEndpoint } from '../../src/modules/webhooks/announce-webhooks.ts';
import { openSecrets } from '../../src/modules/webhooks/endpoint-secrets.ts';
import { RETRY_DELAYS_SECONDS } from '../../src/modules/webhooks/retry.policy.ts';
import { WebhookEndpoint } from '../../src/modules/webhooks/webhook-endpoint.entity.ts';
import { startWebhooks, type Webhooks } from '../../src/worker/webhooks.ts';
import { describePostgres } from '../support/database.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import {
  createTestCtx,
  createTestServices,
  LOCAL_NETWORKS,
  makeAccount,
  OPERATOR,
  openTestDatabase,
  type TestAccount,
  type TestServices,
} from '../support/services.ts';
import {
  followTries,
  makeEndpoint,
  passTheWait,
  queueDeliveries,
  storedDeliveries,
  type TestEndpoint,
  wake,
} from '../support/webhooks.ts';

let t: TestServices;
let account: TestAccount;
let receiver: Receiver;
let webhooks: Webhooks;
let tries: Awaited<ReturnType<typeof followTries>>;

beforeAll(async () => {
  t = await createTestServices();
});
afterAll(() => t.close());

beforeEach(async () => {
  t.clock.set(new Date());
  account = await makeAccount(t.services);
  receiver = await startReceiver();
  tries = await followTries(t);
  webhooks = await startWebhooks(t.ctxFor(OPERATOR));
});
afterEach(async () => {
  // Answers first: a stop waits for what is under way.
  await receiver.close();
  await webhooks.stop();
  await tries.stop();
  // What waits for its next try would be tried, and counted, in a later test.
  await t.sql(`update webhook_deliveries set status = 'dead', next_try_at = null where status = 'pending'`);
});

const endpointOf = (seed: Parameters<typeof makeEndpoint>[2] = {}): Promise<TestEndpoint> =>
  makeEndpoint(t, account.accountId, { url: receiver.url, ...seed });
const queue = (endpointId: string, count = 1) => queueDeliveries(t, account.accountId, endpointId, count);

async function rowOf(endpointId: string): Promise<Record<string, unknown>> {
  const [row] = await t.sql<Record<string, unknown>>(
    `select *, extract(epoch from circuit_open_until - clock_timestamp())::float8 as open_for
     from webhook_endpoints where id = $1`,
    [toUuid(endpointId)],
  );
  return row ?? {};
}

describe('a delivery', () => {
  test('arrives signed, and is acknowledged by 2xx', async () => {
    receiver.answer = (_request, response) => response.writeHead(204).end();
    const { endpointId, secret } = await endpointOf();
    const [deliveryId] = await queue(endpointId);
    await tries.reached(1);
    const [request] = receiver.received;
    const event = verifyWebhook(request?.headers ?? {}, request?.body ?? '', secret);
    expect(event).toMatchObject({ event: 'message.sent', accountId: account.accountId, data: { messageId: 'msg_1' } });
    expect(request?.headers).toMatchObject({
      'x-service-event': 'message.sent',
      'x-service-delivery': deliveryId,
      'content-type': 'application/json',
    });
    expect(await storedDeliveries(t, endpointId)).toMatchObject([
      { status: 'delivered', tries: 1, http_status: 204, error: null, next_in: null },
    ]);
  });

  test('verifies with the library of Standard Webhooks, and with openssl', async () => {
    const { endpointId, secret } = await endpointOf();
    await queue(endpointId);
    await receiver.hasReceived(1);
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    const standard = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(new Webhook(secret).verify(body, standard)).toMatchObject({ event: 'message.sent' });
    const signed = `${standard['x-service-delivery']}.${standard['x-service-timestamp']}.${body}`;
    const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], {
      input: signed,
      encoding: 'utf8',
    });
    expect(standard['x-service-signature']).toBe(`sha256=${printed.split(' ')[0]}`);
  });

  test('leaves a row for its try, with the first KiB of the answer', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end('no\u0000 '.repeat(1_000));
    const { endpointId } = await endpointOf();
    const [deliveryId = ''] = await queue(endpointId);
    await tries.reached(1);
    const [row] = await t.sql<Record<string, unknown>>('select * from webhook_tries where delivery_id = $1', [
      toUuid(deliveryId),
    ]);
    expect(row).toMatchObject({ number: 1, http_status: 500, error: 'bad_status' });
    expect(String(row?.response).length).toBeLessThanOrEqual(1_024);
    expect(Number(row?.duration_ms)).toBeGreaterThanOrEqual(0);
  });

  test('is tried ten times over the schedule, with one id and a new timestamp each, and is then dead', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { endpointId, secret } = await endpointOf();
    const [deliveryId] = await queue(endpointId);
    const start = Date.now();
    for (const [index, delay] of RETRY_DELAYS_SECONDS.entries()) {
      await tries.reached(index + 1);
      const [row] = await storedDeliveries(t, endpointId);
      expect(row?.status).toBe('pending');
      expect(row?.next_in).toBeGreaterThan(delay - 2);
      expect(row?.next_in).toBeLessThanOrEqual(delay * 1.2);
      t.clock.set(new Date(start + (index + 1) * 60_000));
      await passTheWait(t, endpointId);
    }
    await tries.reached(10);
    expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'dead', tries: 10, next_in: null }]);
    await passTheWait(t, endpointId);
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery']))).toEqual(
      new Set([deliveryId]),
    );
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-timestamp'])).size).toBe(10);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    for (const { headers, body } of receiver.received)
      expect(() => verifyWebhook(headers, body, secret, { toleranceSeconds: 3_600 })).not.toThrow();
  });

  test('waits as long as the endpoint asks', async () => {
    receiver.answer = (_request, response) => response.writeHead(503, { 'retry-after': '600' }).end();
    const { endpointId } = await endpointOf();
    await queue(endpointId);
    await tries.reached(1);
    const [row] = await storedDeliveries(t, endpointId);
    expect(row?.next_in).toBeGreaterThan(590);
    expect(row?.next_in).toBeLessThanOrEqual(600);
  });

  test.each([301, 302, 303, 307, 308])('follows no redirect (%i)', async status => {
    const elsewhere = await startReceiver();
    receiver.answer = (_request, response) => response.writeHead(status, { location: elsewhere.url }).end();
    const { endpointId } = await endpointOf();
    await queue(endpointId);
    await tries.reached(1);
    expect(await storedDeliveries(t, endpointId)).toMatchObject([
      { status: 'pending', http_status: status, error: 'redirect' },
    ]);
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  test('is refused where the address is not public', async () => {
    const { endpointId } = await endpointOf({ url: 'http://10.0.0.1/hook' });
    await queue(endpointId);
    await tries.reached(1);
    expect(await storedDeliveries(t, endpointId)).toMatchObject([
      { status: 'pending', http_status: null, error: 'address_refused' },
    ]);
  });

  test('cannot be signed while the key of its secret is lost, and says so', async () => {
    const { endpointId } = await endpointOf();
    await t.sql(`update webhook_endpoints set secret_key_id = '00000000' where id = $1`, [toUuid(endpointId)]);
    await queue(endpointId);
    await tries.reached(1);
    expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'pending', error: 'secret_lost' }]);
    expect(receiver.received).toEqual([]);
  });

  test('is signed with both secrets during a rotation, and with the new one alone after it', async () => {
    const { endpointId, secret } = await endpointOf();
    const other = await endpointOf();
    await t.sql(
      `update webhook_endpoints e set previous_secret = e.secret, previous_secret_key_id = e.secret_key_id,
         previous_secret_until = now() + interval '1 minute' where id = $1`,
      [toUuid(endpointId)],
    );
    await queue(endpointId);
    await tries.reached(1);
    const during = receiver.received[0];
    expect(String(during?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(() => verifyWebhook(during?.headers ?? {}, during?.body ?? '', secret)).not.toThrow();
    await t.sql(`update webhook_endpoints set previous_secret_until = now() - interval '1 s' where id = $1`, [
      toUuid(endpointId),
    ]);
    await queue(endpointId);
    await tries.reached(2);
    const after = receiver.received[1];
    expect(String(after?.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(other.secret).not.toBe(secret);
  });
});

test('a process that ends leaves the tries under way to the next one, uncounted', async () => {
  await webhooks.stop();
  const outbound = createOutbound({ allowedNetworks: LOCAL_NETWORKS });
  webhooks = await startWebhooks(createTestCtx({ ...t.services, outbound }, OPERATOR, t.clock));
  receiver.answer = () => undefined;
  const { endpointId } = await endpointOf();
  await queue(endpointId);
  await receiver.hasReceived(1);
  await outbound.close();
  await webhooks.stop();
  expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'pending', tries: 0, error: null }]);
  receiver.answer = (_request, response) => response.end();
  webhooks = await startWebhooks(t.ctxFor(OPERATOR));
  await tries.reached(1);
  expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'delivered', tries: 1 }]);
});

test('secrets that were sealed under a former secret key are sealed under the current one when a worker starts', async () => {
  const { endpointId, secret } = await endpointOf();
  await t.sql(
    `update webhook_endpoints set previous_secret = secret, previous_secret_key_id = secret_key_id,
       previous_secret_until = now() + interval '1 hour' where id = $1`,
    [toUuid(endpointId)],
  );
  const keys = createKeyRing(Buffer.alloc(32, 8), [Buffer.alloc(32, 7)]);
  const next = await startWebhooks(createTestCtx({ ...t.services, keys }, OPERATOR, t.clock));
  await next.stop();
  const row = await t.database.fork().findOneOrFail(WebhookEndpoint, { id: endpointId });
  expect(openSecrets(createKeyRing(Buffer.alloc(32, 8), []), row)).toEqual({ current: secret, previous: secret });
});

describe('an endpoint', () => {
  test('gets ten at a time', async () => {
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => {
      held.push(() => response.end());
    };
    const { endpointId } = await endpointOf();
    await queue(endpointId, 25);
    await receiver.hasReceived(10);
    for (let done = 0; done < 25; done++) {
      await receiver.hasReceived(Math.min(25, done + 10));
      held[done]?.();
    }
    await tries.reached(25);
    expect(receiver.open.most).toBe(10);
    expect(receiver.received).toHaveLength(25);
  });

  test('that holds one delivery gets the next', async () => {
    let release = (): void => undefined;
    receiver.answer = (_request, response, nth) => {
      if (nth === 1) release = () => response.end();
      else response.end();
    };
    const { endpointId } = await endpointOf();
    await queue(endpointId);
    await receiver.hasReceived(1);
    await queue(endpointId);
    await receiver.hasReceived(2);
    release();
    await tries.reached(2);
  });

  test('whose URL is changed gets what is not under way at the new one', async () => {
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => {
      held.push(() => response.end());
    };
    const elsewhere = await startReceiver();
    const { endpointId } = await endpointOf();
    await queue(endpointId, 40);
    await receiver.hasReceived(10);
    await t.database.fork().transactional(async em => {
      await runSql(em.getKysely(), 'update webhook_endpoints set url = $2 where id = $1', [
        toUuid(endpointId),
        elsewhere.url,
      ]);
      await wakeEndpoint(em.getKysely(), endpointId, CHANGED);
    });
    // What is announced later arrives: so the change was heard.
    const marker = await endpointOf({ url: elsewhere.url });
    await queue(marker.endpointId);
    await elsewhere.hasReceived(1);
    for (const answer of held) answer();
    await tries.reached(41);
    expect(receiver.received).toHaveLength(10);
    expect(elsewhere.received).toHaveLength(31);
    await elsewhere.close();
  });

  test('that is paused gets what waited when it is resumed', async () => {
    const { endpointId } = await endpointOf({ status: 'paused' });
    const [waiting] = await queue(endpointId);
    const marker = await endpointOf();
    await queue(marker.endpointId);
    await tries.reached(1);
    expect(receiver.received[0]?.headers['x-service-delivery']).not.toBe(waiting);
    await t.sql(`update webhook_endpoints set status = 'enabled' where id = $1`, [toUuid(endpointId)]);
    await wake(t, endpointId);
    await tries.reached(2);
    expect(receiver.received[1]?.headers['x-service-delivery']).toBe(waiting);
  });

  test('that answers 410 is disabled, gets nothing more, and what waits is given up', async () => {
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const { endpointId } = await endpointOf();
    await t.sql(`update webhook_endpoints set circuit_open_until = now() where id = $1`, [toUuid(endpointId)]);
    await queue(endpointId, 3);
    await tries.reached(1);
    expect(await rowOf(endpointId)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    const errors = async () =>
      (await storedDeliveries(t, endpointId)).map(({ status, error }) => `${status} ${error}`).toSorted();
    await expect
      .poll(errors, { timeout: 10_000 })
      .toEqual(['dead bad_status', 'dead endpoint_disabled', 'dead endpoint_disabled']);
    await wake(t, endpointId);
    expect(receiver.received).toHaveLength(1);
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
      .poll(async () => (await storedDeliveries(t, endpointId)).map(({ status, error }) => `${status} ${error}`), {
        timeout: 10_000,
      })
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
      .poll(async () => (await storedDeliveries(t, endpointId)).every(({ status }) => status === 'dead'), {
        timeout: 10_000,
      })
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

  test('that a process which stood still may have lost gets no further try of it', async () => {
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => {
      held.push(() => response.end());
    };
    const { endpointId } = await endpointOf();
    await queue(endpointId, 40);
    await receiver.hasReceived(10);
    await t.sql(
      `update webhook_endpoints set lease_by = gen_random_uuid(), lease_until = now() + interval '1 hour' where id = $1`,
      [toUuid(endpointId)],
    );
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 16_000);
    for (const answer of held) answer();
    await tries.reached(10);
    vi.restoreAllMocks();
    expect(receiver.received).toHaveLength(10);
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

  test('that another worker has is left to it, until the lease is over', async () => {
    const { endpointId } = await endpointOf();
    await t.sql(
      `update webhook_endpoints set lease_by = gen_random_uuid(), lease_until = now() + interval '2 s' where id = $1`,
      [toUuid(endpointId)],
    );
    const queuedAtMs = performance.now();
    await queue(endpointId);
    await tries.reached(1);
    expect((receiver.received[0]?.atMs ?? 0) - queuedAtMs).toBeGreaterThan(1_500);
  });

  test('that was deleted leaves nothing pending', async () => {
    const { endpointId } = await endpointOf({ status: 'paused' });
    await queue(endpointId, 2);
    await t.sql('delete from webhook_endpoints where id = $1', [toUuid(endpointId)]);
    await expect
      .poll(async () => (await storedDeliveries(t, endpointId)).map(({ status, error }) => [status, error]), {
        timeout: 10_000,
      })
      .toEqual([
        ['dead', 'endpoint_deleted'],
        ['dead', 'endpoint_deleted'],
      ]);
  });
});

test('an endpoint with a backlog gives its place to one that waits for it', async () => {
  await webhooks.stop();
  webhooks = await startWebhooks(t.ctxFor(OPERATOR), { endpoints: 1, turnMs: 100 });
  // Slow enough that the backlog outlasts a turn and a look.
  receiver.answer = (_request, response) => void setTimeout(() => response.end(), 20);
  const elsewhere = await startReceiver();
  const busy = await endpointOf();
  const other = await endpointOf({ url: elsewhere.url });
  await queue(busy.endpointId, 1_500);
  await receiver.hasReceived(10);
  await queue(other.endpointId);
  await elsewhere.hasReceived(1);
  expect(receiver.received.length).toBeLessThan(1_500);
  await tries.reached(1_501);
  await elsewhere.close();
});

describePostgres('two workers', () => {
  test('deliver everything once, ten at a time in all', async () => {
    const database = await openTestDatabase(t.testDatabase);
    const second = await startWebhooks(createTestCtx({ ...t.services, database }, OPERATOR, t.clock));
    try {
      const { endpointId } = await endpointOf();
      const ids = new Set<string>();
      for (let round = 0; round < 10; round++) for (const id of await queue(endpointId, 50)) ids.add(id);
      await tries.reached(500);
      expect(receiver.received).toHaveLength(500);
      expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery']))).toEqual(ids);
      expect(receiver.open.most).toBeLessThanOrEqual(10);
    } finally {
      await second.stop();
      await database.close();
    }
  });
});
