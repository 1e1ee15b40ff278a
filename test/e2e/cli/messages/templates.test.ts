import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { oncePerFile } from '../../../support/fixtures.ts';
import { runCli, runCommand, runCommandJson } from '../../../support/processes/cli.ts';
import { type DemoGateway, startDemoGateway } from '../../../support/processes/gateway.ts';
import { graphConfig, utilityTemplate } from '../../../support/whatsapp/connected.ts';
import { OTP_TEMPLATE } from '../../../support/whatsapp/defaults.ts';
import { Graph } from '../../../support/whatsapp/graph.ts';

/** More templates than a page of the gateway has. */
const MANY = Array.from({ length: 205 }, (_, index) => `news_${String(index).padStart(3, '0')}`);

const graph = oncePerFile(
  async () => {
    const made = await new Graph({
      templates: [
        ...MANY.map(name => utilityTemplate(name)),
        OTP_TEMPLATE,
        utilityTemplate('order_paused', { status: 'PAUSED' }),
      ],
    }).open();
    return { config: graphConfig(made), close: () => made.close() };
  },
  made => made.close(),
);

let gateway: DemoGateway;
let env: { DATA_DIR: string };
let connectionId: string;

beforeAll(async () => {
  gateway = await startDemoGateway();
  env = { DATA_DIR: gateway.dataDir };
  const cloud = ['--provider', 'whatsapp-cloud', '--channel', 'chat_cloud', '--name', 'Cloud', '--untested'];
  ({ connectionId } = await runCommandJson<{ connectionId: string }>(
    env,
    'connection',
    'add',
    gateway.demo.accountId,
    ...cloud,
    '--config',
    JSON.stringify(graph.config),
  ));
});

const template = (...args: string[]) => runCommand(env, 'template', ...args);

describe('template', () => {
  test('sync asks the provider, and list shows what it has, narrowed by options', async () => {
    expect(await template('list', '--name', 'nothing')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('No such template is known.'),
    });
    expect(await template('sync', connectionId)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^There are 20[78] templates\.\n$/),
    });
    const { stdout } = await template('list', '--connection', connectionId, '--status', 'paused');
    expect(stdout).toMatch(/order_paused +en_US +UTILITY +PAUSED +- +1 +Cloud +Your order \{\{1\}\} is on its way\./);
    expect(stdout).not.toContain('otp_code');
    const { stdout: json } = await template('list', '--status', 'paused', '--json', '--wide');
    expect(JSON.parse(json)).toMatchObject([{ name: 'order_paused' }]);
  });

  test('names prints all that are approved, however many there are', async () => {
    await template('sync', connectionId);
    const names = [...MANY, OTP_TEMPLATE.name].map(name => `${name}:en_US\n`).join('');
    expect(await template('names')).toMatchObject({ status: 0, stdout: names, stderr: '' });
  });

  test('names asks nobody where no gateway runs, so that the shell does not wait', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'heliograph-names-'));
    try {
      expect(await runCli({ DATA_DIR }, 'template', 'names')).toMatchObject({
        status: 1,
        stdout: '',
        stderr: 'No gateway runs here.\n',
      });
      expect(await readdir(DATA_DIR)).toEqual([]);
    } finally {
      await rm(DATA_DIR, { recursive: true });
    }
  });

  test('create-otp makes one, and says why it could not', async () => {
    const made = await template('create-otp', connectionId, '--name', 'sign_in', '--language', 'en_US', '--json');
    expect(made).toMatchObject({ status: 0, stderr: 'The template sign_in (en_US) is PENDING.\n' });
    expect(JSON.parse(made.stdout)).toMatchObject({ name: 'sign_in' });
    const again = await template('create-otp', connectionId, '--name', 'sign_in', '--language', 'en_US');
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('Meta refused it with its error 100') });
  });

  test('of a send shows in its dry run as it will look', async () => {
    await template('sync', connectionId);
    const send = (cloudTemplate: string) =>
      runCommand(
        env,
        ...['send', '--dry-run', '--to', '+12025550177', '--text', 'Hello', '--channels', 'chat_cloud'],
        ...['--cloud-template', cloudTemplate],
      );
    const components = [{ type: 'body', parameters: [{ type: 'text', text: '1042' }] }];
    const filled = await send(JSON.stringify({ name: 'order_paused', language: 'en_US', components }));
    expect(filled.stdout).toContain('\nby the template order_paused (en_US): Your order 1042 is on its way.\n');
    expect((await send('order_paused:en_US')).stdout).toContain('Your order {{1}} is on its way.');
    const unknown = await send('nobody_knows:en_US');
    expect(unknown).toMatchObject({ status: 0, stdout: expect.not.stringContaining('by the template') });
  });

  test('sync of a connection that is not there is refused', async () => {
    expect(await template('sync', 'con_0')).toMatchObject({ status: 1, stderr: expect.stringContaining('not_found') });
  });
});
