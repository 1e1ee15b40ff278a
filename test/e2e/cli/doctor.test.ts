import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CliResult, runCli, runCommand } from '../../support/processes/cli.ts';
import { makeFolder, startGateway } from '../../support/processes/gateway.ts';

interface Report {
  readonly status: string;
  readonly findings: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly mend: string | null;
  }[];
}

const named = ({ findings }: Report, name: string) => findings.find(finding => finding.name === name);

describe('doctor', () => {
  /** The data directory of a gateway that has ended, and what was found while it ran. */
  let DATA_DIR: string;
  let running: CliResult;

  beforeAll(async () => {
    const gateway = await startGateway();
    DATA_DIR = gateway.dataDir;
    running = await runCli({ DATA_DIR }, 'doctor', '--json');
    gateway.kill('SIGTERM');
    await gateway.exited;
  });

  test('looks at a gateway that runs, and in process where none does, and tells no secret', async () => {
    const alone = await runCli({ DATA_DIR }, 'doctor', '--json');
    for (const { status, stdout } of [running, alone]) {
      expect(status).toBe(0);
      const report = JSON.parse(stdout) as Report;
      expect(report.findings.filter(finding => finding.status === 'fault')).toEqual([]);
      for (const name of [
        'gateway',
        'accounts',
        'settings.mode',
        'database.version',
        'clock',
        'disk',
        'keys.current',
        'webhooks.backlog',
        'jobs.backlog',
      ])
        expect(named(report, name), name).toBeDefined();
      for (const file of ['secret.key', 'operator.token'])
        expect(stdout).not.toContain((await readFile(join(DATA_DIR, file), 'utf8')).trim());
      expect(stdout).not.toContain(DATA_DIR);
    }
    expect(named(JSON.parse(running.stdout) as Report, 'gateway')?.message).toMatch(/^A gateway runs at http:/);
    const { status, stdout, stderr } = await runCli({ DATA_DIR }, 'doctor');
    expect(stdout).toMatch(/^STATUS +ABOUT +FOUND +MEND\n/);
    expect({ status, stderr: stderr.endsWith('Everything is as it should be.\n') }).toEqual({
      status: 0,
      stderr: true,
    });
  });

  test('says what it can where the database is away, with status 1', async () => {
    const env = { DATA_DIR: await makeFolder(), DATABASE_URL: 'postgres://someone:pass-word@127.0.0.1:1/main' };
    const { status, stdout } = await runCommand(env, 'doctor', '--json');
    expect(status).toBe(1);
    const report = JSON.parse(stdout) as Report;
    expect(report.status).toBe('fault');
    expect(named(report, 'settings.mode')).toMatchObject({ status: 'ok' });
    expect(named(report, 'gateway')).toMatchObject({ status: 'fault', mend: expect.stringContaining('database runs') });
    expect(stdout).not.toContain('pass-word');
  });

  test('leaves it to a message that says what to do, and calls nothing right that may be why', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'operator.token'), 'short\n', { mode: 0o600 });
    const { status, stdout } = await runCommand({ DATA_DIR: folder }, 'doctor', '--json');
    expect(status).toBe(1);
    const report = JSON.parse(stdout) as Report;
    expect(named(report, 'gateway')).toMatchObject({ status: 'fault', mend: 'Do what the message says.' });
    expect(named(report, 'settings.operator_token')).toBeUndefined();
  });

  test('says what is wrong with settings that cannot be used', async () => {
    const { status, stdout } = await runCommand({ DATA_DIR: await makeFolder(), PORT: 'http' }, 'doctor', '--json');
    expect(status).toBe(1);
    expect(named(JSON.parse(stdout) as Report, 'settings.port')).toMatchObject({ status: 'fault' });
  });

  test('says that the secret key is another one', async () => {
    const env = { DATA_DIR, SECRET_KEY: Buffer.alloc(32, 31).toString('base64') };
    const { status, stdout } = await runCommand(env, 'doctor', '--json');
    expect(status).toBe(1);
    expect(named(JSON.parse(stdout) as Report, 'keys')).toMatchObject({ status: 'fault' });
  });
});
