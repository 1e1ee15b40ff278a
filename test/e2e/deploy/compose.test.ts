import { execFile } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Cluster, findBinaries, findOwner, startCluster } from '../../support/databases/cluster.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { freePort } from '../../support/processes/free-ports.ts';
import { ask, type Demo, send, startGateway, until } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { missing, PGBOUNCER, startProgram } from '../../support/smpp/programs.ts';

const COMPOSE = join(REPOSITORY, 'deploy/compose');
const run = promisify(execFile);
const read = (file: string): Promise<string> => readFile(join(COMPOSE, file), 'utf8');

interface Services {
  readonly services: {
    readonly [gateway in 'api' | 'worker']: { readonly environment: Readonly<Record<string, string>> };
  } & { readonly postgres: { readonly command: readonly string[] } };
}

/** The PostgreSQL of compose.yml, with its settings, its rules of access and its role. */
async function startPostgres(folder: string, command: readonly string[]): Promise<Cluster> {
  const cluster = await startCluster({
    own: true,
    async prepare(data) {
      // Its user alone may read the key.
      for (const file of ['server.pem', 'server.key'])
        await copyFile(join(folder, 'certificates', file), join(data, file));
      const rules = await read('pg_hba.conf');
      await writeFile(join(data, 'pg_hba.conf'), `host all postgres 127.0.0.1/32 trust\n${rules}`);
      return command.filter(word => word.startsWith('-cssl')).map(word => word.slice(2).replace('/certificates/', ''));
    },
  });
  if (cluster === null) throw new Error('there is no PostgreSQL');
  const script = await read('create-role.sh');
  const password = await readFile(join(folder, 'secrets/password'), 'utf8');
  const statements = /<<'SQL'\n(.*)SQL\n/s.exec(script)?.[1]?.replaceAll(":'password'", `'${password}'`) ?? '';
  for (const statement of statements.trim().split('\n')) await runSql(cluster.url, statement);
  return cluster;
}

const left = missing(['pgbouncer']) ?? ((await findBinaries()) === null ? 'there is no PostgreSQL' : null);

it.skipIf(left !== null)('what compose.yml starts delivers a message, over TLS and through PgBouncer', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp('/tmp/heliograph-compose-');
  stack.defer(() => rm(folder, { recursive: true }));
  const owner = await findOwner();
  await chmod(folder, 0o755);
  await run(join(COMPOSE, 'prepare'), [folder]);
  const certificates = join(folder, 'certificates');
  await mkdir(certificates);
  await run(join(COMPOSE, 'make-certificates'), [certificates, String(process.getuid?.())]);
  const { services } = parse(await read('compose.yml'), { merge: true }) as Services;

  const cluster = await startPostgres(folder, services.postgres.command);
  stack.defer(() => cluster.stop());
  const direct = new URL(cluster.url).port;
  const pooled = await freePort();
  const hosts = (text: string): string =>
    text
      .replace('host=postgres port=5432', `host=localhost port=${direct}`)
      .replace('@postgres:5432', `@localhost:${direct}`)
      .replace('@pgbouncer:6432', `@127.0.0.1:${pooled}`)
      .replace('listen_port = 6432', `listen_port = ${pooled}`)
      .replaceAll('/certificates/', `${certificates}/`)
      .replace('/etc/pgbouncer/userlist.txt', join(folder, 'userlist.txt'));
  await copyFile(join(folder, 'secrets/userlist.txt'), join(folder, 'userlist.txt'));
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(settings, hosts(await read('pgbouncer/pgbouncer.ini')));
  for (const file of ['userlist.txt', 'pgbouncer.ini'])
    await chown(join(folder, file), owner.uid ?? process.getuid?.() ?? 0, owner.gid ?? process.getgid?.() ?? 0);
  const pooler = stack.use(startProgram(PGBOUNCER, [settings], owner));
  await pooler.line(/process up/);

  const env = parseEnv(hosts(await readFile(join(folder, 'gateway.env'), 'utf8'))) as Record<string, string>;
  const start = (role: 'api' | 'worker') =>
    startGateway({ env: { ...env, NODE_ENV: 'production', SANDBOX: 'on', ...services[role].environment } });
  const [api, worker] = [await start('api'), await start('worker')];
  const { OPERATOR_TOKEN = '' } = env;
  const query = 'mutation { seedDemo { url accountId tokens dashboard } }';
  const { tokens } = (await ask<{ seedDemo: Demo }>(api, OPERATOR_TOKEN, query)).seedDemo;
  const sent = await send(api, tokens.unified);
  expect(sent.status).toBe(200);
  const { messageId = '' } = sent.body.data ?? {};
  // Receipts of the sandbox are work of the worker.
  const find = '($id: String!) { message(id: $id) { status } }';
  await until('the message is delivered', async () => {
    const { message } = await ask<{ message: { status: string } }>(api, tokens.management, `query ${find}`, {
      id: messageId,
    });
    return message.status === 'DELIVERED' ? true : null;
  });
  const sql = "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'heliograph'";
  expect(await runSql(cluster.url, sql)).toEqual([{ ssl: true }]);
  for (const gateway of [api, worker]) gateway.kill('SIGTERM');
  expect(await Promise.all([api.exited, worker.exited])).toEqual([
    { code: 0, signal: null },
    { code: 0, signal: null },
  ]);
});
