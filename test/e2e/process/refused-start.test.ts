import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createDatabase, describePostgres } from '../../support/databases/database.ts';
import { databaseUrl, runSql, uniqueName } from '../../support/databases/postgres.ts';
import { runCli } from '../../support/processes/cli.ts';
import { failToStart, type Gateway, makeFolder, send, startGateway } from '../../support/processes/gateway.ts';
import { canRunAsNobody, isRoot, NOBODY } from '../../support/processes/users.ts';
import { copyEmbedded } from '../../support/runner/embedded-template.ts';

const run = promisify(execFile);
const nobodyCanRun = await canRunAsNobody();
if (!isRoot) process.stderr.write('Skipped: a full disk, which only root may mount.\n');

async function end(gateway: Gateway): Promise<void> {
  gateway.kill('SIGTERM');
  await gateway.exited;
}

/** The one thing that is said of a start that failed, but for what was slow before it. */
async function sentenceOf(options: Parameters<typeof failToStart>[0]): Promise<string> {
  const { code, stderr, stdout } = await failToStart(options);
  const lines = stderr.split('\n').filter(line => line !== '' && !line.endsWith(' …'));
  expect({ code, stdout, lines: lines.length }, stderr).toEqual({ code: 1, stdout: '', lines: 1 });
  return lines[0] ?? '';
}

async function portOf(server: Server): Promise<number> {
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** PostgreSQL's answer to a wrong password. A stand-in says it, for the clusters of the tests trust everybody. */
function passwordRefused(user: string): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C28P01', `Mpassword authentication failed for user "${user}"`, '', ''];
  const body = Buffer.from(fields.join('\0'), 'utf8');
  const head = Buffer.alloc(5, 'E');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

test('a start on a folder is refused while its port is taken, it has another gateway, or a part of its database is lost', {
  timeout: 360_000,
}, async () => {
  const dataDir = await makeFolder();
  await copyEmbedded(dataDir);
  const holder = createServer().listen(0, '127.0.0.1');
  const port = await portOf(holder);
  try {
    expect(await sentenceOf({ dataDir, env: { PORT: String(port) } })).toBe(
      `The port ${port} on 127.0.0.1 is taken by another program. Stop it, or set PORT to another one.`,
    );
  } finally {
    holder.close();
  }
  // A refused start has given the folder back, and the first start is still to come.
  const first = await startGateway({ dataDir });
  expect(first.stdout()).toContain('unified token');
  expect(await sentenceOf({ dataDir })).toContain(`in use by another gateway (process ${first.pid}, ${first.url})`);
  expect((await send(first, first.demo?.tokens.unified ?? '')).status).toBe(200);
  await end(first);
  const version = join(dataDir, 'database', 'PG_VERSION');
  const content = await readFile(version);
  await rm(version);
  expect(await sentenceOf({ dataDir })).toMatch(/database is not empty, but has no PG_VERSION, so .*; put a backup/);
  await writeFile(version, content);
  const again = await startGateway({ dataDir });
  expect(again.stdout()).toBe('');
  expect((await send(again, first.demo?.tokens.unified ?? '')).status).toBe(200);
  await end(again);
});

describe('a start that cannot be', () => {
  test('a port that is taken, before a database is made for it', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    const port = await portOf(holder);
    const dataDir = await makeFolder();
    try {
      const { stderr } = await failToStart({ dataDir, env: { PORT: String(port) } });
      expect(stderr).toMatch(/^The port \d+ on 127\.0\.0\.1 is taken/);
      expect(await readdir(dataDir)).toEqual([]);
    } finally {
      holder.close();
    }
  });

  test('a database that takes its time: what takes longer than a second is announced', async () => {
    const server = createServer(socket => void setTimeout(() => socket.destroy(), 1_500)).listen(0, '127.0.0.1');
    const databaseUrl = `postgres://someone@127.0.0.1:${await portOf(server)}/main`;
    try {
      const { stderr, code } = await failToStart({ databaseUrl });
      expect(stderr).toMatch(/^Connecting to the database …\nThe database of DATABASE_URL cannot be used: /);
      expect(code).toBe(1);
    } finally {
      server.close();
    }
  });

  test.each(['203.0.113.7', 'no-such-host.invalid'])('a HOST that is not of this machine: %s', async host => {
    expect(await sentenceOf({ env: { HOST: host } })).toBe(
      `The address ${host} is not one of this machine. Set HOST to another one.`,
    );
  });

  test('a DATA_DIR that is a file', async () => {
    const file = join(await makeFolder(), 'file');
    await writeFile(file, 'mine');
    expect(await sentenceOf({ dataDir: file })).toContain(`${file} is a file or lies below one, not a directory`);
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test.skipIf(!nobodyCanRun)('a DATA_DIR that may not be written', async () => {
    const folder = await makeFolder(NOBODY);
    await chmod(folder, 0o500);
    expect(await sentenceOf({ dataDir: folder, uid: NOBODY })).toContain('may not be read and written by the user');
    expect(await sentenceOf({ dataDir: folder })).toContain(`belongs to another user (${NOBODY}, and this one is 0);`);
  });

  test('an operator.token that is too weak, for the command line too', async () => {
    const dataDir = await makeFolder();
    const file = join(dataDir, 'operator.token');
    await writeFile(file, 'Passw0rd!\n');
    const sentence = `The secret in the file ${file} must be at least 32 visible ASCII characters; make one with: openssl rand -hex 32, or delete it to have a new one made.`;
    expect(await sentenceOf({ dataDir })).toBe(sentence);
    expect(await runCli({ DATA_DIR: dataDir }, 'account', 'list')).toEqual({
      status: 1,
      stdout: '',
      stderr: `${sentence}\n`,
    });
    expect(await readFile(file, 'utf8')).toBe('Passw0rd!\n');
  });

  test.skipIf(!isRoot)('a full disk', async context => {
    const disk = join(await makeFolder(), 'disk');
    await mkdir(disk);
    try {
      await run('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    } catch {
      context.skip('a small disk cannot be mounted here');
    }
    try {
      expect(await sentenceOf({ dataDir: join(disk, 'data') })).toMatch(/because its disk is full/);
    } finally {
      await run('umount', ['--lazy', disk]);
      await rm(disk, { recursive: true, force: true });
    }
  });

  test('all faults of the settings at once, a line for each', async () => {
    const { code, stderr } = await failToStart({
      env: { PORT: 'http', HOST: 'a b', ROLE: 'boss', SECRET_KEY: 'short', LOG_LEVEL: 'loud', TRUSTED_PROXIES: 'me' },
    });
    expect(code).toBe(1);
    const names = stderr
      .trimEnd()
      .split('\n')
      .map(line => line.split(' ')[0]);
    expect(names).toEqual(['PORT', 'HOST', 'SECRET_KEY', 'TRUSTED_PROXIES', 'ROLE', 'LOG_LEVEL']);
  });

  test('production without a SECRET_KEY', async () => {
    expect(await sentenceOf({ env: { NODE_ENV: 'production' } })).toMatch(
      /^SECRET_KEY is not set, and NODE_ENV=production needs it/,
    );
  });

  test('a DATABASE_URL where nothing listens', async () => {
    expect(await sentenceOf({ databaseUrl: 'postgres://someone:s3cr3t@127.0.0.1:9/none' })).toMatch(
      /^The database of DATABASE_URL cannot be used: .*ECONNREFUSED/,
    );
    expect(await sentenceOf({ databaseUrl: 'postgres://someone:s3cr3t@localhost:9/none' })).toMatch(/ECONNREFUSED/);
    expect(await sentenceOf({ databaseUrl: 'postgres://someone:s3cr3t@no-such-host.invalid/none' })).toMatch(
      /ENOTFOUND|EAI_AGAIN/,
    );
  });
});

describePostgres('a DATABASE_URL that cannot be used', () => {
  test('names the database that does not exist, and the user who may not come in', async () => {
    const database = await createDatabase();
    if (database.kind !== 'postgres') return;
    const wrongName = databaseUrl(database.url, 'no_such_database');
    expect(await sentenceOf({ databaseUrl: wrongName })).toContain('database "no_such_database" does not exist');
    const wrongUser = new URL(database.url);
    wrongUser.username = 'no_such_user';
    wrongUser.password = 'wr0ng';
    const sentence = await sentenceOf({ databaseUrl: wrongUser.href });
    expect(sentence).toMatch(/^The database of DATABASE_URL cannot be used: .*no_such_user/);
    expect(sentence).not.toContain('wr0ng');
    await database.drop();
  });

  test('says that the password is wrong, and does not repeat it', async () => {
    const server = createServer(socket => {
      socket.once('data', () => socket.end(passwordRefused('someone')));
    }).listen(0, '127.0.0.1');
    const port = await portOf(server);
    try {
      const sentence = await sentenceOf({ databaseUrl: `postgres://someone:wr0ng@127.0.0.1:${port}/main` });
      expect(sentence).toBe(
        'The database of DATABASE_URL cannot be used: password authentication failed for user "someone".',
      );
    } finally {
      server.close();
    }
  });

  test('says what its user may not do', async () => {
    const database = await createDatabase();
    if (database.kind !== 'postgres') return;
    const url = new URL(database.url);
    const user = uniqueName('heliograph_role');
    await runSql(database.url, `create role ${user} login password 'x'`);
    url.username = user;
    url.password = 'x';
    expect(await sentenceOf({ databaseUrl: url.href })).toMatch(
      /^The database of DATABASE_URL cannot be used: .*permission denied/,
    );
    // The schema of the gateway may be made then, that of the queue may not.
    await runSql(database.url, `grant all on schema public to ${user}`);
    await runSql(database.url, `grant all on all tables in schema public to ${user}`);
    expect(await sentenceOf({ databaseUrl: url.href })).toMatch(/permission denied|must be owner/);
    await runSql(database.url, `drop owned by ${user}`);
    await runSql(database.url, `drop role ${user}`);
    await database.drop();
  });
});
