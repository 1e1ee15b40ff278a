import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openHttpGateway } from '../../support/connections/http-gateway.ts';
import { oncePerFile } from '../../support/fixtures.ts';
import { runCommand, runCommandJson } from '../../support/processes/cli.ts';
import { freePort } from '../../support/processes/free-ports.ts';
import { type DemoGateway, makeFolder, startDemoGateway } from '../../support/processes/gateway.ts';

interface Shown {
  readonly connectionId: string;
  readonly accountId: string | null;
  readonly name: string;
  readonly paused: boolean;
  readonly countries: readonly string[] | null;
  readonly purposes: readonly string[] | null;
}

const carrier = oncePerFile(openHttpGateway, gateway => gateway.close());

let gateway: DemoGateway;
let env: { DATA_DIR: string };

beforeAll(async () => {
  gateway = await startDemoGateway();
  env = { DATA_DIR: gateway.dataDir };
});
const connection = (...args: string[]) => runCommand(env, 'connection', ...args);

interface Added {
  readonly connectionId: string;
  readonly receiptsUrl: string;
}

const ofCarrier = ['--provider', 'http-sms', '--channel', 'sms', '--name', 'Carrier'] as const;
const choice = ['--priority', '5', '--countries', 'US,CA', '--purposes', 'message,otp'] as const;

describe('connection', () => {
  let added: Added;
  let connectionId: string;

  beforeEach(async () => {
    carrier.answerWith((_message, response) => response.writeHead(202).end('id=1'));
    const path = join(await makeFolder(), 'config.json');
    await writeFile(path, JSON.stringify(carrier.config));
    const { accountId } = gateway.demo;
    added = await runCommandJson(env, 'connection', 'add', accountId, ...ofCarrier, '--config', `@${path}`, ...choice);
    ({ connectionId } = added);
  });
  afterEach(() => connection('remove', connectionId));

  test('add prints the id and the address of receipts; the config may be in a file', () => {
    expect(Object.keys(added)).toEqual(['connectionId', 'receiptsUrl']);
    expect(added.receiptsUrl).toMatch(new RegExp(`^${gateway.url}/receipts/${connectionId}/[\\w-]{32}$`));
  });

  test('add says what a try of the config found, without a text, and nothing with --untested', async () => {
    const texts = carrier.messages.length;
    const add = (...more: string[]) =>
      connection('add', 'shared', ...ofCarrier, '--config', JSON.stringify(carrier.config), ...more);
    const tried = await add();
    expect(tried).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Tried, works: The gateway answers /) });
    expect(carrier.messages.slice(texts).every(({ to }) => to === '')).toBe(true);
    const untried = await add('--untested');
    expect(untried.stderr).not.toContain('Tried');
    const port = await freePort();
    const config = JSON.stringify({ host: '127.0.0.1', port, systemId: 'gateway', password: 'secret' });
    const smsc = ['--provider', 'smpp', '--channel', 'sms', '--name', 'SMSC', '--config', config];
    const lost = await connection('add', 'shared', ...smsc);
    expect(lost.stderr).toMatch(
      new RegExp(`^Tried, unreachable: Nothing listens at 127\\.0\\.0\\.1:${port}\\. Check the port`),
    );
    // An SMSC reports in its session: there is no address of receipts.
    expect(lost.stdout).toMatch(/^con_[0-9a-f]{32}\n$/);
    for (const { stdout } of [tried, untried, lost]) await connection('remove', stdout.slice(0, 36));
  });

  test('add that is refused begins with the code, whatever the try of the config found', async () => {
    const config = JSON.stringify(carrier.config);
    const refused = await connection('add', 'acc_none', ...ofCarrier, '--config', config);
    expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^not_found: /) });
  });

  test('add says what cannot be sent by it', async () => {
    const config = JSON.stringify(carrier.config);
    const { stdout, stderr } = await connection(
      'add',
      'shared',
      ...ofCarrier,
      '--config',
      config,
      '--countries',
      'SE',
      '--untested',
    );
    expect(stderr).toContain('Texts over SMS go to SE alone: all others fail with no_route.');
    await connection('remove', stdout.slice(0, 36));
  });

  test('renew-receipts prints another address, and asks for --yes where nobody can be asked', async () => {
    expect(await connection('renew-receipts', connectionId)).toMatchObject({ status: 2 });
    const { status, stdout } = await connection('renew-receipts', connectionId, '--yes');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(new RegExp(`^${gateway.url}/receipts/${connectionId}/[\\w-]{32}\n$`)),
    });
    expect(stdout.trim()).not.toBe(added.receiptsUrl);
  });

  test('list shows those of an account, the shared ones, or all with their accounts', async () => {
    const rows = await runCommandJson<Shown[]>(env, 'connection', 'list', gateway.demo.accountId);
    expect(rows).toMatchObject([
      { connectionId, name: 'Carrier', countries: ['US', 'CA'], purposes: ['message', 'otp'], paused: false },
    ]);
    expect(await runCommandJson(env, 'connection', 'list', 'shared')).toEqual([]);
    const all = await runCommandJson<Shown[]>(env, 'connection', 'list');
    expect(all).toMatchObject([{ connectionId, accountId: gateway.demo.accountId }]);
  });

  test('test hands one text over, and ends with 1 where it was not accepted', async () => {
    const accepted = await connection('test', connectionId, '--to', '+12025550123', '--text', 'Are you there?');
    expect(accepted).toMatchObject({ status: 0, stdout: expect.stringContaining('accepted') });
    expect(carrier.messages.at(-1)).toMatchObject({ to: '12025550123', text: 'Are you there?' });
    carrier.answerWith((_message, response) => response.writeHead(400).end('no such number'));
    const refused = await connection('test', connectionId, '--to', '+12025550123');
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('http_400: no such number') });
  });

  test('set says what the account cannot send any more', async () => {
    const { status, stderr } = await connection('set', connectionId, '--countries', 'SE');
    expect(status).toBe(0);
    expect(stderr).toContain('Texts over SMS go to SE alone: all others fail with no_route.');
    expect(stderr).toContain('QR chat and Cloud chat have no connection, and the sandbox does not stand in');
  });

  test('set changes what is given, pauses and resumes', async () => {
    const paused = await runCommandJson<Shown>(env, 'connection', 'set', connectionId, '--pause', '--countries', '*');
    expect(paused).toMatchObject({ paused: true, countries: null, purposes: ['message', 'otp'], name: 'Carrier' });
    const resumed = await runCommandJson<Shown>(env, 'connection', 'set', connectionId, '--resume', '--name', 'Other');
    expect(resumed).toMatchObject({ paused: false, name: 'Other' });
    const given = [...ofCarrier, '--priority', '7'] as const;
    expect(await runCommandJson<Shown>(env, 'connection', 'set', connectionId, ...given)).toMatchObject({
      priority: 7,
    });
    expect(await connection('set', connectionId, '--provider', 'vonage')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`invalid_input: provider: a connection keeps its provider, http-sms`),
    });
    expect((await connection('set', connectionId, '--pause', '--resume')).status).toBe(2);
    expect(await connection('set', connectionId)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('give at least one of --name, --config, --priority'),
    });
  });

  test('a config that cannot work, or is no JSON, is refused with the field', async () => {
    const add = (config: string) =>
      connection('add', 'shared', '--provider', 'smpp', '--channel', 'sms', '--name', 'A', '--config', config);
    expect(await add('{"host":"127.0.0.1"}')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--config (port): is required'),
    });
    expect(await add('{')).toMatchObject({ status: 2, stderr: expect.stringContaining('--config') });
    expect(await add('@/nowhere.json')).toMatchObject({ status: 2, stderr: expect.stringContaining('cannot be read') });
  });

  test('send --dry-run says who would be asked, and sends nothing', async () => {
    const sent = carrier.messages.length;
    const { stdout, status } = await runCommand(
      env,
      'send',
      '--dry-run',
      '--to',
      '+12025550177',
      '--text',
      'It’s here',
      '--channels',
      'sms',
      '--sender',
      'DEMO',
    );
    expect(status).toBe(0);
    expect(stdout).toContain('1 segment of UCS-2, 1 credit');
    expect(stdout).toContain('U+2019');
    expect(stdout).toContain(`${connectionId} Carrier (http-sms) asked first`);
    expect(carrier.messages).toHaveLength(sent);
  });

  test('remove ends it', async () => {
    expect((await connection('remove', connectionId)).status).toBe(0);
    expect(await runCommandJson(env, 'connection', 'list', gateway.demo.accountId)).toEqual([]);
    expect((await connection('remove', connectionId)).status).toBe(1);
  });
});
