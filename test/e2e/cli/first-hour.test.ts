import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newPhone } from '../../support/otp/pins.ts';
import { runCommand, runCommandJson } from '../../support/processes/cli.ts';
import { type DemoGateway, startDemoGateway } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

interface SentOtp {
  readonly pinId: string;
  readonly status: string;
}

const SMS = ['--channels', 'sms', '--sender', 'DEMO', '--text', 'Quiet harbour'];

let gateway: DemoGateway;
let env: { DATA_DIR: string };

beforeAll(async () => {
  gateway = await startDemoGateway({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
  env = { DATA_DIR: gateway.dataDir };
});

describe('message show', () => {
  test('shows a message with its attempts, by its id and by its reference', async () => {
    const sent = await runCommandJson<{ messageId: string }>(
      env,
      'send',
      '--to',
      newPhone(),
      ...SMS,
      '--reference',
      'shown-1',
    );
    expect(await runCommandJson(env, 'message', 'show', sent.messageId)).toMatchObject({
      messageId: sent.messageId,
      attempts: [{ channel: 'sms', provider: 'sandbox' }],
    });
    const { status, stdout, stderr } = await runCommand(env, 'message', 'show', 'shown-1');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^message +${sent.messageId}\\nstatus +(sent|delivered)\\n`));
    expect(stdout).toMatch(/\n\nSTARTED +CHANNEL +PROVIDER +STATUS +MS +SEGMENTS +CREDITS +ERROR +ATTEMPT\n/);
    expect(stdout).toMatch(/\n\nAFTER +STEP +CHANNEL +WHAT\n0 ms +accepted +- +Accepted, to go over SMS\.\n/);
  });

  test.each([
    ['msg_none', 'not_found: There is no message with the id msg_none.\nRun: npx heliograph logs\n'],
    ['never-used', 'not_found: There is no message with the reference never-used.\nRun: npx heliograph logs\n'],
  ])('says that there is no %s', async (name, stderr) => {
    expect(await runCommand(env, 'message', 'show', name)).toEqual({ status: 1, stdout: '', stderr });
  });
});

test('send says that a reference was used already, and what it shows', async () => {
  const request = ['send', '--to', newPhone(), ...SMS, '--reference', 'again-1'];
  const first = await runCommand(env, ...request);
  const again = await runCommand(env, ...request);
  expect(first.stderr).toBe('');
  expect(again).toEqual({
    status: 0,
    stdout: first.stdout,
    stderr: 'Nothing was sent again: this is what the same request with the reference again-1 was answered first.\n',
  });
});

describe('wrong usage', () => {
  test.each([
    [['send'], "error: required options '--to <number>' and '--text <text>' not specified"],
    [
      ['send', '--to', '1', '--to', '2', ...SMS],
      "error: option '--to <number>' argument '2' is invalid. Give it once.",
    ],
    [['trigger', 'nope'], "error: the value 'nope' is invalid for argument 'event'."],
    [['help', 'nope'], 'error: there is no command nope'],
    [['otp', 'set', 'acc_1'], 'error: give at least one of --countries, --fraud, --smart-encoding'],
  ])('%j is told as it is', async (args, message) => {
    const { status, stderr } = await runCommand(env, ...args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
  });
});

test.each([
  ['help', 'account', 'set'],
  ['account', 'help', 'set'],
])('%s %s %s finds the command of a group', async (...words) => {
  const { status, stdout } = await runCommand(env, ...words);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Usage: npx heliograph account set /);
});

test('otp send says until when the code holds, and how it is verified', async () => {
  const { stderr, stdout } = await runCommand(env, 'otp', 'send', '--to', newPhone());
  const pinId = /pin_[0-9a-f]+/.exec(stdout)?.[0];
  expect(stderr).toMatch(
    new RegExp(`^The code holds until \\d{4}-\\S+Z: npx heliograph otp verify ${pinId} <code>\\n$`),
  );
});

test('logs name the message, or the passcode, of each entry', async () => {
  const to = newPhone();
  const { messageId } = await runCommandJson<{ messageId: string }>(env, 'send', '--to', to, ...SMS);
  const { pinId } = await runCommandJson<SentOtp>(env, 'otp', 'send', '--to', to);
  const { stdout } = await runCommand(env, 'logs', '--to', to);
  expect(stdout).toMatch(/^TIME .* MESSAGE +ENTRY\n/);
  expect(stdout).toMatch(new RegExp(` ${messageId} +att_`));
  expect(stdout).toMatch(new RegExp(` ${pinId} +att_`));
});

describe('otp', () => {
  test('send sends a passcode, which verify takes once', async () => {
    const to = newPhone();
    const sent = await runCommandJson<SentOtp>(env, 'otp', 'send', '--to', to, '--length', '8');
    expect(sent).toMatchObject({ pinId: expect.stringMatching(/^pin_/), status: 'sent', length: 8 });
    const code = (await runCommand(env, 'inbox', 'wait', '--to', to, '--code')).stdout.trim();
    expect(code).toMatch(/^\d{8}$/);
    const verified = await runCommand(env, 'otp', 'verify', sent.pinId, code);
    expect(verified).toEqual({ status: 0, stdout: `${sent.pinId} to ${to.slice(1)}: verified\n`, stderr: '' });
    expect(await runCommand(env, 'otp', 'verify', sent.pinId, code)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^otp_already_verified: /),
    });
  });

  test('verify ends with status 1 where the code is wrong', async () => {
    const { pinId } = await runCommandJson<SentOtp>(env, 'otp', 'send', '--to', newPhone(), '--length', '10');
    expect(await runCommand(env, 'otp', 'verify', pinId, '0000000000')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^otp_incorrect: /),
    });
  });

  test('template names its argument where it is no number', async () => {
    const { accountId } = gateway.demo;
    expect(await runCommand(env, 'otp', 'template', accountId, '999', 'sign_in', 'en_US')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^invalid_input: <cloudNumber>: /),
    });
  });

  test('verify names its argument where it is no code', async () => {
    expect(await runCommand(env, 'otp', 'verify', 'pin_none', 'x')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^invalid_input: <pin>: /),
    });
  });

  test('send ends with status 1 where no channel takes the passcode', async () => {
    expect(await runCommand(env, 'otp', 'send', '--to', '+12025550104')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^all_channels_failed: /),
    });
  });
});

test('message show names its argument where it can be no reference', async () => {
  expect(await runCommand(env, 'message', 'show', 'x'.repeat(5_000))).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^invalid_input: <message>: /),
  });
});

test('inbox alone lists', async () => {
  const to = newPhone();
  await runCommandJson(env, 'send', '--to', to, ...SMS);
  const messages = await runCommandJson(env, 'inbox', '--to', to);
  expect(messages).toMatchObject([{ text: 'Quiet harbour' }]);
  expect(await runCommandJson(env, 'inbox', 'list', '--to', to)).toEqual(messages);
});

describe('trigger', () => {
  let receiver: Receiver;

  afterEach(() => receiver.close());

  test('delivers a sample to every endpoint that gets the event, or to the one that is named', async () => {
    receiver = await startReceiver();
    const create = (...args: string[]) => runCommandJson<{ endpointId: string }>(env, 'webhooks', 'create', ...args);
    const one = await create(`${receiver.url}/one`, '--events', 'otp.expired');
    const two = await create(`${receiver.url}/two`, '--events', 'otp.expired,otp.sent');
    const other = await create(`${receiver.url}/other`, '--events', 'otp.verified');
    const paused = await create(`${receiver.url}/paused`, '--events', 'otp.expired');
    await runCommandJson(env, 'webhooks', 'pause', paused.endpointId);
    const made = await runCommandJson<{ endpointId: string }[]>(env, 'trigger', 'otp.expired');
    expect(made.map(({ endpointId }) => endpointId).sort()).toEqual([one.endpointId, two.endpointId].sort());
    expect(receiver.received.map(({ headers }) => headers['x-service-event'])).toEqual(['otp.expired', 'otp.expired']);
    const named = await runCommand(env, 'trigger', 'otp.failed', '--endpoint', other.endpointId);
    expect(named).toMatchObject({ status: 0, stderr: '' });
    expect(named.stdout).toMatch(new RegExp(`^ENDPOINT +HTTP +MS +ERROR +DELIVERY\\n${other.endpointId} +2\\d\\d `));
  });

  test('ends with status 1 where an endpoint does not take it, and where none gets it', async () => {
    receiver = await startReceiver();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    await runCommandJson(env, 'webhooks', 'create', receiver.url, '--events', 'message.routed');
    expect(await runCommand(env, 'trigger', 'message.routed')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('bad_status'),
      stderr: 'Not taken by 1 of 1: The endpoint answered 500, not 2xx.\n',
    });
    expect(await runCommand(env, 'trigger', 'sms.failed')).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^not_found: Nobody is told of sms\.failed: .* run webhooks listen, first\.\n$/),
    });
  });
});

test('--version prints the version', async () => {
  expect(await runCommand({}, '--version')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

test('completion prints a script that bash reads', async () => {
  const { status, stdout, stderr } = await runCommand({}, 'completion', 'bash');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(spawnSync('bash', ['-n'], { input: stdout }).status).toBe(0);
});

test('--json may stand before the command, within it and behind it', async () => {
  const documents = [
    await runCommand(env, '--json', 'account', 'list'),
    await runCommand(env, 'account', '--json', 'list'),
    await runCommand(env, 'account', 'list', '--json'),
  ].map(({ stdout }) => JSON.parse(stdout));
  expect(documents).toEqual([documents[0], documents[0], documents[0]]);
});

describe('what cannot be undone', () => {
  const RULE = ['sender', 'rule', 'set', 'FR', '--alphanumeric', 'refused'];

  test('is wrong usage where nobody can be asked, unless --yes is given, and says what was done', async () => {
    await runCommandJson(env, ...RULE);
    const remove = ['sender', 'rule', 'remove', 'FR'];
    expect(await runCommand(env, ...remove)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('--yes'),
    });
    const rules = await runCommandJson<object[]>(env, 'sender', 'rule', 'list');
    expect(rules).toContainEqual(expect.objectContaining({ country: 'FR' }));
    expect(await runCommand(env, ...remove, '--yes')).toMatchObject({
      status: 0,
      stderr: 'The rule of FR is removed.\n',
    });
  });

  test('a token is revoked by scripts as ever', async () => {
    const { tokenId } = await runCommandJson<{ tokenId: string }>(
      env,
      'token',
      'create',
      gateway.demo.accountId,
      '--area',
      'sms',
    );
    expect(await runCommand(env, 'token', 'revoke', tokenId)).toMatchObject({
      status: 0,
      stderr: `The token ${tokenId} is revoked: it opens nothing any more.\n`,
    });
  });
});

const hasScript = spawnSync('script', ['--version']).status === 0;

describe.runIf(hasScript)('on a terminal', () => {
  /** Runs a command on a terminal of its own, 80 characters wide, and types `typed` when it asks. */
  async function onTerminal(
    more: Record<string, string>,
    typed: string,
    ...args: string[]
  ): Promise<{ status: number | null; shown: string }> {
    const words = [process.execPath, join(REPOSITORY, 'src/start.js'), 'cli', ...args];
    const command = `stty cols 80; ${words.map(word => `'${word}'`).join(' ')}`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, SHELL: '/bin/sh', TERM: 'xterm-256color', ...env, ...more },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (!shown.includes('[y/N]') && (shown + chunk).includes('[y/N]')) child.stdin.write(typed);
      shown += chunk;
    });
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, shown: shown.replaceAll('\r', '') };
  }

  test('a table fits, is coloured, and says that --wide shows it all', async () => {
    await runCommandJson(env, 'send', '--to', newPhone(), ...SMS);
    const { shown } = await onTerminal({}, '', 'logs', '--limit', '1');
    const plain = stripVTControlCharacters(shown);
    expect(['\u001b[36msent', '\u001b[32mdelivered'].some(word => shown.includes(word))).toBe(true);
    const lines = plain.split('\n');
    expect(lines.slice(0, 2).map(line => line.length)).toEqual([expect.any(Number), 80]);
    expect(shown).toContain('Shortened to fit the terminal; --wide shows it all.');
  });

  test('--wide cuts nothing, and NO_COLOR has no colours', async () => {
    const { messageId } = await runCommandJson<{ messageId: string }>(env, 'send', '--to', newPhone(), ...SMS);
    const { shown } = await onTerminal({ NO_COLOR: '1' }, '', 'logs', '--wide', '--limit', '50');
    expect(shown).toContain(messageId);
    expect(shown).not.toContain('\u001b');
    expect(shown).not.toContain('…');
  });

  test.each([
    ['y\n', 0, 'The rule of DE is removed.'],
    ['\n', 1, 'Nothing was changed.'],
    ['\u0003', 1, 'Nothing was changed.'],
    ['\u0004', 1, 'Nothing was changed.'],
  ])('a question is answered by %j', async (typed, status, said) => {
    await runCommandJson(env, 'sender', 'rule', 'set', 'DE', '--alphanumeric', 'refused');
    const ended = await onTerminal({}, typed, 'sender', 'rule', 'remove', 'DE');
    expect(ended).toEqual({ status, shown: expect.stringContaining(said) });
    expect(ended.shown).toContain('Remove the rule of DE? [y/N]');
    expect(ended.shown).not.toContain('Error');
  });
});

test('FORCE_COLOR colours where there is no terminal', async () => {
  await runCommandJson(env, 'send', '--to', newPhone(), ...SMS);
  expect((await runCommand({ ...env, FORCE_COLOR: '1' }, 'logs', '--limit', '1')).stdout).toContain('\u001b[');
});
