import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { lockDataDir } from '../../../src/db/data-dir/data-dir-lock.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { runCli, runCliJson, runCommand, runCommandJson, startCli } from '../../support/processes/cli.ts';
import {
  type Demo,
  type DemoGateway,
  makeFolder,
  send,
  startDemoGateway,
  TEXT,
} from '../../support/processes/gateway.ts';

interface Account {
  readonly accountId: string;
  readonly name: string;
}

interface Sent {
  readonly messageId: string;
  readonly status: string;
  readonly attempts: readonly { readonly attemptId: string; readonly status: string }[];
}

const TO = '+12025550100';
const SMS = ['--channels', 'sms', '--sender', 'DEMO', '--text', TEXT];
const ALL_REFUSE = '+12025550104';

describe('beside a running gateway', () => {
  let gateway: DemoGateway;
  let demo: Demo;
  let env: { DATA_DIR: string };

  beforeAll(async () => {
    gateway = await startDemoGateway();
    demo = gateway.demo;
    env = { DATA_DIR: gateway.dataDir };
  });

  const createAccount = (name: string): Promise<Account> => runCommandJson<Account>(env, 'account', 'create', name);

  async function createToken(accountId: string): Promise<{ tokenId: string; token: string; area: string }> {
    const { stdout } = await runCommand(env, 'token', 'create', accountId, '--area', 'unified');
    return JSON.parse(stdout) as { tokenId: string; token: string; area: string };
  }

  test('demo prints demo.json, with --json and without', async () => {
    const results = [
      await runCli(env, 'demo'),
      await runCommand(env, 'demo', '--json'),
      await runCommand(env, '--json', 'demo'),
    ];
    expect(results.map(({ status, stderr, stdout }) => ({ status, stderr, data: JSON.parse(stdout) }))).toEqual(
      results.map(() => ({ status: 0, stderr: '', data: demo })),
    );
  });

  test('migrate says that the schema is up to date', async () => {
    expect(await runCommand(env, 'migrate', '--json')).toEqual({
      status: 0,
      stdout: '{"migrations":[]}\n',
      stderr: 'The schema of the database is up to date.\n',
    });
  });

  test.skipIf(inject('testDatabase').kind === 'pglite')(
    'migrate opens a PostgreSQL itself, as the gateway may be of the former release',
    async () => {
      // A gateway that is asked refuses another token.
      const own = { ...gateway.env, OPERATOR_TOKEN: 'another-token-of-an-operator-0123456789' };
      expect(await runCommand(own, 'account', 'list')).toMatchObject({ status: 1 });
      expect(await runCommand(own, 'migrate', '--json')).toMatchObject({ status: 0, stdout: '{"migrations":[]}\n' });
    },
  );

  test('account create prints the account, and account list has it', async () => {
    const account = await createAccount('Harbour');
    expect(account).toEqual({
      accountId: expect.stringMatching(/^acc_/),
      name: 'Harbour',
      unifiedApi: true,
      planExpiresAt: null,
      credits: 0,
      rateLimit: 100,
      smartEncoding: false,
      fallbackAfter: null,
      successStatus: 'delivered',
      logsAccepted: false,
      secondFactorRequired: false,
      createdAt: expect.any(String),
    });
    expect(await runCommandJson(env, 'account', 'list')).toContainEqual(account);
  });

  test('without --json a list is a table', async () => {
    const { status, stdout, stderr } = await runCommand(env, 'account', 'list');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(
      /^ACCOUNT +NAME +UNIFIED API +PLAN EXPIRES +RATE LIMIT +FALLBACK AFTER +SMART ENCODING +LOG ACCEPTED +SECOND FACTOR +CREDITS\n/,
    );
    expect(stdout).toMatch(
      new RegExp(`^${demo.accountId} +demo +on +never +none +off +off +off +optional +\\d+$`, 'm'),
    );
  });

  test('account set changes what is given and leaves the rest', async () => {
    const { accountId } = await createAccount('Plan');
    const first = await runCommandJson(env, 'account', 'set', accountId, '--plan-expires', '2030-01-31T12:00:00+01:00');
    expect(first).toMatchObject({ unifiedApi: true, planExpiresAt: '2030-01-31T11:00:00.000Z', rateLimit: 100 });
    const second = await runCommandJson(env, 'account', 'set', accountId, '--rate-limit', '7', '--unified-api', 'off');
    expect(second).toMatchObject({ unifiedApi: false, planExpiresAt: '2030-01-31T11:00:00.000Z', rateLimit: 7 });
    const third = await runCommandJson(
      env,
      'account',
      'set',
      accountId,
      '--rate-limit',
      'none',
      '--plan-expires',
      'never',
    );
    expect(third).toMatchObject({ unifiedApi: false, planExpiresAt: null, rateLimit: null, smartEncoding: false });
    const fourth = await runCommandJson(env, 'account', 'set', accountId, '--smart-encoding', 'on');
    expect(fourth).toMatchObject({ unifiedApi: false, rateLimit: null, smartEncoding: true });
    const inTime = ['--fallback-after', '30', '--success-status', 'read'];
    const fifth = await runCommandJson(env, 'account', 'set', accountId, ...inTime);
    expect(fifth).toMatchObject({ smartEncoding: true, fallbackAfter: 30, successStatus: 'read' });
    const sixth = await runCommandJson(env, 'account', 'set', accountId, '--fallback-after', 'none');
    expect(sixth).toMatchObject({ fallbackAfter: null, successStatus: 'read' });
  });

  test.each([
    [['--unified-api', 'off'], 'unified_api_disabled'],
    [['--plan-expires', '2020-01-01T00:00:00Z'], 'plan_expired'],
  ])('account set %j holds at once over REST: %s', async (options, code) => {
    const { accountId } = await createAccount('Closed');
    const { token } = await createToken(accountId);
    expect((await send(gateway, token)).body.code).toBe('sender_not_approved');
    expect((await runCommand(env, 'account', 'set', accountId, ...options)).status).toBe(0);
    // The command works on the database, and the gateway is told by that a moment later.
    await expect.poll(async () => (await send(gateway, token)).body.code).toBe(code);
  });

  test('a token that was created opens, and once revoked no longer', async () => {
    const made = await createToken(demo.accountId);
    expect(made).toEqual({
      tokenId: expect.stringMatching(/^tok_/),
      token: expect.stringMatching(/^hg_uni_/),
      area: 'unified',
    });
    expect((await send(gateway, made.token)).status).toBe(200);
    const revoked = await runCommandJson(env, 'token', 'revoke', made.tokenId);
    expect(revoked).toMatchObject({ tokenId: made.tokenId, area: 'unified', revokedAt: expect.any(String) });
    await expect.poll(async () => (await send(gateway, made.token)).status).toBe(401);
  });

  test('token list names the tokens of an account, or of all, without their secrets', async () => {
    const { accountId } = await createAccount('Tokens');
    const named = ['token', 'create', accountId, '--area', 'unified', '--name', 'Shop server'];
    const { tokenId, token } = await runCommandJson<{ tokenId: string; token: string }>(env, ...named);
    const own = await runCommandJson<unknown[]>(env, 'token', 'list', accountId);
    expect(own).toEqual([
      {
        tokenId,
        accountId,
        area: 'unified',
        name: 'Shop server',
        prefix: token.slice(0, 11),
        madeBy: 'command_line',
        makerEmail: null,
        createdAt: expect.any(String),
        lastUsedAt: null,
        lastUsedFrom: null,
        expiresAt: null,
        revokedAt: null,
      },
    ]);
    const renamed = await runCommandJson(env, 'token', 'rename', tokenId, 'Till');
    expect(renamed).toEqual({ ...(own[0] as object), name: 'Till' });
    expect(await runCommandJson(env, 'token', 'rename', tokenId, 'Shop server')).toEqual(own[0]);
    const all = await runCommandJson<{ area: string }[]>(env, 'token', 'list');
    expect(all).toContainEqual(own[0]);
    expect(new Set(all.map(({ area }) => area))).toEqual(new Set(['unified', 'sms', 'otp', 'management']));
  });

  test('a sender is added, listed, and sends once it is approved', async () => {
    const { accountId } = await createAccount('Senders');
    const added = await runCommandJson(env, 'sender', 'add', accountId, 'HARBOUR');
    expect(added).toMatchObject({ channel: 'sms', name: 'HARBOUR', approved: false, isDefault: true });
    const request = ['send', '--to', TO, '--text', TEXT, '--sender', 'HARBOUR', '--account', accountId];
    const early = await runCommand(env, ...request, '--json');
    expect(early).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^sender_not_approved: /) });
    await runCommandJson(env, 'sender', 'approve', accountId, 'HARBOUR');
    await runCommandJson(env, 'balance', 'add', accountId, '5', '--reason', 'test');
    await runCommandJson(env, 'sender', 'add', accountId, '+15550000009', '--channel', 'chat_qr');
    expect(await runCommandJson(env, 'sender', 'list', accountId)).toMatchObject([
      { channel: 'sms', name: 'HARBOUR', approved: true },
      { channel: 'chat_qr', name: '15550000009', approved: false },
    ]);
    expect(await runCommandJson(env, ...request)).toMatchObject({ status: 'sent', channel: 'sms', sender: 'HARBOUR' });
  });

  test('sender rules are set, listed and removed', async () => {
    const number = ['--alphanumeric', 'replaced', '--number', '+15550100199'];
    const made = await runCommandJson(env, 'sender', 'rule', 'set', 'pr', ...number);
    expect(made).toMatchObject({ country: 'PR', alphanumeric: 'replaced', numericSender: '15550100199' });
    await runCommandJson(env, 'sender', 'rule', 'set', 'CN', '--alphanumeric', 'refused');
    expect(await runCommandJson(env, 'sender', 'rule', 'list')).toMatchObject([{ country: 'CN' }, { country: 'PR' }]);
    const { stdout } = await runCommand(env, 'sender', 'rule', 'list');
    expect(stdout).toMatch(/^COUNTRY +CONNECTION +SENDER NAMES +NUMBER +SET\n/);
    expect(stdout).toMatch(/^PR +all +replaced +15550100199 +/m);
    for (const country of ['PR', 'CN']) await runCommandJson(env, 'sender', 'rule', 'remove', country, '--yes');
    expect(await runCommand(env, 'sender', 'rule', 'list')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^There is no rule/),
    });
  });

  test('send takes every field of a message, and the demo account where none is named', async () => {
    const channels = ['--channels', 'chat_qr,sms', '--mode', 'all', '--chat-from', '15550000001', '--sender', 'DEMO'];
    const request = ['send', '--to', TO, '--text', TEXT, '--reference', 'cli-1', ...channels];
    const sent = await runCommandJson<Sent>(env, ...request);
    expect(sent).toMatchObject({
      messageId: expect.stringMatching(/^msg_/),
      reference: 'cli-1',
      recipient: '12025550100',
      deliveryMode: 'all',
      channels: ['chat_qr', 'sms'],
      chatFrom: '15550000001',
      sender: 'DEMO',
      attempts: [
        { channel: 'chat_qr', provider: 'sandbox', status: 'sent' },
        { channel: 'sms', provider: 'sandbox', status: 'sent' },
      ],
    });
    expect((await runCommandJson<Sent>(env, ...request)).messageId).toBe(sent.messageId);
  });

  test('send --fallback-after waits for the first channel, and message show tells for how long', async () => {
    const route = ['--channels', 'chat_qr,sms', '--chat-from', '15550000001', '--sender', 'DEMO'];
    const inTime = ['--fallback-after', '3600', '--success-status', 'read'];
    const sent = await runCommandJson<Sent>(env, 'send', '--to', TO, '--text', TEXT, ...route, ...inTime);
    expect(sent).toMatchObject({ status: 'sent', attempts: [{ channel: 'chat_qr', status: 'sent' }] });
    const { stdout } = await runCommand(env, 'message', 'show', sent.messageId);
    expect(stdout).toMatch(/waiting +chat_qr +SMS follows in 3[56]\d\d s unless it is read\./);
  });

  test.each(['14', '3601', 'soon'])('send --fallback-after %s is wrong usage', async seconds => {
    const { status, stderr } = await runCommand(env, 'send', '--to', TO, ...SMS, '--fallback-after', seconds);
    expect(status).toBe(2);
    expect(stderr).toContain('Give a whole number from 15 to 3600.');
  });

  test('a text that looks like an option is a text', async () => {
    const sent = await runCommandJson<Sent>(env, 'send', '--to', TO, '--sender', 'DEMO', '--text', '--json');
    expect(sent.status).toBe('sent');
  });

  test('a message that no channel accepted is printed, and the command is refused', async () => {
    const { status, stdout, stderr } = await runCli(env, 'send', '--to', ALL_REFUSE, ...SMS, '--json');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'all_channels_failed: No channel accepted the message.\n',
    });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', attempts: [{ channel: 'sms', status: 'failed' }] });
  });

  test('logs lists entries newest first, narrowed by its options', async () => {
    const { accountId } = await createAccount('Log');
    await runCommand(env, 'sender', 'add', accountId, 'DEMO');
    await runCommand(env, 'sender', 'approve', accountId, 'DEMO');
    await runCommandJson(env, 'balance', 'add', accountId, '5', '--reason', 'test');
    const first = await runCommandJson<Sent>(env, 'send', '--to', TO, ...SMS, '--account', accountId);
    await runCommand(env, 'send', '--to', ALL_REFUSE, ...SMS, '--account', accountId);
    const read = (...options: string[]): Promise<{ messageId: string; status: string; createdAt: string }[]> =>
      runCommandJson(env, 'logs', '--account', accountId, ...options);
    expect((await read('--channel', 'sms')).map(({ messageId }) => messageId).at(-1)).toBe(first.messageId);
    expect(await read('--limit', '1')).toMatchObject([{ type: 'message_attempt', status: 'failed', sender: 'DEMO' }]);
    expect(await read('--status', 'failed')).toMatchObject([{ recipient: ALL_REFUSE.slice(1) }]);
    expect(await read('--to', TO)).toMatchObject([{ recipient: TO.slice(1) }]);
    expect(await read('--channel', 'chat_qr')).toEqual([]);
    expect(await read('--status', 'failed,expired', '--country', 'us', '--provider', 'sandbox')).toHaveLength(1);
    expect(await read('--country', 'de')).toEqual([]);
    expect(await read('--connection', `con_${'0'.repeat(32)}`)).toEqual([]);
    const all = await read();
    const idsOf = (entries: readonly { messageId: string }[]) => entries.map(({ messageId }) => messageId);
    // Only their ids are told apart: a receipt may come between two readings.
    expect(idsOf(await read('--since', '1h'))).toEqual(idsOf(all));
    expect(await read('--until', '1h')).toEqual([]);
    const newest = all[0]?.createdAt ?? '';
    const [after, before] = [await read('--since', newest), await read('--until', newest)];
    expect(idsOf([...after, ...before])).toEqual(idsOf(all));
    expect(after.map(({ createdAt }) => createdAt >= newest)).not.toContain(false);
    expect(idsOf(before)).toContain(first.messageId);
  });

  test('logs --follow --json prints each new entry as a line, and a signal ends it with status 0', async () => {
    const following = startCli(env, ['logs', '--follow', '--json', '--status', 'failed', '--account', demo.accountId]);
    await following.until('stderr', 'Following the log');
    await runCommandJson(env, 'send', '--to', TO, ...SMS);
    const { stdout } = await runCommand(env, 'send', '--to', ALL_REFUSE, ...SMS, '--json');
    const { messageId } = JSON.parse(stdout) as Sent;
    await following.until('stdout', messageId);
    following.child.kill('SIGINT');
    const ended = await following.result;
    expect(ended.status).toBe(0);
    const entries = ended.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(entries).toMatchObject([{ messageId, status: 'failed', channel: 'sms', type: 'message_attempt' }]);
  });

  test('logs --follow --status failed shows the failure that a receipt reports', async () => {
    const following = startCli(env, ['logs', '--follow', '--json', '--status', 'failed', '--account', demo.accountId]);
    await following.until('stderr', 'Following the log');
    const { messageId } = await runCommandJson<Sent>(env, 'send', '--to', '+12025550105', ...SMS);
    await following.until('stdout', messageId);
    following.child.kill('SIGINT');
    const { stdout } = await following.result;
    expect(JSON.parse(stdout)).toMatchObject({ messageId, status: 'failed', errorCode: 'undelivered' });
  });

  test('logs --follow --limit begins with the newest entries, and ends quietly when nobody reads any more', async () => {
    const { attempts } = await runCommandJson<Sent>(env, 'send', '--to', TO, ...SMS);
    const following = startCli(env, ['logs', '--follow', '--limit', '1']);
    await following.until('stdout', attempts[0]?.attemptId ?? 'an attempt');
    following.child.stdout?.destroy();
    await runCommandJson(env, 'send', '--to', TO, ...SMS);
    expect(await following.result).toMatchObject({ status: 0, stderr: expect.not.stringContaining('EPIPE') });
  });

  test.each([
    [
      'an account that does not exist',
      ['account', 'set', 'acc_none', '--unified-api', 'on'],
      'not_found: There is no such account. The operator lists them with `accounts`.\nRun: npx heliograph account list',
    ],
    [
      'an account to act for that does not exist',
      ['logs', '--account', 'acc_none'],
      'not_found: There is no such account. The operator lists them with `accounts`.\nRun: npx heliograph account list',
    ],
    [
      'a token that does not exist',
      ['token', 'revoke', 'tok_none'],
      'not_found: There is no such token.\nRun: npx heliograph token list',
    ],
    ['an input that the API does not take', ['account', 'create', ''], 'invalid_input: <name>: must not be empty'],
    [
      'a recipient that is no number',
      ['send', '--to', 'x', '--text', TEXT],
      'invalid_input: --to: must be a phone number with country code, like +12025550100',
    ],
  ])('refuses %s with status 1 and the code of the API', async (_what, args, message) => {
    expect(await runCommand(env, ...args, '--json')).toEqual({ status: 1, stdout: '', stderr: `${message}\n` });
  });

  test('refuses a token of the operator that is not the one of the gateway', async () => {
    const { status, stderr } = await runCommand({ ...env, OPERATOR_TOKEN: 'x'.repeat(40) }, 'account', 'list');
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^unauthenticated: The gateway at http:\S+ \(process \d+\) has another operator token\. Set OPERATOR_TOKEN to the one /,
    );
  });
});

describe('wrong usage', () => {
  test.each([
    ['no command', [], /^Usage: /],
    ['an unknown command', ['balanse'], /unknown command 'balanse'/],
    ['an unknown subcommand', ['account', 'drop'], /unknown command 'drop'/],
    ['a group alone', ['token'], /^Usage: /],
    ['a missing argument', ['account', 'create'], /missing required argument 'name'/],
    ['an argument too many', ['migrate', 'now'], /too many arguments/],
    ['an unknown option', ['account', 'list', '--yaml'], /unknown option '--yaml'/],
    ['a missing option', ['token', 'create', 'acc_x'], /required option '--area <area>' not specified/],
    ['a bad word', ['token', 'create', 'acc_x', '--area', 'chat'], /Allowed choices are unified, sms, otp, management/],
    ['a bad time', ['account', 'set', 'acc_x', '--plan-expires', 'soon'], /Give a time like/],
    ['a bad limit', ['logs', '--limit', '0'], /Give a whole number from 1 to 200/],
    ['a bad channel', ['send', '--to', TO, '--text', TEXT, '--channels', 'sms,fax'], /Give some of chat_qr/],
    ['nothing to set', ['account', 'set', 'acc_x'], /give at least one of/],
    ['no word of a rule', ['sender', 'rule', 'set', 'US'], /required option '--alphanumeric <what>' not specified/],
  ])('%s ends with status 2 and says why, on standard error', async (_what, args, why) => {
    const { status, stdout, stderr } = await runCommand({ DATA_DIR: '/nowhere/that/can/be/made' }, ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(why);
  });

  test.each([
    ['a missing option', ['token', 'create', 'acc_x'], 'token create --help'],
    ['an unknown command of a group', ['account', 'drop'], 'account --help'],
    ['an unknown command', ['balanse'], '--help'],
  ])('after %s, the last line names the help that tells it', async (_what, args, help) => {
    const { stderr } = await runCommand({ DATA_DIR: '/nowhere/that/can/be/made' }, ...args);
    expect(stderr.trim().split('\n').at(-1)).toBe(`(npx heliograph ${help} shows what it takes)`);
  });

  test('ends the process with status 2', async () => {
    expect(await runCli({}, 'balanse')).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/unknown command 'balanse'/),
    });
  });

  test('asking for help is none', async () => {
    const { status, stdout, stderr } = await runCli({}, 'send', '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('--channels <list>');
  });

  test('settings that cannot be used are refused all at once, with status 1', async () => {
    const { status, stdout, stderr } = await runCli({ PORT: 'x', ROLE: 'y' }, 'account', 'list');
    expect({ status, stdout, faults: stderr.trim().split('\n').length }).toEqual({ status: 1, stdout: '', faults: 2 });
  });
});

describe('without a gateway, on the embedded database', () => {
  test('demo makes the account, a second one answers the same, and commands at once wait for each other', async () => {
    const env = { DATA_DIR: join(await makeFolder(), 'data here') };
    const first = await runCli(env, 'demo');
    expect(first.status).toBe(0);
    expect(JSON.parse(first.stdout)).toEqual(JSON.parse(await readFile(join(env.DATA_DIR, 'demo.json'), 'utf8')));
    const [again, sent] = await Promise.all([
      runCliJson(env, 'demo'),
      runCliJson<Sent>(env, 'send', '--to', TO, ...SMS),
    ]);
    expect(again).toEqual(JSON.parse(first.stdout));
    expect(sent).toMatchObject({ status: 'sent', attempts: [{ status: 'sent' }] });
    expect(await runCommandJson(env, 'logs')).toMatchObject([{ messageId: sent.messageId }]);
  }, 120_000);
});

test('a command says that it waits for who holds the data directory, and runs once it is free', async () => {
  const dataDir = await makeFolder();
  const lock = lockDataDir(dataDir);
  const waiting = startCli({ DATA_DIR: dataDir }, ['account', 'list', '--json']);
  await waiting.until('stderr', `works on the data directory ${dataDir}: waiting for it …`);
  lock.release();
  expect(await waiting.result).toMatchObject({ status: 0, stdout: '[]\n' });
}, 120_000);

test('a data directory that cannot be used is refused at once, with status 1', async () => {
  const { status, stdout, stderr } = await runCli({ DATA_DIR: join(import.meta.filename, 'data') }, 'account', 'list');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^The data directory .* is a file or lies below one, not a directory; .*\n$/);
});

describePostgres('without a gateway, on a PostgreSQL', () => {
  let database: TestDatabase;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createDatabase();
    env = { DATA_DIR: await makeFolder(), DATABASE_URL: database.kind === 'postgres' ? database.url : '' };
  });

  afterAll(() => database.drop());

  /** The error text of a refused command. */
  async function refused(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await runCommand(env, ...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    return stderr;
  }

  test('send names no account where there is none, and none of several', async () => {
    const request = ['send', '--to', TO, ...SMS, '--json'];
    expect(await runCommand(env, ...request)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^not_found: /),
    });
    await runCommand(env, 'account', 'create', 'One');
    expect(await runCommand(env, ...request)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^sender_not_approved: /),
    });
    await runCommand(env, 'account', 'create', 'Two');
    expect(await runCommand(env, ...request)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'invalid_input: There are several accounts. Name one with --account.\n',
    });
    const demo = await runCommandJson<Demo>(env, 'demo');
    // By a process of its own, which ends of itself though it had the database open.
    expect(await runCliJson(env, 'demo')).toEqual(demo);
    const following = startCli(env, ['logs', '--follow', '--json']);
    await following.until('stderr', 'Following the log');
    const { messageId } = await runCommandJson<Sent>(env, 'send', '--to', TO, ...SMS);
    await following.until('stdout', messageId);
    following.child.kill('SIGINT');
    expect((await following.result).status).toBe(0);
  }, 120_000);

  test.each([
    ['account', 'set', 'acc_none', '--unified-api', 'on'],
    ['logs', '--account', 'acc_none'],
  ])('refuses what does not exist as a gateway does: %s %s', async (...args) => {
    expect(await refused(...args)).toBe(
      'not_found: There is no such account. The operator lists them with `accounts`.\nRun: npx heliograph account list\n',
    );
  });

  test.each(['::', '::1', 'fd00::5'])('works where HOST is %s, of IPv6', async host => {
    expect(await runCommand({ ...env, HOST: host }, 'account', 'list')).toMatchObject({ status: 0 });
  });

  test('refuses a value that does not fit as a gateway does', async () => {
    expect(await refused('account', 'create', 'x'.repeat(201))).toBe(
      'invalid_input: <name>: must have at most 200 characters\n',
    );
  });
});
