import { execFile } from 'node:child_process';
import { watch } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, describePostgres } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import {
  ask,
  type Demo,
  failToStart,
  type Gateway,
  makeFolder,
  send,
  startGateway,
} from '../../support/processes/gateway.ts';
import { canRunAsNobody, NOBODY } from '../../support/processes/users.ts';

const run = promisify(execFile);
const nobodyCanRun = await canRunAsNobody();

async function end(gateway: Gateway, signal?: NodeJS.Signals): Promise<void> {
  gateway.kill(signal);
  await gateway.exited;
}

function demoOf(gateway: Gateway): Demo {
  if (gateway.demo === null) throw new Error('there is no demo.json');
  return gateway.demo;
}

/** Every file and folder below, with its mode. */
async function modesIn(folder: string): Promise<[string, number][]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(['', ...names].map(async name => [name, (await stat(join(folder, name))).mode & 0o7777]));
}

/** The files below a folder that others than its owner can open, with their modes. */
async function openTo(folder: string): Promise<[string, number][]> {
  return (await modesIn(folder)).filter(([, mode]) => (mode & 0o077) !== 0);
}

describe('a first start on an empty folder, and a later one on the same, whatever the umask', () => {
  const before = ['sh', '-c', 'umask 000; exec "$@"', 'sh'];
  const balance = '{ account { accountId name credits } }';
  let first: Gateway;
  let second: Gateway;
  let firstDemo: Demo;
  let openAfterFirst: [string, number][];
  let sentId: string | undefined;

  beforeAll(async () => {
    first = await startGateway({ dataDir: join(await makeFolder(), 'not', 'there yet ñ'), before });
    firstDemo = demoOf(first);
    const line = /^ *(curl .*)$/m.exec(first.stdout())?.[1] ?? '';
    const { stdout } = await run('sh', ['-c', line]);
    const sent = JSON.parse(stdout);
    expect(sent).toMatchObject({ success: true, data: { recipient: '12025550100', status: 'sent' } });
    sentId = sent.data.messageId;
    openAfterFirst = await openTo(first.dataDir);
    await end(first);
    await run('chmod', ['-R', 'a+rwX', first.dataDir]);
    expect(await openTo(first.dataDir)).not.toEqual([]);
    second = await startGateway({ dataDir: first.dataDir, before });
  });
  afterAll(() => end(second));

  test('the first makes the demo account, keeps its secrets for the user alone, and prints a line that sends', async () => {
    expect(firstDemo).toEqual({
      url: first.url,
      accountId: expect.stringMatching(/^acc_/),
      tokens: {
        unified: expect.stringMatching(/^hg_uni_[\w-]{43,}$/),
        sms: expect.stringMatching(/^hg_sms_[\w-]{43,}$/),
        otp: expect.stringMatching(/^hg_otp_[\w-]{43,}$/),
        management: expect.stringMatching(/^hg_mgt_[\w-]{43,}$/),
      },
      dashboard: { email: expect.stringContaining('@'), password: expect.stringMatching(/.{16,}/) },
    });
    for (const name of ['demo.json', 'secret.key', 'operator.token']) {
      expect([name, (await stat(join(first.dataDir, name))).mode & 0o777]).toEqual([name, 0o600]);
    }
    for (const secret of [...Object.values(firstDemo.tokens), ...Object.values(firstDemo.dashboard)]) {
      expect(first.stdout()).toContain(secret);
    }
  });

  test('the first says what it makes and how long it took, and the later one nothing of it', () => {
    const [made, demo] = [`Creating the database in ${first.dataDir}`, 'Making the demo account'];
    const took = / done in \d+\.\d s$/;
    // The log, and what a slow machine is told of beside it, may stand between.
    const said = first.stderr().split('\n');
    expect(
      said.filter(line => /^(Creating|Making|Heliograph listens) /.test(line)).map(line => line.replace(took, '')),
    ).toEqual([`${made} …`, `${made}:`, `${demo} …`, `${demo}:`, expect.stringMatching(/^Heliograph listens on /)]);
    expect(said.filter(line => took.test(line))).toHaveLength(2);
    expect(second.stderr()).not.toMatch(/Creating|Making/);
  });

  test('the first closes its folder to others, and the later one a folder that was open to them', async () => {
    expect(openAfterFirst).toEqual([]);
    expect(await openTo(first.dataDir)).toEqual([]);
  });

  test('the later one keeps the account, its tokens, its credits and its messages, and prints no credentials', async () => {
    const { accountId, tokens } = firstDemo;
    for (const token of Object.values(tokens))
      expect(await ask(second, token, balance)).toEqual({ account: { accountId, name: 'demo', credits: 999 } });
    const found = await ask(second, tokens.unified, 'query ($id: String!) { message(id: $id) { recipient } }', {
      id: sentId,
    });
    expect(found).toEqual({ message: { recipient: '12025550100' } });
    expect({ ...demoOf(second), url: '' }).toEqual({ ...firstDemo, url: '' });
    expect(second.stdout()).toBe('');
    expect((await send(second, tokens.unified, { reference: 'later' })).status).toBe(200);
  });
});

test.skipIf(!nobodyCanRun)('a first start works as an ordinary user', async () => {
  const gateway = await startGateway({ uid: NOBODY });
  expect((await send(gateway, demoOf(gateway).tokens.unified)).status).toBe(200);
  expect((await stat(join(gateway.dataDir, 'demo.json'))).uid).toBe(NOBODY);
  await end(gateway);
});

describe('a later start', () => {
  /** Kills a first start while it makes the database, and answers its folder. */
  async function killWhileItMakes(): Promise<string> {
    for (;;) {
      const dataDir = await makeFolder();
      // Watched, since it is there for a moment only.
      const watcher = watch(dataDir);
      const begun = new Promise<void>(resolve => {
        watcher.on('change', (_event, name) => {
          if (name === 'database.unfinished') resolve();
        });
      });
      const killed = failToStart({ dataDir, before: ['sh', '-c', 'echo $$ > "$DATA_DIR/pid"; exec "$@"', 'sh'] });
      await begun;
      watcher.close();
      process.kill(Number(await readFile(join(dataDir, 'pid'), 'utf8')), 'SIGKILL');
      await killed;
      await rm(join(dataDir, 'pid'));
      // A machine that was too slow here tries with another process.
      if (!(await readdir(dataDir)).includes('database')) return dataDir;
    }
  }

  test('begins again where the first one was killed while it made the database', async () => {
    const dataDir = await killWhileItMakes();
    expect(await readdir(dataDir)).toContain('database.unfinished');
    const second = await startGateway({ dataDir });
    expect(second.stdout()).toContain('unified token');
    expect((await send(second, demoOf(second).tokens.unified)).status).toBe(200);
    expect(await readdir(dataDir)).not.toContain('database.unfinished');
    await end(second);
  });

  test('recovers by itself after kill -9 in a storm of sends: every message that was answered is stored', async () => {
    const first = await startGateway();
    const { unified } = demoOf(first).tokens;
    const answered: string[] = [];
    const sendUntilDead = async (): Promise<void> => {
      for (;;) {
        const sent = await send(first, unified);
        answered.push(sent.body.data?.messageId ?? `status ${sent.status}`);
        if (answered.length === 200) first.kill('SIGKILL');
      }
    };
    await Promise.allSettled(Array.from({ length: 32 }, sendUntilDead));
    await first.exited;
    expect(answered.length).toBeGreaterThanOrEqual(200);

    const second = await startGateway({ dataDir: first.dataDir });
    const stored = await Promise.all(
      answered.map(id =>
        ask<{ message: { status: string } | null }>(
          second,
          unified,
          'query ($id: String!) { message(id: $id) { status } }',
          { id },
        ),
      ),
    );
    const statuses = new Set(stored.map(({ message }) => message?.status ?? 'LOST'));
    expect([...statuses].filter(status => status !== 'SENT' && status !== 'DELIVERED')).toEqual([]);
    expect((await send(second, unified)).status).toBe(200);
    await end(second);
  });
});

describePostgres('a start on PostgreSQL', () => {
  test('seeds nothing', async () => {
    const database = await createDatabase();
    if (database.kind !== 'postgres') return;
    const gateway = await startGateway({ databaseUrl: database.url });
    expect(gateway.demo).toBeNull();
    expect(gateway.stdout()).toBe('');
    expect(await runSql(database.url, 'select id from accounts')).toEqual([]);
    await end(gateway);
    await database.drop();
  });
});
