import { beforeAll, describe, expect, test } from 'vitest';
import { runCommand, runCommandJson } from '../../support/processes/cli.ts';
import { type Gateway, send, startDemoGateway } from '../../support/processes/gateway.ts';

interface Entry {
  readonly action: string;
  readonly subject: string;
  readonly [member: string]: unknown;
}

let gateway: Gateway;
let env: { DATA_DIR: string };
let accountId: string;

beforeAll(async () => {
  gateway = await startDemoGateway();
  env = { DATA_DIR: gateway.dataDir };
  ({ accountId } = await runCommandJson<{ accountId: string }>(env, 'account', 'create', 'Harbour'));
});

describe('audit list', () => {
  test('tells who changed what of an account, newest first', async () => {
    const { accountId } = await runCommandJson<{ accountId: string }>(env, 'account', 'create', 'Pier');
    await runCommandJson(env, 'account', 'set', accountId, '--rate-limit', '5');
    expect(await runCommandJson(env, 'audit', 'list', accountId)).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        accountId,
        action: 'account.updated',
        subject: accountId,
        actor: 'operator',
        tokenId: null,
        userEmail: null,
        clientAddress: '127.0.0.1',
        requestId: expect.any(String),
        details: { rateLimit: { from: 100, to: 5 } },
        createdAt: expect.any(String),
      },
      expect.objectContaining({ action: 'account.created', details: { name: 'Pier' } }),
    ]);
  });

  test('takes every option', async () => {
    const [made] = await runCommandJson<Entry[]>(env, 'audit', 'list', accountId, '--action', 'account.created');
    expect(made).toMatchObject({ action: 'account.created', subject: accountId });
    const options = ['--subject', accountId, '--since', '2020-01-01', '--until', '2999-01-01', '--limit', '1'];
    expect(await runCommandJson(env, 'audit', 'list', ...options)).toHaveLength(1);
  });

  test('is a table without --json, that a terminal only shows', async () => {
    await runCommandJson(env, 'account', 'create', 'red \u202e');
    const { status, stdout } = await runCommand(env, 'audit', 'list');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^TIME +ACTION +SUBJECT +ACCOUNT +BY +FROM +DETAILS\n/);
    expect(stdout).not.toContain('\u202e');
  });

  test('says where there is no such change', async () => {
    expect(await runCommand(env, 'audit', 'list', '--subject', 'tok_none')).toEqual({
      status: 0,
      stdout: '',
      stderr: 'There is no such change.\n',
    });
  });

  test.each([
    ['an account that does not exist', ['acc_none'], 1, /^not_found: There is no such account\./],
    ['an action that there is not', ['--action', 'token.made'], 2, /Allowed choices are account\.created/],
    ['a limit out of range', ['--limit', '201'], 2, /Give a whole number from 1 to 200/],
    ['a time without its zone', ['--since', '2026-01-01T00:00:00'], 2, /Give a time like/],
  ])('refuses %s', async (_what, args, status, why) => {
    const result = await runCommand(env, 'audit', 'list', ...args);
    expect(result).toEqual({ status, stdout: '', stderr: expect.stringMatching(why) });
  });
});

describe('token create --expires', () => {
  test('prints when, and the token opens until then', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { stdout } = await runCommand(env, 'token', 'create', accountId, '--area', 'unified', '--expires', expires);
    const made = JSON.parse(stdout) as { tokenId: string; token: string };
    expect(made).toEqual({
      tokenId: expect.stringMatching(/^tok_/),
      token: expect.stringMatching(/^hg_uni_/),
      area: 'unified',
      expiresAt: expires,
    });
    expect((await send(gateway, made.token)).body.code).toBe('sender_not_approved');
    const listed = await runCommandJson<{ tokenId: string }[]>(env, 'token', 'list', accountId);
    expect(listed.find(({ tokenId }) => tokenId === made.tokenId)).toMatchObject({ expiresAt: expires });
  });

  test('refuses a time that is over', async () => {
    const args = ['token', 'create', accountId, '--area', 'unified', '--expires', '2020-01-01'];
    expect(await runCommand(env, ...args)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^invalid_input: --expires: must be in the future/),
    });
  });
});

test('a token list shows when tokens were used and when they end', async () => {
  const { stdout } = await runCommand(env, 'token', 'list');
  expect(stdout).toMatch(/^TOKEN +ACCOUNT +AREA +NAME +BEGINS +CREATED +BY +LAST USED +FROM +EXPIRES +REVOKED\n/);
});
