import { beforeAll, expect, test } from 'vitest';
import { runCommand, runCommandJson } from '../../../support/processes/cli.ts';
import { startDemoGateway } from '../../../support/processes/gateway.ts';

let env: { DATA_DIR: string };

beforeAll(async () => {
  const { dataDir } = await startDemoGateway();
  env = { DATA_DIR: dataDir };
});

test('auto-reply list, set and remove', async () => {
  const none = { status: 0, stdout: '', stderr: 'The account answers no keyword.\n' };
  expect(await runCommand(env, 'auto-reply', 'list')).toEqual(none);

  const template = { name: 'opening_hours', language: 'en_US' };
  const set = ['auto-reply', 'set', ' hours ', '--text', 'From 9 to 18.', '--cloud-template', JSON.stringify(template)];
  expect(await runCommandJson(env, ...set)).toMatchObject({
    keyword: 'HOURS',
    text: 'From 9 to 18.',
    cloudTemplate: { ...template, components: null },
  });
  const plain = await runCommand(env, 'auto-reply', 'set', 'price', '--text', 'See our list.');
  expect(plain.stdout).toMatch(/^KEYWORD +TEXT +TEMPLATE +SINCE\nPRICE +See our list\. +- +\d/);
  const listed = await runCommand(env, 'auto-reply', 'list');
  expect(listed.stdout).toMatch(/^HOURS +From 9 to 18\. +opening_hours \(en_US\) +\d.*\nPRICE +See our list\. +- /m);

  await runCommand(env, 'inbox', 'reply', '--from', '+12025550143', '--to', 'DEMO', '--text', 'Hours?');
  const answered = await runCommand(env, 'inbox', 'wait', '--to', '+12025550143');
  expect(answered).toEqual({ status: 0, stdout: 'From 9 to 18.\n', stderr: '' });

  const removed = await runCommand(env, 'auto-reply', 'remove', 'Hours');
  expect(removed).toMatchObject({ status: 0, stderr: 'HOURS is not answered any more.\n' });
  expect(await runCommand(env, 'auto-reply', 'remove', 'hours')).toMatchObject({
    status: 1,
    stderr: 'not_found: There is no auto-reply to this keyword.\nRun: npx heliograph auto-reply list\n',
  });
});

test('auto-reply set says what is wrong', async () => {
  expect(await runCommand(env, 'auto-reply', 'set', 'hours')).toMatchObject({ status: 2 });
  expect(await runCommand(env, 'auto-reply', 'set', 'Stop!', '--text', 'No.')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^invalid_input: <keyword>: is a word that stops, starts or helps/),
  });
});
