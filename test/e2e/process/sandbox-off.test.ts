import { beforeAll, describe, expect, test } from 'vitest';
import { readRecord } from '../../support/leaks/log-faults.ts';
import { ask, type Demo, type Gateway, send, startGateway, TEXT } from '../../support/processes/gateway.ts';

const PRODUCTION = { NODE_ENV: 'production', SECRET_KEY: Buffer.alloc(32, 17).toString('base64') };

const MONEY = '{ balance { credits held } ledger(first: 10) { edges { node { kind credits held } } } }';
const PHONES = '{ sandboxMessages(to: "+12025550100") { text } }';

function demoOf({ demo }: Gateway): Demo {
  if (!demo) throw new Error('the first start made no demo account');
  return demo;
}

/** The answer to a GraphQL request, errors and all. */
async function answerTo(gateway: Gateway, token: string, query: string): Promise<unknown> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

/** The warnings that a gateway logged. */
const warningsOf = (gateway: Gateway) =>
  gateway
    .stderr()
    .split('\n')
    .map(readRecord)
    .filter(record => record?.level === 40);

const noRoute = (channel: string) => ({
  attemptId: expect.stringMatching(/^att_/),
  channel,
  provider: null,
  status: 'failed',
  errorCode: 'no_route',
  errorMessage: expect.stringMatching(/provider/),
  segments: channel === 'sms' ? 1 : 0,
  credits: 0,
  startedAt: expect.any(String),
  finishedAt: expect.any(String),
});

describe('in production', () => {
  let gateway: Gateway;
  let demo: Demo;

  beforeAll(async () => {
    gateway = await startGateway({ env: PRODUCTION });
    demo = demoOf(gateway);
  });

  test('the start says that the sandbox is off, warns of nothing, and offers no line that would send', async () => {
    expect(gateway.stderr()).toMatch(/^SANDBOX is off: what no provider takes fails with no_route/m);
    await gateway.said(/"event":"sandbox_off".*\n/);
    expect(warningsOf(gateway)).toEqual([]);
    expect(gateway.stdout()).toContain(demo.tokens.unified);
    expect(gateway.stdout()).not.toContain('curl');
  });

  test.each(['+12025550100', '+12025550106', '+493012345678'])(
    'an SMS to %s is sent by nobody, and nobody pays for it',
    async to => {
      const before = await ask(gateway, demo.tokens.unified, MONEY);
      const { status, body } = await send(gateway, demo.tokens.unified, { to });
      expect({ status, body }).toMatchObject({
        status: 502,
        body: { code: 'all_channels_failed', data: { status: 'failed', channel: null, attempts: [noRoute('sms')] } },
      });
      expect(await ask(gateway, demo.tokens.unified, MONEY)).toEqual(before);
    },
  );

  test.each(['fallback', 'all'])('every channel fails, %s', async deliveryMode => {
    const { status, body } = await send(gateway, demo.tokens.unified, {
      channels: ['chat_qr', 'chat_cloud', 'sms'],
      deliveryMode,
      chatFrom: '15550000001',
      cloudTemplate: { name: 'hello', language: 'en' },
    });
    expect(status).toBe(502);
    expect(body.data).toMatchObject({ attempts: ['chat_qr', 'chat_cloud', 'sms'].map(noRoute) });
  });

  test.each([
    ['unified', '/api/omni/otp'],
    ['otp', '/api/sms/otp'],
  ] as const)('a passcode of the area %s is sent by nobody either', async (area, path) => {
    const before = await ask(gateway, demo.tokens.unified, MONEY);
    const response = await fetch(`${gateway.url}${path}/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.tokens[area]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: '+12025550199' }),
    });
    expect([response.status, await response.json()]).toMatchObject([502, { code: 'all_channels_failed' }]);
    const query = '{ otps(first: 1) { edges { node { status attempts { provider errorCode credits } } } } }';
    expect(await ask(gateway, demo.tokens.management, query)).toMatchObject({
      otps: {
        edges: [{ node: { status: 'FAILED', attempts: [{ provider: null, errorCode: 'no_route', credits: 0 }] } }],
      },
    });
    expect(await ask(gateway, demo.tokens.unified, MONEY)).toEqual(before);
  });

  test.each(['unified', 'management'] as const)('the phones are closed to a token of the area %s', async area => {
    expect(await answerTo(gateway, demo.tokens[area], PHONES)).toMatchObject({
      data: null,
      errors: [{ extensions: { code: 'NOT_FOUND' }, message: expect.stringMatching(/SANDBOX/) }],
    });
  });
});

test('the sandbox answers in production where it is put on, and the log warns of it', async () => {
  const gateway = await startGateway({ env: { ...PRODUCTION, SANDBOX: 'on' } });
  const demo = demoOf(gateway);
  await gateway.said(/"event":"sandbox_in_production".*\n/);
  expect(warningsOf(gateway)).toMatchObject([{ event: 'sandbox_in_production' }]);
  expect(gateway.stdout()).toContain('curl');
  expect((await send(gateway, demo.tokens.unified)).status).toBe(200);
  expect(await ask(gateway, demo.tokens.unified, PHONES)).toEqual({ sandboxMessages: [{ text: TEXT }] });
});

test('the sandbox is off elsewhere where it is put off', async () => {
  const gateway = await startGateway({ env: { SANDBOX: 'off' } });
  expect((await send(gateway, demoOf(gateway).tokens.unified)).status).toBe(502);
  expect(await answerTo(gateway, demoOf(gateway).tokens.unified, PHONES)).toMatchObject({ data: null });
});
