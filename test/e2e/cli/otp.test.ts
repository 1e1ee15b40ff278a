import { beforeAll, describe, expect, test } from 'vitest';
import { runCommand, runCommandJson } from '../../support/processes/cli.ts';
import { type DemoGateway, startDemoGateway } from '../../support/processes/gateway.ts';

const DEMO_SETTINGS = {
  cooldownSeconds: 60,
  sendsPerHour: 5,
  sendsPerDay: 10,
  sendsPerAddress: 20,
  wrongCodesPerDay: 20,
  wrongCodesPerAddress: 30,
  wrongCodesPerAccount: null,
  countries: ['*'],
  fraudMode: 'observe',
  smartEncoding: true,
};

describe('otp', () => {
  let env: DemoGateway['env'];
  let accountId: string;

  beforeAll(async () => {
    const gateway = await startDemoGateway();
    ({ env } = gateway);
    ({ accountId } = gateway.demo);
  });

  test('settings shows those of the account, set changes what is given and leaves the rest', async () => {
    expect(await runCommandJson(env, 'otp', 'settings', accountId)).toEqual({ accountId, ...DEMO_SETTINGS });
    const sends = ['--sends-per-hour', '1', '--sends-per-day', '2', '--sends-per-address', '6'];
    const limits = ['--cooldown', '0', ...sends];
    const wrong = ['--wrong-codes-per-day', '3', '--wrong-codes-per-address', '4', '--wrong-codes-per-account', '5'];
    await runCommandJson(env, 'otp', 'set', accountId, '--countries', 'us,DE', '--fraud', 'block');
    await runCommandJson(env, 'otp', 'set', accountId, '--smart-encoding', 'off');
    expect(await runCommandJson(env, 'otp', 'set', accountId, ...limits, ...wrong)).toEqual({
      accountId,
      cooldownSeconds: 0,
      sendsPerHour: 1,
      sendsPerDay: 2,
      sendsPerAddress: 6,
      wrongCodesPerDay: 3,
      wrongCodesPerAddress: 4,
      wrongCodesPerAccount: 5,
      countries: ['US', 'DE'],
      fraudMode: 'block',
      smartEncoding: false,
    });
  });

  test.each([
    ['--wrong-codes-per-account', 'wrongCodesPerAccount'],
    ['--sends-per-address', 'sendsPerAddress'],
  ])('set %s none takes that limit away', async (option, member) => {
    const { accountId: id } = await runCommandJson<{ accountId: string }>(env, 'account', 'create', 'Harbour');
    await runCommand(env, 'otp', 'set', id, option, '5');
    expect(await runCommandJson(env, 'otp', 'set', id, option, 'none')).toMatchObject({ [member]: null });
    expect(await runCommandJson(env, 'otp', 'settings', id)).toMatchObject({ [member]: null });
  });

  test('settings without --json is a table', async () => {
    const { stdout } = await runCommand(env, 'otp', 'settings', accountId);
    expect(stdout).toMatch(
      /^ACCOUNT +COUNTRIES +FRAUD +SMART ENCODING +COOLDOWN +SENDS\/HOUR +SENDS\/DAY +SENDS\/ADDRESS +WRONG\/DAY +WRONG\/ADDRESS +WRONG\/ACCOUNT\n/,
    );
  });

  test('template sets the template of a cloud number', async () => {
    expect(await runCommandJson(env, 'otp', 'template', accountId, '+15550000002', 'login_code', 'de')).toMatchObject({
      channel: 'chat_cloud',
      name: '15550000002',
      otpTemplate: { name: 'login_code', language: 'de' },
    });
  });

  test.each([
    [['settings', 'acc_none'], 'not_found: There is no such account. The operator lists them with `accounts`.\n'],
    [
      ['template', 'acc_none', '15550000002', 'a', 'en'],
      'not_found: There is no such account. The operator lists them with `accounts`.\n',
    ],
    [['set', 'acc_none', '--countries', 'ZZ'], /^invalid_input: --countries: must be the code of a country/],
  ])('%j is refused with status 1 and the code of the API', async (args, message) => {
    const { status, stdout, stderr } = await runCommand(env, 'otp', ...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('wrong usage', () => {
  test.each([
    ['nothing to set', ['set', 'acc_x'], /give at least one of/],
    ['a bad mode', ['set', 'acc_x', '--fraud', 'deny'], /Allowed choices are off, observe, block/],
    ['a bad country', ['set', 'acc_x', '--countries', 'Germany'], /Give codes of two letters/],
    ['a limit out of range', ['set', 'acc_x', '--sends-per-day', '101'], /Give a whole number from 1 to 100/],
    ['a template without its language', ['template', 'acc_x', '1', 'a'], /missing required argument 'language'/],
  ])('%s ends with status 2 and says why', async (_what, args, why) => {
    const { status, stdout, stderr } = await runCommand({ DATA_DIR: '/nowhere/that/can/be/made' }, 'otp', ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(why);
  });
});
