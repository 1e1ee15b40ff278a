import { beforeAll, describe, expect, test } from 'vitest';
import { runCommand, runCommandJson } from '../../support/processes/cli.ts';
import { type DemoGateway, send, startDemoGateway, until } from '../../support/processes/gateway.ts';

interface Row {
  readonly requestId: string;
  readonly [member: string]: unknown;
}

/** Is refused, and answers its request id. */
async function refuse(gateway: DemoGateway, request: object = { sender: 'NOBODY' }): Promise<string> {
  const { headers } = await send(gateway, gateway.demo.tokens.unified, request);
  return headers.get('x-request-id') ?? '';
}

test('what was refused a moment before a stop is in the log', async () => {
  const gateway = await startDemoGateway();
  const requestId = await refuse(gateway);
  gateway.kill('SIGTERM');
  await gateway.exited;
  const rows = await runCommandJson<Row[]>(gateway.env, 'requests', gateway.demo.accountId, '--request-id', requestId);
  expect(rows).toEqual([
    {
      id: expect.stringMatching(/^rql_/),
      accountId: gateway.demo.accountId,
      actor: 'token',
      tokenId: expect.stringMatching(/^tok_/),
      method: 'POST',
      path: '/api/omni/send',
      operation: null,
      status: 403,
      code: 'sender_not_approved',
      field: null,
      clientAddress: '127.0.0.1',
      durationMs: expect.any(Number),
      requestId,
      leftOut: 0,
      createdAt: expect.any(String),
    },
  ]);
});

describe('requests', () => {
  let gateway: DemoGateway;
  let env: { DATA_DIR: string };

  beforeAll(async () => {
    gateway = await startDemoGateway();
    env = { DATA_DIR: gateway.dataDir };
    await refuse(gateway);
    await refuse(gateway, { to: 'nobody' });
    await send(gateway, 'hg_uni_nobody');
    await until('what was refused is stored', async () =>
      (await runCommandJson<Row[]>(env, 'requests')).length === 3 ? true : null,
    );
  });

  test('takes every option', async () => {
    const { accountId } = gateway.demo;
    const list = (...options: string[]) => runCommandJson<Row[]>(env, 'requests', ...options);
    expect(await list(accountId, '--status', '4xx', '--since', '1h', '--until', '2999-01-01')).toHaveLength(2);
    const [row] = await list(accountId, '--code', 'sender_not_approved', '--path', '/api/omni/send', '--limit', '1');
    expect(row).toMatchObject({ status: 403 });
    expect(await list(accountId, '--token', String(row?.tokenId))).toHaveLength(2);
    expect(await list(accountId, '--operation', 'Welcome')).toEqual([]);
    expect(await list('--strangers')).toMatchObject([{ actor: 'stranger', code: 'unauthenticated', status: 401 }]);
  });

  test('is a table without --json', async () => {
    const { status, stdout } = await runCommand(env, 'requests', gateway.demo.accountId);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^TIME +STATUS +CODE +FIELD +WHAT +BY +FROM +MS +LEFT OUT +REQUEST ID\n/);
  });

  test('refuses what is no status or no age as wrong usage', async () => {
    expect((await runCommand(env, 'requests', '--status', '4x')).status).toBe(2);
    expect((await runCommand(env, 'requests', '--since', 'yesterday')).status).toBe(2);
  });

  test('says where there is no such request', async () => {
    const { status, stderr } = await runCommand(env, 'requests', '--request-id', 'none');
    expect([status, stderr]).toEqual([0, 'There is no such request.\n']);
  });

  test('account set has accepted requests kept', async () => {
    const { accountId } = await runCommandJson<{ accountId: string }>(env, 'account', 'create', 'Pier');
    const set = (on: string) => runCommandJson(env, 'account', 'set', accountId, '--log-accepted', on);
    expect(await set('on')).toMatchObject({ logsAccepted: true });
    expect(await set('off')).toMatchObject({ logsAccepted: false });
  });
});
