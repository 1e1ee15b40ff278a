import { beforeAll, expect, test } from 'vitest';
import { findLogFaults, readRecord } from '../../support/leaks/log-faults.ts';
import {
  ask,
  type Demo,
  type DemoGateway,
  operatorTokenOf,
  send,
  startDemoGateway,
  TEXT,
  until,
} from '../../support/processes/gateway.ts';

let gateway: DemoGateway;
let demo: Demo;

beforeAll(async () => {
  gateway = await startDemoGateway();
  demo = gateway.demo;
});

/** The lines of the log that belong to a request, once the one that ends it is there. */
async function linesOf(requestId: string, from = gateway): Promise<Record<string, unknown>[]> {
  return until('the request is in the log', async () => {
    await fetch(`${from.url}/healthz`);
    const lines = from.stderr().split('\n').map(readRecord);
    const mine = lines.filter(line => line !== null).filter(line => line.requestId === requestId);
    return mine.some(line => 'path' in line) ? mine : null;
  });
}

test('a send is two lines that an operator can follow: the message, and the answer', async () => {
  const sent = await send(gateway, demo.tokens.unified, {
    to: '+12025550103',
    channels: ['chat_qr', 'sms'],
    chatFrom: '15550000001',
  });
  const requestId = sent.headers.get('x-request-id') ?? '';
  const [message, answer, ...more] = await linesOf(requestId);
  expect(message).toMatchObject({
    level: 20,
    requestId,
    messageId: sent.body.data?.messageId,
    status: 'sent',
    channel: 'sms',
    recipient: '*******0103',
  });
  expect(answer).toMatchObject({ level: 20, requestId, method: 'POST', path: '/api/omni/send', status: 200 });
  expect(answer?.durationMs).toBeGreaterThan(0);
  expect(more).toEqual([]);
});

test('a failure of the gateway is said at level info, one of the caller at debug', async () => {
  const failed = await send(gateway, demo.tokens.unified, { to: '+12025550104' });
  const wrong = await send(gateway, demo.tokens.unified, { to: 'nobody' });
  const levels = [];
  for (const { headers, status } of [failed, wrong]) {
    const line = (await linesOf(headers.get('x-request-id') ?? '')).find(record => 'path' in record);
    levels.push({ status, logged: line?.status, level: line?.level });
  }
  expect(levels).toEqual([
    { status: 502, logged: 502, level: 30 },
    { status: 400, logged: 400, level: 20 },
  ]);
});

test('the request id of a caller is the one of the log', async () => {
  const headers = { 'x-request-id': 'their-own.id:1', authorization: `Bearer ${demo.tokens.unified}` };
  const response = await fetch(`${gateway.url}/api/omni/logs?limit=1`, { headers });
  expect(response.headers.get('x-request-id')).toBe('their-own.id:1');
  // The query string stays out: it may name whom somebody looks for.
  expect((await linesOf('their-own.id:1')).at(-1)).toMatchObject({ path: '/api/omni/logs', status: 200 });
});

test('no recipient, text, token or secret is in it, whatever is asked', async () => {
  const operator = await operatorTokenOf(gateway);
  const { unified, sms, otp, management } = demo.tokens;
  for (let last = 100; last <= 108; last++) {
    if (last !== 107) await send(gateway, unified, { to: `+12025550${last}` });
  }
  await send(gateway, otp, { text: TEXT.repeat(500) });
  await send(gateway, sms, { reference: '\u0000', cloudTemplate: { name: TEXT, language: 'x', components: TEXT } });
  await send(gateway, `${management}x`);
  await fetch(`${gateway.url}/api/omni/logs?recipient=12025550100&token=${unified}`);
  await fetch(`${gateway.url}/graphql?query=${encodeURIComponent(`{ message(id: "${TEXT}") { text } }`)}`);
  await ask(gateway, unified, '{ sandboxMessages(to: "+12025550100") { text to } }');
  await ask(
    gateway,
    unified,
    `mutation { sendMessage(input: { to: "12025550100", text: "${TEXT}", channels: [SMS] }) { text } }`,
  ).catch(() => null);
  await ask(gateway, operator, '{ tokens { prefix } }');
  const end = await fetch(`${gateway.url}/api/omni/send`, { method: 'POST', body: `{"text":"${TEXT}` });
  await linesOf(end.headers.get('x-request-id') ?? '');
  const words = [TEXT, operator, demo.dashboard.password, ...Object.values(demo.tokens)];
  expect(findLogFaults(gateway.stderr(), words)).toEqual([]);
});

test('at the level that is set by default a healthy gateway says nothing but where it listens', async () => {
  const quiet = await startDemoGateway({ env: { LOG_LEVEL: 'info' } });
  const token = quiet.demo.tokens.unified;
  expect((await send(quiet, token)).status).toBe(200);
  expect((await send(quiet, 'nobody')).status).toBe(401);
  quiet.kill('SIGTERM');
  await quiet.exited;
  const lines = quiet
    .stderr()
    .split('\n')
    .filter(line => line !== '' && !line.endsWith(' …'));
  expect(lines).toEqual([expect.stringContaining('Heliograph listens on')]);
});
