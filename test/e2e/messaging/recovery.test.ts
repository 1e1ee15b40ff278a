import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { LEASES_END } from '../../support/messaging/leases-end.ts';
import { makeAccount } from '../../support/processes/accounts.ts';
import { ask, type Demo, type Gateway, seedDemo, send, startGateway, until } from '../../support/processes/gateway.ts';

/** The sandbox takes this one's messages after two seconds: time to die in. */
const SLOW = '+12025550107';

/** The promise, counted from the restart (contract §4). */
const RECOVERED_MS = 35_000;

/** The requests that a process dies over, by reference, each with two channels or one. */
const REQUESTS = {
  fallback: { to: SLOW, reference: 'fallback', channels: ['chat_qr', 'sms'], chatFrom: '15550000001' },
  all: { to: SLOW, reference: 'all', channels: ['chat_qr', 'sms'], chatFrom: '15550000001', deliveryMode: 'all' },
  single: { to: SLOW, reference: 'single' },
};

interface Recovered {
  readonly status: string;
  readonly channel: string | null;
  readonly reference: string;
  readonly attempts: readonly { channel: string; status: string; errorCode: string | null }[];
}

async function listMessages(gateway: Gateway, token: string): Promise<Recovered[]> {
  const query = '{ messages { nodes { status channel reference attempts { channel status errorCode } } } }';
  const { messages } = await ask<{ messages: { nodes: Recovered[] } }>(gateway, token, query);
  return messages.nodes;
}

/** Sends all of them, and kills the gateway while their providers are called. */
async function dieOverThem(gateway: Gateway, token: string): Promise<void> {
  const calls = Object.values(REQUESTS).map(request => send(gateway, token, request).catch(() => 'cut off'));
  await until('every provider is being called', async () => {
    const messages = await listMessages(gateway, token);
    return messages.length === calls.length ? true : null;
  });
  gateway.kill('SIGKILL');
  await gateway.exited;
  expect(await Promise.all(calls)).toEqual(calls.map(() => 'cut off'));
}

/** Every message is in a definite state: what was under way is unknown and not repeated, and the fallback went on. */
async function expectRecovered(gateway: Gateway, token: string): Promise<void> {
  const found = await until(
    'every message has a definite status',
    async () => {
      const messages = await listMessages(gateway, token);
      return messages.some(({ status }) => status === 'PENDING') ? null : messages;
    },
    RECOVERED_MS,
  );
  const interrupted = (channel: string) => ({ channel, status: 'UNKNOWN', errorCode: 'interrupted' });
  const taken = expect.stringMatching(/^(SENT|DELIVERED)$/);
  expect(found.toSorted((a, b) => a.reference.localeCompare(b.reference))).toEqual([
    { reference: 'all', status: 'UNKNOWN', channel: null, attempts: [interrupted('CHAT_QR'), interrupted('SMS')] },
    {
      reference: 'fallback',
      status: taken,
      channel: 'SMS',
      attempts: [interrupted('CHAT_QR'), { channel: 'SMS', status: taken, errorCode: null }],
    },
    { reference: 'single', status: 'UNKNOWN', channel: null, attempts: [interrupted('SMS')] },
  ]);
  const query = '{ sandboxMessages(to: "+12025550107") { channel } }';
  expect(await ask(gateway, token, query)).toEqual({ sandboxMessages: [{ channel: 'SMS' }] });
  for (const [reference, status] of [
    ['all', 'unknown'],
    ['fallback', 'sent'],
    ['single', 'unknown'],
  ] as const) {
    const replay = await send(gateway, token, REQUESTS[reference]);
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(replay.body.data).toMatchObject({ reference, status });
  }
  expect(await listMessages(gateway, token)).toHaveLength(3);
}

async function end(gateway: Gateway): Promise<void> {
  gateway.kill('SIGTERM');
  await gateway.exited;
}

describePostgres('after kill -9 during provider calls, on PostgreSQL', () => {
  let database: TestDatabase;
  let url: string;

  beforeEach(async () => {
    database = await createDatabase();
    if (database.kind === 'postgres') url = database.url;
  });

  afterEach(async () => {
    await database.drop();
  });

  async function startAndSeed(): Promise<{ gateway: Gateway; demo: Demo }> {
    const gateway = await startGateway({ databaseUrl: url });
    return { gateway, demo: await seedDemo(gateway) };
  }

  test('the next start takes up what was left, within 35 seconds', async () => {
    const { gateway, demo } = await startAndSeed();
    await dieOverThem(gateway, demo.tokens.unified);
    const next = await startGateway({ databaseUrl: url });
    await expectRecovered(next, demo.tokens.unified);
    await end(next);
  });

  test('what a living process works on is left alone, and a repeat is told to wait; when it dies another that goes on takes it up', async () => {
    const [{ gateway, demo }, other] = await Promise.all([startAndSeed(), startGateway({ databaseUrl: url })]);
    const { token } = await makeAccount(gateway);
    const request = { ...REQUESTS.single, sender: 'ACME' };
    const call = send(gateway, token, request);
    await until('the message is pending', async () => ((await listMessages(other, token)).length === 1 ? true : null));
    const repeat = await send(other, token, request);
    expect([repeat.status, repeat.body.code, repeat.headers.get('retry-after')]).toEqual([
      409,
      'reference_in_flight',
      '1',
    ]);
    expect((await call).body.data).toMatchObject({ status: 'sent' });
    await dieOverThem(gateway, demo.tokens.unified);
    await runSql(url, LEASES_END);
    await expectRecovered(other, demo.tokens.unified);
    await end(other);
  });
});

describe('after kill -9 during provider calls, on the embedded database', () => {
  test('the next start takes up what was left', async () => {
    const gateway = await startGateway();
    const token = gateway.demo?.tokens.unified ?? '';
    await dieOverThem(gateway, token);
    const pglite = await PGlite.create({ dataDir: join(gateway.dataDir, 'database') });
    await pglite.exec(LEASES_END);
    await pglite.close();
    const next = await startGateway({ dataDir: gateway.dataDir });
    await expectRecovered(next, token);
    await end(next);
  });
});
