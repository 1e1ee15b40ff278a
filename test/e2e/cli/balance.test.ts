import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { runCommand, runCommandJson } from '../../support/processes/cli.ts';
import { type DemoGateway, makeFolder, startDemoGateway } from '../../support/processes/gateway.ts';

interface Balance {
  readonly accountId: string;
  readonly credits: number;
}

describe('balance', () => {
  let gateway: DemoGateway;
  let env: { DATA_DIR: string };
  let accountId: string;

  beforeAll(async () => {
    gateway = await startDemoGateway();
    env = { DATA_DIR: gateway.dataDir };
  });
  beforeEach(async () => {
    ({ accountId } = await runCommandJson<Balance>(env, 'account', 'create', 'Harbour'));
  });

  const add = (credits: string, ...more: string[]) =>
    runCommandJson<Balance>(env, 'balance', 'add', accountId, credits, '--reason', 'test', ...more);

  /** A line of the log with this message about the account. @throws Error if there is none yet */
  function lineOf(message: string): string {
    const line = gateway
      .stderr()
      .split('\n')
      .find(each => each.includes(message) && each.includes(accountId));
    if (line === undefined) throw new Error(`the log does not say "${message}"`);
    return line;
  }

  test('show of a new account is nothing at all', async () => {
    expect(await runCommandJson(env, 'balance', 'show', accountId)).toEqual({
      accountId,
      credits: 0,
      held: 0,
      lowBalanceThreshold: null,
      lowBalanceSince: null,
      dailySpendCap: null,
      spentToday: 0,
    });
  });

  test('show of the demo account has its credits', async () => {
    expect(await runCommandJson(env, 'balance', 'show', gateway.demo.accountId)).toMatchObject({ credits: 1_000 });
  });

  test('show without --json is a table', async () => {
    const { stdout } = await runCommand(env, 'balance', 'show', accountId);
    expect(stdout).toMatch(/^ACCOUNT +CREDITS +HELD +LOW BELOW +LOW SINCE +SPENT TODAY +DAILY CAP\nacc_/);
  });

  test('add gives credits, and takes them away', async () => {
    await add('8');
    expect(await add('-5')).toMatchObject({ accountId, credits: 3 });
  });

  test('add with a reference adds once', async () => {
    await add('8', '--reference', 'r-1');
    expect(await add('8', '--reference', 'r-1')).toMatchObject({ credits: 8 });
  });

  test('add of less than there is ends with status 1 and the code of the API', async () => {
    const { status, stderr } = await runCommand(env, 'balance', 'add', accountId, '-5', '--reason', 'x');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^insufficient_balance: The account has 0 credits/),
    });
  });

  test('set changes what is given, and none takes it away', async () => {
    await runCommandJson(env, 'balance', 'set', accountId, '--low', '5', '--daily-cap', '0');
    expect(await runCommandJson(env, 'balance', 'set', accountId, '--low', 'none')).toMatchObject({
      lowBalanceThreshold: null,
      dailySpendCap: 0,
    });
  });

  test('ledger lists what was added, the newest first', async () => {
    await add('8');
    await add('-5', '--reference', 'r-2');
    expect(await runCommandJson(env, 'balance', 'ledger', accountId)).toMatchObject([
      { kind: 'adjustment', credits: -5, reason: 'test', reference: 'r-2', attemptId: null },
      { kind: 'adjustment', credits: 8, reason: 'test', reference: null },
    ]);
  });

  test('ledger takes a limit and a kind', async () => {
    await add('8');
    await add('9');
    expect(await runCommandJson(env, 'balance', 'ledger', accountId, '--limit', '1')).toHaveLength(1);
    expect(await runCommand(env, 'balance', 'ledger', accountId, '--kind', 'hold')).toEqual({
      status: 0,
      stdout: '',
      stderr: 'The ledger has no such entry.\n',
    });
  });

  test('check finds nothing', async () => {
    expect(await runCommand(env, 'balance', 'check', '--json')).toEqual({
      status: 0,
      stdout: '[]\n',
      stderr: 'The ledger has no fault.\n',
    });
  });

  test.each(['show', 'ledger'])('%s of no account is refused', async command => {
    const { status, stderr } = await runCommand(env, 'balance', command, 'acc_none');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^not_found: There is no such account\./);
  });

  test('a balance that becomes low is told by the worker within seconds', async () => {
    await add('8');
    await runCommandJson(env, 'balance', 'set', accountId, '--low', '5');
    await add('-4');
    const line = await vi.waitFor(() => lineOf('the balance of an account is low'), { timeout: 60_000, interval: 100 });
    expect(JSON.parse(line)).toMatchObject({ accountId, credits: 4, threshold: 5 });
  });
});

describePostgres('balance check on a ledger with a fault', () => {
  let database: TestDatabase;
  let env: { DATA_DIR: string; DATABASE_URL: string };

  beforeAll(async () => {
    database = await createDatabase();
    if (database.kind !== 'postgres') throw new Error('this test is of PostgreSQL');
    env = { DATA_DIR: await makeFolder(), DATABASE_URL: database.url };
  });
  afterAll(() => database.drop());

  test('ends with status 1 and shows it', async () => {
    const { accountId } = await runCommandJson<Balance>(env, 'account', 'create', 'Broken');
    await runSql(env.DATABASE_URL, `set session_replication_role = replica; update accounts set credits = 7`);
    const { status, stdout, stderr } = await runCommand(env, 'balance', 'check', '--json');
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'The ledger has faults: 1.\n' });
    expect(JSON.parse(stdout)).toEqual([
      { accountId, kind: 'balance_differs', attemptId: null, found: 7, expected: 0 },
    ]);
  });
});

describe('wrong usage', () => {
  test.each([
    ['no reason', ['add', 'acc_x', '5'], /required option '--reason <text>' not specified/],
    ['no credits', ['add', 'acc_x', '--reason', 'x'], /missing required argument 'credits'/],
    [
      '0 credits',
      ['add', 'acc_x', '0', '--reason', 'x'],
      /Give a whole number from -1000000000 to 1000000000, and not 0/,
    ],
    ['a part of a credit', ['add', 'acc_x', '-1.5', '--reason', 'x'], /Give a whole number/],
    ['nothing to set', ['set', 'acc_x'], /give at least one of --low and --daily-cap/],
    ['a threshold of 0', ['set', 'acc_x', '--low', '0'], /Give a whole number from 1 to 1000000000, or none/],
    ['an unknown kind', ['ledger', 'acc_x', '--kind', 'gift'], /Allowed choices are adjustment, hold/],
  ])('%s ends with status 2 and says why', async (_what, args, why) => {
    const { status, stdout, stderr } = await runCommand({ DATA_DIR: '/nowhere/that/can/be/made' }, 'balance', ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(why);
  });
});
