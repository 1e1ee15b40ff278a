import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PairingPeer, startPairingPeer } from '../../../support/chat-qr/pairing-peer.ts';
import { BAILEYS_DIR, missingLibrary } from '../../../support/chat-qr/peer-library.ts';
import { readTerminalQr } from '../../../support/chat-qr/read-terminal-qr.ts';
import { newNumber } from '../../../support/chat-qr/set-up-numbers.ts';
import { type CliRun, runCli, runCliJson, startCli } from '../../../support/processes/cli.ts';
import { type DemoGateway, makeFolder, startDemoGateway, until } from '../../../support/processes/gateway.ts';

interface Shown {
  readonly connectionId: string;
  readonly health: { readonly status: string; readonly lastError: string | null };
}

/** Commands of a gateway with its settings. */
function commandsOf(settings: () => Readonly<Record<string, string>>) {
  let gateway: DemoGateway;
  beforeAll(async () => {
    gateway = await startDemoGateway({ env: settings() });
  });
  const env = () => ({ DATA_DIR: gateway.dataDir });
  return {
    env,
    run: (...args: string[]) => runCli(env(), 'connection', ...args),
    async add(number: string): Promise<{ connectionId: string; tried: string }> {
      const config = ['--config', JSON.stringify({ number })];
      const facts = ['--provider', 'chat-qr', '--channel', 'chat_qr', '--name', 'Shop phone', ...config];
      const { stdout, stderr } = await runCli(env(), 'connection', 'add', gateway.demo.accountId, ...facts);
      return { connectionId: stdout.trim(), tried: stderr };
    },
    /** How a connection is, as soon as it is so. */
    untilHealth: (connectionId: string, status: 'up' | 'down') =>
      until(`the connection is ${status}`, async () => {
        const { accountId } = gateway.demo;
        const rows = await runCliJson<Shown[]>(env(), 'connection', 'list', accountId);
        const health = rows.find(row => row.connectionId === connectionId)?.health;
        return health?.status === status ? health : null;
      }),
  };
}

/** The output of a command, up to the moment at which it has printed a text. */
async function printedUntil(run: CliRun, text: string): Promise<string> {
  let printed = '';
  run.child.stdout?.on('data', (chunk: string) => {
    printed += chunk;
  });
  await run.until('stdout', text);
  return printed;
}

const LINKED = 'The phone is linked. The number sends from now on.\n';

describe.skipIf(missingLibrary() !== null)('connection link', () => {
  let peer: PairingPeer;
  beforeAll(async () => {
    peer = await startPairingPeer();
  });
  afterAll(() => peer?.[Symbol.asyncDispose]());
  const gateway = commandsOf(() => ({ CHAT_QR_DIR: BAILEYS_DIR, ...peer.env }));
  const link = (...args: string[]) => startCli(gateway.env(), ['connection', 'link', ...args]);
  const accepted = ['--accept-risks', 'Ada Lovelace'] as const;

  test('draws a picture that fits a terminal, ends when the phone has scanned it, and unlink ends the session', async () => {
    const number = newNumber();
    const { connectionId } = await gateway.add(number);
    const run = link(connectionId, ...accepted);
    const printed = await printedUntil(run, 'another one follows by itself');
    expect(
      Math.max(
        ...printed
          .split('\n')
          .slice(0, -2)
          .map(line => line.length),
      ),
    ).toBeLessThanOrEqual(80);
    peer.scan(number, readTerminalQr(printed) ?? '');
    expect(await run.result).toMatchObject({ status: 0, stdout: expect.stringMatching(new RegExp(`${LINKED}$`)) });
    await gateway.untilHealth(connectionId, 'up');

    expect(await gateway.run('unlink', connectionId)).toMatchObject({ status: 2 });
    expect(await gateway.run('unlink', connectionId, '--yes')).toMatchObject({
      status: 0,
      stdout: `The number of ${connectionId} is not linked any more.\n`,
    });
    expect(peer.devicesOf(number)).toBe(0);
  });

  test('--method code shows a code that is typed into the phone', async () => {
    const number = newNumber();
    const { connectionId } = await gateway.add(number);
    const run = link(connectionId, '--method', 'code', ...accepted);
    const [, code = ''] = /^ {2}(\w{4}-\w{4})$/m.exec(await printedUntil(run, '-')) ?? [];
    await peer.type(number, code.replace('-', ''));
    expect(await run.result).toMatchObject({ status: 0, stdout: expect.stringMatching(new RegExp(`${LINKED}$`)) });
  });

  test('--json prints each step in a line', async () => {
    const number = newNumber();
    const { connectionId } = await gateway.add(number);
    const run = link(connectionId, '--json', ...accepted);
    const [first = ''] = (await printedUntil(run, '\n')).split('\n');
    const step = JSON.parse(first) as { state: string; code: string };
    expect(step).toMatchObject({ state: 'code', secondsLeft: expect.any(Number), error: null });
    peer.scan(number, step.code);
    const { stdout } = await run.result;
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ state: 'linked', code: null });
  });

  test.each([[[]], [['--method', 'code']]])(
    'with %j tells the risks that nobody has accepted, and the command that accepts them',
    async method => {
      const { connectionId } = await gateway.add(newNumber());
      const { status, stderr } = await gateway.run('link', connectionId, ...method);
      const command = ['connection', 'link', connectionId, ...method, "--accept-risks '<your name>'"].join(' ');
      expect(status).toBe(1);
      expect(stderr).toMatch(/^invalid_input: Nobody has accepted the risks of this number\. .*bans numbers/);
      expect(stderr).toContain(`\nRun: npx heliograph ${command}\n`);
    },
  );
});

describe('connection link without the library of linked chats', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await makeFolder();
  });
  const gateway = commandsOf(() => ({ CHAT_QR_DIR: folder }));

  test('says how the library is installed, as does add', async () => {
    const missing = expect.stringContaining('npm install --prefix <CHAT_QR_DIR> baileys@');
    const { connectionId, tried } = await gateway.add(newNumber());
    expect(tried).toEqual(missing);
    expect(await gateway.run('link', connectionId, '--accept-risks', 'Ada Lovelace')).toMatchObject({
      status: 1,
      stderr: missing,
    });
    expect(await gateway.untilHealth(connectionId, 'down')).toMatchObject({ lastError: missing });
  });
});
