import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand, runCommandJson } from '../../support/processes/cli.ts';
import { startDemoGateway } from '../../support/processes/gateway.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

let env: { DATA_DIR: string };
let chat: Receiver;
let answers = 200;

beforeAll(async () => {
  chat = await startReceiver((_request, response) => void response.writeHead(answers).end());
  const { dataDir } = await startDemoGateway({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
  env = { DATA_DIR: dataDir };
});
afterAll(() => chat?.close());

test('alert add, list, set, test and remove', async () => {
  const { host } = new URL(chat.url);
  const made = await runCommandJson<{ id: string }>(
    env,
    ...['alert', 'add', '--kind', 'balance_low', '--threshold', '10', '--lasting', '5', '--slack-url', chat.url],
  );
  expect(made).toMatchObject({
    kind: 'balance_low',
    threshold: 10,
    lastingMinutes: 5,
    quietMinutes: 60,
    slackHost: host,
  });

  const taken = await runCommand(env, 'alert', 'test', made.id);
  expect(taken).toMatchObject({ status: 0, stderr: '' });
  expect(taken.stdout).toMatch(new RegExp(`^TOLD TO +ANSWER\n${host} +taken\n$`));
  expect(chat.received[0]?.body).toContain('Test, nothing is wrong: The balance is 9 credits, below 10.');
  answers = 404;
  const refused = await runCommand(env, 'alert', 'test', made.id);
  expect(refused).toMatchObject({ status: 1, stderr: 'Not taken by 1 of 1.\n' });
  expect(refused.stdout).toContain(`${host} answered 404, not 2xx.`);

  const set = ['alert', 'set', made.id, '--threshold', '20', '--slack-url', 'none', '--pause'];
  const changed = { id: made.id, threshold: 20, lastingMinutes: 5, slackHost: null, paused: true };
  expect(await runCommandJson(env, ...set)).toMatchObject(changed);
  const listed = await runCommand(env, 'alert', 'list');
  expect(listed.stdout).toMatch(/^RULE +KIND +THRESHOLD +LASTING +QUIET +STATE +TOLD TO\n/);
  expect(listed.stdout).toMatch(new RegExp(`^${made.id} +balance_low +20 +5 min +60 min +paused +-$`, 'm'));
  const untold = 'Nobody is told: the rule names no address, and no endpoint gets alert.raised.\n';
  expect(await runCommand(env, 'alert', 'test', made.id)).toEqual({ status: 0, stdout: '', stderr: untold });

  expect(await runCommandJson(env, 'alert', 'remove', made.id, '--yes')).toMatchObject(changed);
  const none = { status: 0, stdout: '', stderr: 'The account has no alert rule yet.\n' };
  expect(await runCommand(env, 'alert', 'list')).toEqual(none);
  expect((await runCommand(env, 'alert', 'test', made.id)).stderr).toBe(
    'not_found: There is no such alert rule.\nRun: npx heliograph alert list\n',
  );
});
