import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, runCliJson } from '../support/cli.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const URL_ONE = 'https://8.8.8.8/hooks';

interface Made {
  readonly endpointId: string;
  readonly secret: string;
}

describe('webhooks', () => {
  let gateway: Gateway;
  let env: { DATA_DIR: string };

  beforeAll(async () => {
    gateway = await startGateway();
    env = { DATA_DIR: gateway.dataDir };
  });
  afterAll(async () => {
    gateway.kill();
    await gateway.exited;
  });

  test('create prints the secret, list does not, and delete ends it', async () => {
    const { accountId } = await runCliJson<{ accountId: string }>(env, 'account', 'create', 'Harbour');
    const own = ['--account', accountId];
    const created = await runCli(env, 'webhooks', 'create', URL_ONE, '--events', 'message.sent,otp.sent', ...own);
    expect({ status: created.status, stderr: created.stderr }).toEqual({ status: 0, stderr: '' });
    const { endpointId, secret } = JSON.parse(created.stdout) as Made;
    expect(JSON.parse(created.stdout)).toEqual({
      endpointId: expect.stringMatching(/^whk_/),
      url: URL_ONE,
      secret: expect.stringMatching(/^whsec_/),
    });
    const listed = await runCli(env, 'webhooks', 'list', ...own);
    expect(listed.stdout).toMatch(/^ENDPOINT +STATUS +WHY +FAILING SINCE +URL +EVENTS +DESCRIPTION\n/);
    expect(listed.stdout).toMatch(
      new RegExp(`^${endpointId} +enabled +- +- +${URL_ONE} +message.sent,otp.sent +-$`, 'm'),
    );
    expect(listed.stdout).not.toContain(secret);
    expect(await runCliJson(env, 'webhooks', 'delete', endpointId, ...own)).toMatchObject({ endpointId });
    const none = { status: 0, stdout: '', stderr: 'The account has no webhook endpoint yet.\n' };
    expect(await runCli(env, 'webhooks', 'list', ...own)).toEqual(none);
  });

  // Without --account it is the demo account.
  test('update, pause, resume, enable and rotate change an endpoint', async () => {
    const words = ['create', URL_ONE, '--events', '*', '--description', 'Orders'];
    const { endpointId, secret } = await runCliJson<Made>(env, 'webhooks', ...words);
    const change = (verb: string, ...options: string[]) =>
      runCliJson<object>(env, 'webhooks', verb, endpointId, ...options);
    const options = ['--url', 'https://8.8.4.4/', '--events', 'otp.failed', '--description', ''];
    const updated = { endpointId, url: 'https://8.8.4.4/', events: ['otp.failed'], description: null };
    expect(await change('update', ...options)).toMatchObject(updated);
    expect(await change('pause')).toMatchObject({ ...updated, status: 'paused' });
    expect(await change('resume')).toMatchObject({ ...updated, status: 'enabled' });
    expect(await change('enable')).toMatchObject({ ...updated, status: 'enabled' });
    const rotated = await change('rotate');
    expect(rotated).toEqual({ endpointId, url: updated.url, secret: expect.stringMatching(/^whsec_/) });
    expect(rotated).not.toMatchObject({ secret });
  });

  test.each([
    [['pause', 'whk_none'], 'not_found: There is no such webhook endpoint.\n'],
    [['create', 'http://10.0.0.1/', '--events', '*'], /^invalid_input: url: /],
  ])('%j is refused with status 1 and the code of the API', async (args, message) => {
    const { status, stdout, stderr } = await runCli(env, 'webhooks', ...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('wrong usage', () => {
  test.each([
    ['no events', ['create', URL_ONE], /required option '--events <list>' not specified/],
    ['an unknown event', ['create', URL_ONE, '--events', 'otp.lost'], /Give some of message\.sent, /],
    ['nothing to update', ['update', 'whk_x'], /give at least one of --url, --events and --description/],
    ['page 0', ['list', '--page', '0'], /Give a whole number from 1 to/],
  ])('%s ends with status 2 and says why', async (_what, args, why) => {
    const { status, stdout, stderr } = await runCli({ DATA_DIR: '/nowhere/that/can/be/made' }, 'webhooks', ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(why);
  });
});
