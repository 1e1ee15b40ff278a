import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { expect, inject, it, onTestFailed, onTestFinished } from 'vitest';
import { createDatabase } from '../../support/databases/database.ts';
import { bootSystemd, type Systemd, whyNoSystemd } from '../../support/deploy/systemd.ts';
import { freePort } from '../../support/processes/free-ports.ts';
import { until } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';

const left = inject('testDatabase').kind === 'pglite' ? 'this run is on PGlite' : whyNoSystemd();
if (left !== null) process.stdout.write(`systemd.test.ts: left out, as ${left}.\n`);

/** Asks by a connection of its own; answers the status, or how it failed. */
async function ask(url: string): Promise<number | string> {
  const { promise, resolve } = Promise.withResolvers<number | string>();
  const signal = AbortSignal.timeout(15_000);
  get(url, { agent: false, signal }, response => {
    response.resume().once('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 'cut off'));
  }).once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  return await promise;
}

/** Properties of the service, as systemd says them. */
async function show(systemd: Systemd, ...names: readonly string[]): Promise<Record<string, string>> {
  const said = await systemd.run('systemctl', 'show', `--property=${names.join()}`, 'heliograph');
  return Object.fromEntries(
    said
      .trim()
      .split('\n')
      .map(line => line.split('=') as [string, string]),
  );
}

/** Runs the documented command line as root, in the folder that the documentation says. @throws Error where it fails */
async function runDocumented(systemd: Systemd, name: 'doctor' | 'migrate'): Promise<string> {
  const page = await readFile(join(REPOSITORY, 'docs/operating.md'), 'utf8');
  const [, settings] = new RegExp(`\`(set -a; .*) npx heliograph ${name}\``).exec(page) ?? [];
  const command = `cd /opt/heliograph; ${settings} node node_modules/heliograph/src/heliograph.js ${name}`;
  return await systemd.run('sh', '-eu', '-c', command);
}

/** The status of the main process, as the kernel says it. */
async function mainProcess(systemd: Systemd): Promise<Record<string, string>> {
  const { MainPID } = await show(systemd, 'MainPID');
  const status = await systemd.run('cat', `/proc/${MainPID}/status`);
  return Object.fromEntries(
    status
      .trim()
      .split('\n')
      .map(line => line.split(':\t') as [string, string]),
  );
}

it.skipIf(left !== null)(
  'the service starts under systemd, closed, is exchanged without a refused connection, started again after a kill, and stopped',
  async () => {
    const database = await createDatabase();
    const stack = new AsyncDisposableStack();
    // A test that takes too long has no end of its own.
    onTestFinished(() => stack.disposeAsync());
    stack.defer(() => database.drop());
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const systemd = stack.use(
      await bootSystemd({
        DATABASE_URL: database.kind === 'postgres' ? database.url : '',
        SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        OPERATOR_TOKEN: 'o'.repeat(40),
        PORT: String(port),
      }),
    );
    const journal = systemd.start('journalctl', '--follow', '--lines=all', '--output=cat', '--unit=heliograph');
    onTestFailed(() => void process.stdout.write(`${journal.lines.slice(-20).join('\n')}\n`));
    await systemd.run('systemctl', 'enable', '--now', 'heliograph');
    const [started] = await journal.line(/^Heliograph listens on \S+ by 2 processes|Failed with result .*/);
    expect(started).toMatch(/^Heliograph listens/);
    expect(await ask(`${url}/readyz`)).toBe(200);
    expect(await show(systemd, 'ActiveState', 'UnitFileState', 'NRestarts')).toEqual({
      ActiveState: 'active',
      UnitFileState: 'enabled',
      NRestarts: '0',
    });

    const { Uid = '', ...main } = await mainProcess(systemd);
    expect(main).toMatchObject({ Seccomp: '2', CapBnd: '0000000000000000', NoNewPrivs: '1' });
    // Of the range of dynamic users.
    const [uid] = Uid.split('\t').map(Number);
    expect(uid).toBeGreaterThanOrEqual(61_184);
    expect(uid).toBeLessThanOrEqual(65_519);
    const exposure = await systemd.run('systemd-analyze', 'security', '--no-pager', 'heliograph');
    expect(exposure).toContain('Overall exposure level for heliograph.service: 1.2 OK');

    expect(await runDocumented(systemd, 'doctor')).toContain('database.schema');
    await runDocumented(systemd, 'migrate');

    await systemd.run('systemctl', 'reload', 'heliograph');
    const isExchanged = () => journal.lines.some(line => line.includes('all processes are new'));
    const answers: (number | string)[] = [];
    const askOn = async () => {
      answers.push(await ask(`${url}/healthz`));
      return isExchanged() || answers.at(-1) !== 200 || null;
    };
    await until('all processes are new, or a caller was refused', askOn, 90_000);
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(answers.length).toBeGreaterThan(20);
    expect((await mainProcess(systemd)).Pid).toBe(main.Pid);

    await systemd.run('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', 'heliograph');
    await journal.matching(/^Heliograph listens on/, 2);
    expect(await ask(`${url}/readyz`)).toBe(200);
    expect(await show(systemd, 'ActiveState', 'NRestarts')).toEqual({ ActiveState: 'active', NRestarts: '1' });

    await systemd.run('systemctl', 'stop', 'heliograph');
    expect(await show(systemd, 'ActiveState', 'Result', 'ExecMainStatus')).toEqual({
      ActiveState: 'inactive',
      Result: 'success',
      ExecMainStatus: '0',
    });
    expect(await ask(`${url}/healthz`)).toBe('ECONNREFUSED');
  },
);
