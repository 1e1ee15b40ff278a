import { beforeAll, expect, test } from 'vitest';
import { runCommand, runCommandJson } from '../../../support/processes/cli.ts';
import { startDemoGateway } from '../../../support/processes/gateway.ts';

const PHONE = '+12025550143';

let env: { DATA_DIR: string };

beforeAll(async () => {
  const { dataDir } = await startDemoGateway();
  env = { DATA_DIR: dataDir };
});

test('recipient export prints all that is held, and recipient erase blanks it when it is told to', async () => {
  await runCommand(env, 'inbox', 'reply', '--from', PHONE, '--to', 'DEMO', '--text', 'Orange umbrella');
  await runCommand(env, 'inbox', 'reply', '--from', PHONE, '--to', 'DEMO', '--text', 'STOP');
  const held = await runCommand(env, 'recipient', 'export', PHONE);
  expect(held).toMatchObject({ status: 0, stdout: expect.stringContaining('Orange umbrella'), stderr: '' });
  const asked = await runCommand(env, 'recipient', 'erase', PHONE);
  expect(asked).toMatchObject({ status: 2, stderr: expect.stringContaining('give --yes if you want it') });
  const erased = await runCommand(env, 'recipient', 'erase', PHONE, '--yes');
  expect(erased).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^\d+ rows were blanked or deleted\. The stop of the recipient holds on\.\n$/),
  });
  expect(await runCommandJson(env, 'recipient', 'export', PHONE)).toMatchObject({ records: [] });
});

test('recipient erase says what is wrong', async () => {
  expect(await runCommand(env, 'recipient', 'erase', '12', '--yes')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^invalid_input: .*must be a phone number with country code/),
  });
});
