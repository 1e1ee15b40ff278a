import { describe, expect, test } from 'vitest';
import { openReadiness } from '../../../../src/db/readiness.ts';
import { VERSION } from '../../../../src/kernel/process/version.ts';
import { createTestApp } from '../../../support/app.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

test('/healthz says that the process is alive', async () => {
  const { status, body, headers } = await on.rest('GET', '/healthz');
  expect([status, body]).toEqual([200, { status: 'ok' }]);
  expect(headers.get('x-request-id')).toMatch(/^req_/);
});

describe('/readyz', () => {
  test('says that the database is reachable and migrated', async () => {
    const { status, body } = await on.rest('GET', '/readyz');
    expect([status, body]).toEqual([200, { status: 'ready' }]);
  });

  test('answers 503 while a migration is missing', async () => {
    await on.sql('alter table migrations rename to migrations_away');
    const { status, body } = await on.rest('GET', '/readyz');
    await on.sql('alter table migrations_away rename to migrations');
    expect([status, body]).toEqual([503, { status: 'database not migrated' }]);
  });
});

describePostgres('/readyz while a dump runs', () => {
  test('says that the process is ready', async () => {
    const { database } = on.app.services;
    const hearing = { isDeaf: () => false, roundTrip: async () => 0, keep: async () => async () => undefined };
    await database.fork().transactional(async em => {
      await em.execute('lock table readiness in access share mode');
      await expect(openReadiness(database.prepared, hearing).findFault()).resolves.toBeNull();
    });
  });
});

describe('/metrics', () => {
  test('are in the format of Prometheus, ours under the name of the gateway', async () => {
    await on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body: SMS });
    await on.graphql('{ account { id } }', { token: customer.tokens.unified });
    const { status, text, headers } = await on.rest('GET', '/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain');
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(match => match[1] ?? '');
    expect(names.filter(name => !/^(heliograph|process|nodejs)_/.test(name))).toEqual([]);
    expect(text).toMatch(
      /^heliograph_requests_total\{transport="rest",operation="POST \/api\/omni\/send",status="200"\} 1$/m,
    );
    expect(text).toMatch(
      /^heliograph_requests_total\{transport="graphql",operation="POST \/graphql",status="200"\} \d+$/m,
    );
    expect(text).toMatch(/^heliograph_messages_total\{delivery_mode="fallback",status="sent"\} 1$/m);
    expect(text).toMatch(/^heliograph_attempts_total\{channel="sms",provider="sandbox",status="sent"\} 1$/m);
    expect(text).toMatch(/^heliograph_commit_items_count\{batch="accept"\} \d+$/m);
  });

  test('name no recipient, account or token', async () => {
    const { text } = await on.rest('GET', '/metrics');
    expect(text).not.toMatch(/1202555|acc_|tok_|hg_|msg_/);
  });
});

test('/openapi.json is the document of the interface, and names the version of the program', async () => {
  const { status, body } = await on.rest('GET', '/openapi.json');
  expect(status).toBe(200);
  expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0', 'x-heliograph-version': VERSION } });
});

test.each([
  ...['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'],
  ...['/', '/dashboard', '/dashboard/', '/dashboard/logs', '/assets/dashboard.js'],
])('%s is read only', async path => {
  const { status, headers, body } = await on.rest('POST', path);
  expect([status, headers.get('allow'), body.code]).toEqual([405, 'GET, HEAD', 'method_not_allowed']);
});

test('GraphQL has no HEAD but that of the playground, as it has a result only for who reads one', async () => {
  const token = customer.tokens.unified;
  const { status, headers } = await on.rest('HEAD', '/graphql?query=%7B__typename%7D', { token });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, POST']);
  expect(headers.get('x-request-id')).toMatch(/^req_/);
  expect((await on.rest('HEAD', '/graphql', { headers: { accept: 'text/html' } })).status).toBe(200);
});

test('a path that does not exist is not found', async () => {
  const { status, body } = await on.rest('GET', '/api/nothing');
  expect([status, body.code]).toEqual([404, 'not_found']);
});

test('/ leads to the dashboard', async () => {
  const { status, headers } = await on.rest('GET', '/');
  expect([status, headers.get('location')]).toEqual([302, '/dashboard']);
});

test('a gateway that stops answers 503 to what is new, and says that it is alive', async () => {
  const stopping = await createTestApp();
  const stopped = stopping.close();
  const { status, body, headers } = await stopping.rest('POST', '/api/omni/send', { body: SMS });
  expect([status, body.code]).toEqual([503, 'overloaded']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  const plant = await stopping.rest('POST', '/plants', { body: {} });
  expect([plant.status, plant.body.error]).toEqual([503, 503]);
  expect((await stopping.rest('GET', '/readyz')).status).toBe(503);
  expect((await stopping.rest('GET', '/healthz')).status).toBe(200);
  await stopped;
});
