import { readdir, readFile, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyWebhook, type WebhookPayload } from '../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { type CliRun, runCli, runCommand, runCommandJson, startCli } from '../../support/processes/cli.ts';
import {
  type Demo,
  type DemoGateway,
  type Gateway,
  makeFolder,
  send,
  startDemoGateway,
  startGateway,
} from '../../support/processes/gateway.ts';
import { shellWords } from '../../support/rules/shell-words.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

let receiver: Receiver;
let target: string;

beforeEach(async () => {
  receiver = await startReceiver((_request, response) => response.writeHead(204).end());
  target = `${receiver.url}?stage=dev`;
});
afterEach(() => receiver.close());

/** Ends a command as Ctrl+C does, and answers how it ended. */
function interrupt({ child, result }: CliRun): CliRun['result'] {
  child.kill('SIGINT');
  return result;
}

describe('webhooks listen', () => {
  let gateway: Gateway;
  let demo: Demo;
  let env: { DATA_DIR: string; HOME: string };
  let settings: DemoGateway['env'];

  beforeAll(async () => {
    const demoGateway = await startDemoGateway({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
    gateway = demoGateway;
    demo = demoGateway.demo;
    env = { DATA_DIR: gateway.dataDir, HOME: await makeFolder() };
    settings = demoGateway.env;
  });

  async function listen(...options: string[]): Promise<CliRun> {
    const run = startCli(env, ['webhooks', 'listen', '--forward', target, ...options]);
    await run.until('stderr', 'Ctrl+C ends it');
    return run;
  }

  const secretFile = () => join(env.HOME, '.config', 'heliograph', 'listen.secret');
  const readSecret = async (): Promise<string> => (await readFile(secretFile(), 'utf8')).trim();

  test('forwards what a send tells, signed as a delivery is', async () => {
    const run = await listen();
    const { body } = await send(gateway, demo.tokens.unified);
    await receiver.hasReceived(3);
    const secret = await readSecret();
    const { received } = receiver;
    const told = received.map(({ headers, body: raw }): WebhookPayload => verifyWebhook(headers, raw, secret));
    expect(told.map(({ event }) => event).sort()).toEqual(['message.routed', 'message.sent', 'sms.sent']);
    expect(told.map(({ data }) => data.messageId)).toEqual(told.map(() => body.data?.messageId));
    expect(received.map(({ path }) => path)).toEqual(received.map(() => '/hook?stage=dev'));
    expect(received.map(({ headers }) => headers['content-type'])).toEqual(received.map(() => 'application/json'));
    await interrupt(run);
  });

  test('prints the secret once, the same at every run, and keeps it for this user alone', async () => {
    const runs = [await interrupt(await listen()), await interrupt(await listen())];
    const secret = await readSecret();
    expect(runs.map(({ stderr }) => stderr.split(secret).length - 1)).toEqual([1, 1]);
    expect(runs.map(({ stdout }) => stdout)).toEqual(['', '']);
    expect((await stat(secretFile())).mode & 0o777).toBe(0o600);
    // Of another user, a file there would stop the next start of the gateway.
    expect(await readdir(env.DATA_DIR)).not.toContain('listen.secret');
  });

  test('prints a line for each event, with the answer and how long it took', async () => {
    receiver.answer = (_request, response) => response.writeHead(418).end();
    const run = await listen('--events', 'sms.sent');
    await send(gateway, demo.tokens.unified);
    await run.until('stdout', '\n');
    const { stdout, status } = await interrupt(run);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}sms\.sent {2}evt_[0-9a-f]{32} {2}418 {2}\d+ ms\n$/);
    expect(status).toBe(0);
  });

  test('shows the first line of an answer that is not 2xx, and of no other', async () => {
    receiver.answer = (_request, response, nth) =>
      response.writeHead(nth === 1 ? 200 : 400).end('\nno such\u001b hook\nat app.js:1');
    const run = await listen('--events', 'sms.sent');
    await send(gateway, demo.tokens.unified);
    await run.until('stdout', '  200  ');
    await send(gateway, demo.tokens.unified);
    await run.until('stdout', '  400  ');
    const [first, second] = (await interrupt(run)).stdout.split('\n');
    expect(first).toMatch(/ {2}200 {2}\d+ ms$/);
    expect(second).toMatch(/ {2}400 {2}\d+ ms {2}no such\ufffd hook$/);
  });

  test('takes * for every event', async () => {
    const run = await listen('--events', '*');
    await send(gateway, demo.tokens.unified);
    await receiver.hasReceived(3);
    await interrupt(run);
  });

  test('gets the sample of a trigger where no endpoint does', async () => {
    const run = await listen('--events', 'otp.verified');
    expect(await runCommand(env, 'trigger', 'otp.verified')).toEqual({
      status: 0,
      stdout: '',
      stderr: 'Told one listener of it.\n',
    });
    await run.until('stdout', '\n');
    expect((await interrupt(run)).stdout).toMatch(/ {2}otp\.verified {2}.* {2}20\d {2}/);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ data: { test: true } });
  });

  test('prints JSON with --json, also of what did not get through', async () => {
    receiver.answer = (_request, response) => response.destroy();
    const run = await listen('--events', 'sms.failed,sms.sent', '--json');
    await send(gateway, demo.tokens.unified);
    await run.until('stdout', '\n');
    const { stdout, stderr } = await interrupt(run);
    expect(stderr).toContain(`No answer came from ${target}. Is your server running there?`);
    expect(JSON.parse(stdout)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      event: 'sms.sent',
      eventId: expect.stringMatching(/^evt_/),
      deliveryId: receiver.received[0]?.headers['x-service-delivery'],
      status: null,
      error: 'connection_failed',
      message: expect.any(String),
      response: null,
      durationMs: expect.any(Number),
    });
  });

  test('follows no redirect', async () => {
    receiver.answer = (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end();
    const run = await listen('--events', 'sms.sent');
    await send(gateway, demo.tokens.unified);
    await run.until('stdout', '\n');
    expect((await interrupt(run)).stdout).toContain('  307  ');
    expect(receiver.received).toHaveLength(1);
  });

  test('has at most ten requests under way, and forwards the rest as they end', async () => {
    const held: ServerResponse[] = [];
    receiver.answer = (_request, response) => {
      held.push(response);
    };
    const run = await listen('--events', 'sms.sent');
    for (let count = 0; count < 12; count++) await send(gateway, demo.tokens.unified);
    await receiver.hasReceived(10);
    const printed = run.until('stdout', '\n');
    // Long enough for all twelve to come, if they did.
    await runCli(env, 'account', 'list');
    expect(receiver.open).toEqual({ now: 10, most: 10 });
    held.shift()?.writeHead(200).end();
    await printed;
    await receiver.hasReceived(11);
    receiver.answer = (_request, response) => response.writeHead(200).end();
    for (const response of held) response.writeHead(200).end();
    await receiver.hasReceived(12);
    await interrupt(run);
  });

  test('forwards redeliveries and tests of an endpoint', async () => {
    const own = await startReceiver();
    try {
      const { endpointId } = await runCommandJson<{ endpointId: string }>(
        env,
        ...['webhooks', 'create', own.url, '--events', 'sms.sent'],
      );
      await send(gateway, demo.tokens.unified);
      await own.hasReceived(1);
      const deliveryId = String(own.received[0]?.headers['x-service-delivery']);
      const run = await listen('--json');
      await runCommand(env, 'webhooks', 'redeliver', deliveryId);
      await receiver.hasReceived(1);
      await runCommand(env, 'webhooks', 'test', endpointId, '--event', 'sms.failed');
      await receiver.hasReceived(2);
      const [redelivered, tested] = receiver.received.map(({ body }) => body);
      expect(redelivered).toBe(own.received[0]?.body);
      expect(JSON.parse(tested ?? '')).toMatchObject({ event: 'sms.failed', data: { test: true } });
      await interrupt(run);
      await runCommand(env, 'webhooks', 'delete', endpointId, '--yes');
    } finally {
      await own.close();
    }
  });

  test('ends at once though a request hangs', async () => {
    receiver.answer = () => undefined;
    const run = await listen('--events', 'sms.sent');
    await send(gateway, demo.tokens.unified);
    await receiver.hasReceived(1);
    const startedMs = performance.now();
    const { status, stdout } = await interrupt(run);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  test('goes on when the gateway starts again', async () => {
    const { dataDir } = gateway;
    const run = await listen('--events', 'sms.sent');
    gateway.kill('SIGTERM');
    await gateway.exited;
    await run.until('stderr', 'Waiting for it to come back');
    gateway = await startGateway({ dataDir, env: settings });
    await run.until('stderr', 'Forwarding again');
    await send(gateway, demo.tokens.unified);
    await receiver.hasReceived(1);
    const { status, stderr } = await interrupt(run);
    expect(status).toBe(0);
    await expectCommands(stderr, ['redeliver', 'recover']);
  });

  /** The commands that are advised for an endpoint are taken as they were printed. */
  async function expectCommands(advice: string, names: readonly string[]): Promise<void> {
    const url = receiver.url;
    const { endpointId } = await runCommandJson<{ endpointId: string }>(
      env,
      'webhooks',
      'create',
      url,
      '--events',
      '*',
    );
    const advised = [...advice.matchAll(/"(webhooks [^"]*<endpointId>[^"]*)"/g)].map(([, text = '']) =>
      shellWords(text),
    );
    expect(advised.map(([, name]) => name)).toEqual(names);
    for (const words of advised) {
      const args = words.map(word => (word === '<endpointId>' ? endpointId : word));
      expect(await runCommand(env, ...args)).toMatchObject({ status: 0, stderr: '' });
    }
    await runCommand(env, 'webhooks', 'delete', endpointId, '--yes');
  }

  test('refuses an account whose unified API is off', async () => {
    const made = await runCommand(env, 'account', 'create', 'Closed', '--json');
    const { accountId } = JSON.parse(made.stdout) as { accountId: string };
    await runCommand(env, 'account', 'set', accountId, '--unified-api', 'off');
    const { status, stderr } = await runCli(env, 'webhooks', 'listen', '--forward', target, '--account', accountId);
    expect(status).toBe(1);
    expect(stderr).toContain('unified_api_disabled: ');
    expect(stderr).not.toContain('Forwarding');
  });

  test.each([
    [['--forward', 'localhost:3000'], '--forward'],
    [['--forward', 'ftp://127.0.0.1/'], '--forward'],
    [[], '--forward'],
    [['--forward', 'http://127.0.0.1:3000/', '--events', 'sms.gone'], '--events'],
  ])('is wrong usage with %j', async (options, named) => {
    const { status, stderr } = await runCommand(env, 'webhooks', 'listen', ...options);
    expect(status).toBe(2);
    expect(stderr).toContain(named);
  });
});

test('webhooks listen refuses where no gateway runs, and opens no database', async () => {
  const folder = await makeFolder();
  const { status, stdout, stderr } = await runCommand({ DATA_DIR: folder }, 'webhooks', 'listen', '--forward', target);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('so nothing would happen');
  await expect(stat(join(folder, 'database'))).rejects.toMatchObject({ code: 'ENOENT' });
});
