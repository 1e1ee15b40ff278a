import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/databases/database.ts';
import { makeEndpoint } from '../../support/processes/endpoints.ts';
import {
  type Gateway,
  makeFolder,
  seedDemo,
  send,
  startDemoGateway,
  startGateway,
} from '../../support/processes/gateway.ts';
import { type Collector, startCollector } from '../../support/traces/collector.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

const CLOSED_PORT = 'http://127.0.0.1:9';

const FAILING = /the collector takes no traces/g;

async function end(...gateways: readonly Gateway[]): Promise<void> {
  for (const gateway of gateways) gateway.kill('SIGTERM');
  const exits = await Promise.all(gateways.map(gateway => gateway.exited));
  expect(exits.map(({ code }) => code)).toEqual(gateways.map(() => 0));
}

/** An option of Node by which a gateway notes the modules of the SDK that it loads. */
async function noteSdk(): Promise<{ readonly option: string; hasLoaded(): boolean }> {
  const folder = await makeFolder();
  const [hooks, noted] = [join(folder, 'hooks.mjs'), join(folder, 'noted')];
  await writeFile(
    hooks,
    `import { registerHooks } from 'node:module';
     import { appendFileSync } from 'node:fs';
     registerHooks({ resolve(name, context, next) {
       if (/@opentelemetry\\/(sdk|exporter)|open-traces/.test(name)) appendFileSync(${JSON.stringify(noted)}, name + '\\n');
       return next(name, context);
     } });`,
  );
  return { option: `--import "${hooks}"`, hasLoaded: () => existsSync(noted) && readFileSync(noted, 'utf8') !== '' };
}

describe('the SDK of OpenTelemetry', () => {
  test('is not loaded where there is no collector', async () => {
    const { option, hasLoaded } = await noteSdk();
    const gateway = await startDemoGateway({ env: { NODE_OPTIONS: option } });
    await send(gateway, gateway.demo.tokens.unified);
    await end(gateway);
    expect(hasLoaded()).toBe(false);
  });

  test('is named with its command where it is not installed, and the gateway serves', async () => {
    const hooks = join(await makeFolder(), 'hooks.mjs');
    await writeFile(hooks, WITHOUT_SDK);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: CLOSED_PORT, NODE_OPTIONS: `--import "${hooks}"` };
    const gateway = await startDemoGateway({ env });
    expect(gateway.stderr()).toMatch(/is not installed here\. Run: npm install --no-save @opentelemetry\/api@[\d.]+ /);
    expect((await send(gateway, gateway.demo.tokens.unified)).body.data?.status).toBe('sent');
    await end(gateway);
  });
});

/** A build has the SDK inside; the sources look for the packages. */
const WITHOUT_SDK = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => {
  if (/open-traces-/.test(name) || name.startsWith('@opentelemetry/sdk-trace')) name = '@opentelemetry/none';
  return next(name, context);
} });
`;

describe('a collector', () => {
  test('that is down has the SDK loaded, fails no send, and is told of once', async () => {
    const { option, hasLoaded } = await noteSdk();
    const gateway = await startDemoGateway({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: CLOSED_PORT, OTEL_EXPORTER_OTLP_TIMEOUT: '500', NODE_OPTIONS: option },
    });
    const { unified } = gateway.demo.tokens;
    expect((await send(gateway, unified)).body.data?.status).toBe('sent');
    await gateway.said(new RegExp(FAILING.source));
    expect((await send(gateway, unified)).body.data?.status).toBe('sent');
    // The last batch, exported at the end, fails too.
    await end(gateway);
    expect(gateway.stderr().match(FAILING)).toHaveLength(1);
    expect(hasLoaded()).toBe(true);
  });

  test('that never answers holds up neither a send nor the stop', async () => {
    const collector = await startCollector();
    collector.status = null;
    const gateway = await startDemoGateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    expect((await send(gateway, gateway.demo.tokens.unified)).body.data?.status).toBe('sent');
    await end(gateway);
    expect(collector.bodies.length).toBeGreaterThan(0);
    await collector.close();
  });
});

describe.skipIf(inject('testDatabase').kind === 'pglite')('processes that share a database', () => {
  let collector: Collector;
  let receiver: Receiver;
  let database: TestDatabase;
  let api: Gateway;
  let messageId = '';

  beforeAll(async () => {
    [collector, receiver, database] = await Promise.all([startCollector(), startReceiver(), createDatabase()]);
    const shared = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=shop',
      OTEL_SERVICE_NAME: 'sms',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    };
    const databaseUrl = database.kind === 'postgres' ? database.url : '';
    api = await startGateway({ databaseUrl, env: { ...shared, ROLE: 'api', PROCESSES: '2' } });
    const worker = await startGateway({ databaseUrl, env: { ...shared, ROLE: 'worker' } });
    const demo = await seedDemo(api);
    await makeEndpoint({ url: api.url, demo }, receiver.url);
    const sent = await send(api, demo.tokens.unified);
    messageId = sent.body.data?.messageId ?? '';
    await receiver.hasReceived(1);
    // The sandbox's receipt is a job of the worker; a stop hands over what has ended.
    await collector.find(({ name, traceId }) => name === 'receipt' && traceId === messageId.slice(4));
    await end(api, worker);
  });
  afterAll(async () => {
    await Promise.all([collector.close(), receiver.close()]);
    await database.drop();
  });

  const spans = () => collector.spans.filter(({ traceId }) => traceId === messageId.slice(4));
  const instanceOf = (name: string) =>
    spans().find(span => span.name.startsWith(name))?.resource['service.instance.id'];

  test('write one trace of a send', () => {
    expect(
      spans()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['accept', 'attempt sms', 'receipt', 'send message', 'settle', 'webhook message.sent']);
    expect(instanceOf('send message')).not.toBe(instanceOf('webhook'));
    expect(instanceOf('receipt')).toBe(instanceOf('webhook'));
  });

  test('go by the standard variables of OpenTelemetry', () => {
    expect(spans()[0]?.resource).toMatchObject({ 'service.name': 'sms', 'deployment.environment.name': 'staging' });
    expect(collector.headers['x-tenant']).toBe('shop');
  });

  test('write the trace of a request into its lines of the log', () => {
    const served = collector.spans.find(({ name }) => name === 'POST /api/omni/send');
    expect(api.stderr()).toContain(`"trace_id":"${served?.traceId}","span_id":"${served?.spanId}"`);
  });
});
