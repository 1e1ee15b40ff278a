import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCli } from '../../support/processes/cli.ts';
import { freePort } from '../../support/processes/free-ports.ts';
import {
  ask,
  type DemoGateway,
  makeFolder,
  operatorTokenOf,
  startDemoGateway,
  until,
} from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';

let gateway: DemoGateway;
let token: string;
/** A user of another machine: nothing of the gateway lies in these folders. */
let env: { readonly HOME: string; readonly DATA_DIR: string };

beforeAll(async () => {
  gateway = await startDemoGateway();
  token = await operatorTokenOf(gateway);
});
beforeEach(async () => {
  env = { HOME: await makeFolder(), DATA_DIR: join(await makeFolder(), 'none') };
});

const cli = (...args: string[]) => startCli(env, args).result;

/** Signs in as a script does, with the token on standard input. */
async function login(given: string, ...args: string[]) {
  const file = join(env.HOME, 'token');
  await writeFile(file, `${given}\n`);
  return startCli(env, ['login', gateway.url, ...args], ['sh', '-c', `exec "$@" < '${file}'`, 'sh']).result;
}

const profiles = () => join(env.HOME, '.config', 'heliograph', 'profiles.json');

describe('a gateway elsewhere', () => {
  test('is signed in to, and asked by its profile; the token lies where this user alone can read it', async () => {
    const { status, stderr } = await login(token, '--profile', 'production');
    expect([status, stderr]).toEqual([0, 'Run: npx heliograph status --profile production\n']);
    expect((await stat(profiles())).mode & 0o777).toBe(0o600);
    const { stdout } = await cli('account', 'list', '--json', '--profile', 'production');
    expect(JSON.parse(stdout)).toMatchObject([{ accountId: gateway.demo.accountId }]);
    // Nothing was opened beside it.
    expect(existsSync(env.DATA_DIR)).toBe(false);
  });

  test('is listed without its token, and forgotten with it', async () => {
    await login(token);
    const listed = await cli('profile', 'list', '--json');
    expect(JSON.parse(listed.stdout)).toEqual([{ name: 'default', url: gateway.url }]);
    expect((await cli('profile', 'remove', 'default')).status).toBe(0);
    expect(await readFile(profiles(), 'utf8')).not.toContain(token);
  });

  test('refuses another token, which is not kept', async () => {
    const { status, stderr } = await login('x'.repeat(43));
    expect(status).toBe(1);
    expect(stderr).toBe(
      `unauthenticated: The gateway at ${gateway.url} does not know this token.\nRun: npx heliograph login ${gateway.url}\n`,
    );
    expect(existsSync(profiles())).toBe(false);
    const other = await login('x'.repeat(43), '--profile', 'shop');
    expect(other.stderr).toContain(`Run: npx heliograph login ${gateway.url} --profile shop\n`);
  });

  test('leaves a file that is no longer one of profiles as it is', async () => {
    await login(token);
    const torn = (await readFile(profiles(), 'utf8')).replace(/\}\s*$/, ',}');
    await writeFile(profiles(), torn);
    const { status, stderr } = await login(token, '--profile', 'second');
    expect([status, stderr]).toEqual([
      1,
      `The file ${profiles()} holds no profiles as "login" writes them. Mend it, or move it away.\n`,
    ]);
    expect(await readFile(profiles(), 'utf8')).toBe(torn);
  });

  test('keeps a token of an account for mcp, and asks nothing else by it', async () => {
    const { status, stderr } = await login(gateway.demo.tokens.management, '--profile', 'assistant');
    expect([status, stderr]).toEqual([
      0,
      'This is a token of an account (management). "mcp --profile assistant" asks by it, and nothing else does.\n',
    ]);
    const listed = await cli('account', 'list', '--profile', 'assistant');
    expect([listed.status, listed.stderr]).toEqual([
      1,
      'wrong_area: The profile assistant has a token of an account (management): "mcp" alone asks by it.\n',
    ]);
  });

  test('that nobody signed in to is named with the command that does', async () => {
    const { status, stderr } = await cli('account', 'list', '--profile', 'staging');
    expect([status, stderr]).toEqual([
      1,
      'not_found: There is no profile staging (there is: none).\nRun: npx heliograph login <url> --profile staging\n',
    ]);
  });

  test.each(['http://gateway.example.com', 'ftp://localhost', 'gateway'])('is not at %s', async url => {
    const { status, stderr } = await cli('login', url);
    expect(status).toBe(2);
    expect(stderr).toContain('Give an address that begins with https://');
  });

  test('is looked at by doctor, which says nothing of this machine', async () => {
    await login(token);
    const { findings } = JSON.parse((await cli('doctor', '--json', '--profile', 'default')).stdout);
    const names = findings.map(({ name }: { readonly name: string }) => name);
    expect(names).toContain('accounts');
    expect(names).not.toContain('gateway');
    expect(await cli('doctor', '--json', '--profile', 'staging')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('There is no profile staging'),
    });
  });

  test('tells its events to webhooks listen, and the secret stays with this user', async () => {
    await login(token);
    const forward = 'http://127.0.0.1:9/hook';
    const run = startCli(env, ['webhooks', 'listen', '--forward', forward, '--profile', 'default']);
    await run.until('stderr', 'Forwarding the events');
    run.child.kill('SIGINT');
    expect(await run.result).toMatchObject({ status: 0 });
    const secret = (await readFile(join(profiles(), '..', 'listen.secret'), 'utf8')).trim();
    expect((await run.result).stderr).toContain(`Signing secret: ${secret}`);
    expect(existsSync(env.DATA_DIR)).toBe(false);
  });

  test('is opened by its profile', async () => {
    await login(token);
    expect((await cli('open', '--profile', 'default')).stdout).toBe(`${gateway.url}/dashboard\n`);
  });
});

test('open prints the address of the gateway that runs here, and says where none does', async () => {
  const here = startCli({ ...env, DATA_DIR: gateway.dataDir }, ['open']);
  expect((await here.result).stdout).toBe(`${gateway.url}/dashboard\n`);
  const { status, stderr } = await cli('open');
  expect([status, stderr]).toEqual([1, 'No gateway runs here. Start one: npx heliograph start\n']);
});

test('status shows on one screen how the gateway stands', async () => {
  const { stdout } = await startCli({ ...env, DATA_DIR: gateway.dataDir }, ['status']).result;
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map(line => line.split(/ {2,}/)[0])).toEqual([
    'version',
    'database',
    'accounts',
    'connections',
    'deliveries',
    'jobs',
    'today (UTC)',
  ]);
  expect(stdout).toMatch(/^database +PostgreSQL \d+(\.\d+)?(, embedded)?$/m);
  expect(stdout).toMatch(/^today \(UTC\) +\d+ attempts, \d+ accepted, \d+ failed, \d+ credits$/m);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

/** A terminal of 80 columns comes with Debian. */
const TERMINAL = '/usr/bin/script';

describe.skipIf(!existsSync(TERMINAL))('on a terminal', () => {
  /** Runs a command there, and types an answer to each question as it comes. */
  async function onTerminal(
    command: readonly string[],
    answers: readonly (readonly [question: string, typed: string])[],
  ) {
    const line = [process.execPath, join(REPOSITORY, 'src/start.js'), 'cli', ...command]
      .map(word => `'${word.replaceAll("'", "'\\''")}'`)
      .join(' ');
    const settings = {
      PATH: process.env.PATH,
      TERM: 'xterm',
      EMBEDDED_DURABILITY: 'relaxed',
      ...env,
      DATA_DIR: gateway.dataDir,
    };
    const child = spawn(TERMINAL, ['-qec', `stty cols 80; ${line}`, '/dev/null'], { env: settings });
    const left = [...answers];
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      shown += chunk;
      const [next] = left;
      if (!next || !shown.includes(next[0])) return;
      left.shift();
      shown = '';
      child.stdin.write(`${next[1]}\r`);
    });
    const [whole] = await Promise.all([readAll(child.stdout), new Promise(resolve => child.once('close', resolve))]);
    return { whole, left };
  }

  test('connection add asks for what is missing, and shows no secret', async () => {
    const { whole, left } = await onTerminal(
      [
        'connection',
        'add',
        gateway.demo.accountId,
        '--provider',
        'smpp',
        '--channel',
        'sms',
        '--untested',
        '--countries',
        'KI',
      ],
      [
        ['What is it called?', ''],
        ['host', '127.0.0.1'],
        ['port', '9'],
        ['systemId', 'me'],
        ['password', 's3cr3t!!'],
      ],
    );
    expect(left).toEqual([]);
    expect(whole).toMatch(/con_[0-9a-f]{32}/);
    expect(whole).not.toContain('s3cr3t!!');
  });

  /** The lines that a command shows there, each of which fits. */
  async function linesOf(...command: string[]): Promise<string[]> {
    const { whole } = await onTerminal(command, []);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal
    const lines = whole.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').split(/\r?\n/);
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(whole).not.toMatch(/[a-z] [a-z]+…/);
    return lines;
  }

  /** A sentence of a column, whose words may stand on several lines. */
  const wrapped = (sentence: string): RegExp =>
    new RegExp(sentence.replaceAll(/[.*+?()[\]\\]/g, '\\$&').replaceAll(' ', '\\s[^]*?'));

  /** The answer of a command to a program. */
  async function dataOf(...command: string[]) {
    const { stdout } = await startCli({ ...env, DATA_DIR: gateway.dataDir }, [...command, '--json']).result;
    return JSON.parse(stdout);
  }

  test('doctor fits 80 columns, and loses no sentence', async () => {
    const { findings } = await dataOf('doctor');
    const sentences = findings.flatMap(({ message, mend }: { message: string; mend: string | null }) => [
      message,
      mend,
    ]);
    expect(sentences).not.toEqual([]);
    const shown = (await linesOf('doctor')).join('\n');
    // Figures are of the moment: each look has its own.
    const anyFigures = (sentence: string) =>
      new RegExp(wrapped(sentence).source.replaceAll(/\d+(?:\\\.\d+)*/g, '[\\d.]+'));
    for (const sentence of sentences) if (sentence) expect(shown).toMatch(anyFigures(sentence));
  });

  test('audit list fits 80 columns, and loses nothing of the details', async () => {
    const entries = await dataOf('audit', 'list', '--limit', '5');
    expect(entries).not.toEqual([]);
    const shown = (await linesOf('audit', 'list', '--limit', '5')).join('').replaceAll(' ', '');
    for (const { details } of entries) expect(shown).toContain(JSON.stringify(details).replaceAll(' ', ''));
  });

  test('connection list fits 80 columns, and wraps why one is down', async () => {
    const port = await freePort();
    const { accountId } = gateway.demo;
    const config = { host: '127.0.0.1', port, systemId: 'gateway', password: 'secret' };
    await ask(
      gateway,
      token,
      'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }',
      { input: { accountId, provider: 'smpp', channel: 'SMS', name: 'A carrier', countries: ['KI'], config } },
    );
    await until('it is down', async () => {
      const query = 'query ($id: String) { connections(accountId: $id) { name health { status } } }';
      const { connections } = await ask<{ connections: { name: string; health: { status: string } }[] }>(
        gateway,
        token,
        query,
        { id: accountId },
      );
      return connections.find(({ name, health }) => name === 'A carrier' && health.status === 'DOWN') ?? null;
    });
    const shown = await linesOf('connection', 'list', accountId);
    const why = `Nothing listens at 127.0.0.1:${port}. Check the port, and that the provider is up.`;
    expect(shown.join('\n')).toMatch(wrapped(why));
  });

  test('webhooks list fits 80 columns, with a long description and many events', async () => {
    const description = 'Orders, invoices and everything that the shop in Copenhagen tells its warehouse';
    const events = ['message.sent', 'message.failed', 'message.routed', 'message.received', 'otp.sent', 'otp.verified'];
    await ask(
      gateway,
      gateway.demo.tokens.management,
      'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }',
      { input: { url: 'https://hooks.warehouse.example.com/gateway/orders/incoming', description, events } },
    );
    const shown = (await linesOf('webhooks', 'list')).join('\n');
    expect(shown).toMatch(wrapped(description));
  });
});
