import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../../support/databases/cluster.ts';
import { migrateDatabase } from '../../support/databases/migrated.ts';
import { databaseUrl, runSql } from '../../support/databases/postgres.ts';
import { type Demo, type Gateway, seedDemo, send, startGateway, until } from '../../support/processes/gateway.ts';

const run = promisify(execFile);

const cluster = await startCluster({ own: true });
if (cluster === null) {
  process.stderr.write('database-refuses.test.ts: left out, for it needs a PostgreSQL of its own\n');
}

/** An empty disk of its own; null where this user may not make one. */
async function makeDisk(megabytes: number): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'heliograph-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', folder]);
    return folder;
  } catch {
    await rm(folder, { recursive: true });
    return null;
  }
}

async function removeDisk(folder: string): Promise<void> {
  await run('umount', ['-l', folder]);
  await rm(folder, { recursive: true });
}

/** Leaves so many bytes on a disk. Answers how to give the room back. */
async function fill(folder: string, leftBytes: number): Promise<() => Promise<void>> {
  const { bavail, bsize } = await statfs(folder);
  const ballast = join(folder, 'ballast');
  await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
  return () => rm(ballast);
}

/** The answers of REST and GraphQL to a send, as text, and the status of `/readyz`. */
async function askAll(gateway: Gateway, { tokens }: Demo): Promise<string[]> {
  const { status, body, headers } = await send(gateway, tokens.unified);
  const graphql = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.unified}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      query:
        'mutation { sendMessage(input: { to: "+12025550100", text: "Quiet harbour", channels: [SMS], sender: "DEMO" }) { status } }',
    }),
  });
  const { errors } = (await graphql.json()) as { errors?: { extensions: { code: string; retryAfter: number } }[] };
  const otp = await fetch(`${gateway.url}/api/sms/otp/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.otp}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+12025550100' }),
  });
  const problem = (await otp.json()) as { code?: string };
  return [
    `${status} ${body.code} ${headers.get('retry-after')}`,
    `${errors?.[0]?.extensions.code} ${errors?.[0]?.extensions.retryAfter}`,
    `${otp.status} ${problem.code} ${otp.headers.get('retry-after')}`,
    `${(await fetch(`${gateway.url}/readyz`)).status}`,
  ];
}

const REFUSED = ['503 database_unavailable 1', 'DATABASE_UNAVAILABLE 1', '503 database_unavailable 1', '503'];
const FINE = ['200 undefined null', 'undefined undefined', '200 undefined null', '200'];

async function untilAnswered(gateway: Gateway, demo: Demo, wanted: readonly string[]): Promise<void> {
  await until(`the gateway answers ${wanted.join(', ')}`, async () =>
    (await askAll(gateway, demo)).join() === wanted.join() ? true : null,
  );
}

describe.skipIf(cluster === null)('a PostgreSQL that takes no writes', () => {
  let postgres: Cluster;
  let gateway: Gateway;
  let demo: Demo;
  let url: string;

  beforeAll(async () => {
    if (cluster === null) return;
    postgres = cluster;
    await runSql(postgres.url, 'create database refuses');
    url = databaseUrl(postgres.url, 'refuses');
    await migrateDatabase(url);
    gateway = await startGateway({ databaseUrl: url });
    demo = await seedDemo(gateway);
  });

  afterAll(async () => {
    try {
      gateway.kill('SIGTERM');
      await gateway.exited;
    } finally {
      await postgres.stop();
    }
  });

  test('since it is read-only, is a database that is away, and all works again when it is not', async () => {
    await untilAnswered(gateway, demo, FINE);
    await runSql(url, 'alter system set default_transaction_read_only = on');
    await runSql(url, 'select pg_reload_conf()');
    await untilAnswered(gateway, demo, REFUSED);
    expect(await askAll(gateway, demo)).toEqual(REFUSED);
    await runSql(
      url,
      'set default_transaction_read_only = off; alter system reset default_transaction_read_only',
    ).catch(() => runSql(url, 'alter system reset default_transaction_read_only'));
    await runSql(url, 'select pg_reload_conf()');
    await untilAnswered(gateway, demo, FINE);
  });

  test('since its disk is full, is a database that is away, and all works again when there is room', async context => {
    const disk = await makeDisk(24);
    if (disk === null) {
      process.stderr.write('database-refuses.test.ts: no full disk, for this user may not mount one\n');
      return context.skip();
    }
    try {
      const [{ uid = 0 } = {}] = await runSql(url, 'select 0 as uid');
      expect(uid).toBe(0);
      await run('chown', ['postgres', disk]).catch(() => run('chown', ['nobody', disk]));
      await runSql(url, `create tablespace small location '${disk}'`);
      const tables = await runSql(
        url,
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname ~ '^(messages|attempts|otps|ledger|readiness)'`,
      );
      for (const { name } of tables) await runSql(url, `alter table "${String(name)}" set tablespace small`);
      await untilAnswered(gateway, demo, FINE);
      const giveBack = await fill(disk, 0);
      // The free space in existing pages is used up first.
      await until('a send is refused', async () =>
        (await send(gateway, demo.tokens.unified, { text: 'x'.repeat(1_000) })).status === 503 ? true : null,
      );
      expect((await send(gateway, demo.tokens.unified, { text: 'x'.repeat(1_000) })).body.code).toBe(
        'database_unavailable',
      );
      await until('/readyz answers 503', async () =>
        (await fetch(`${gateway.url}/readyz`)).status === 503 ? true : null,
      );
      await giveBack();
      await untilAnswered(gateway, demo, FINE);
    } finally {
      for (const { name } of await runSql(
        url,
        `select relname as name from pg_class where reltablespace <> 0 and relkind = 'r' and relnamespace = 'public'::regnamespace`,
      ))
        await runSql(url, `alter table "${String(name)}" set tablespace pg_default`);
      await runSql(url, 'drop tablespace if exists small');
      await removeDisk(disk);
    }
  });
});

describe('an embedded database on a full disk', () => {
  test('is a database that is away, and all works again when there is room', async context => {
    const disk = await makeDisk(400);
    if (disk === null) {
      process.stderr.write('database-refuses.test.ts: no full disk, for this user may not mount one\n');
      return context.skip();
    }
    const gateway = await startGateway({ dataDir: join(disk, 'data') });
    try {
      const { demo } = gateway;
      if (!demo) throw new Error('the first start makes a demo account');
      await untilAnswered(gateway, demo, FINE);
      const giveBack = await fill(disk, 1_000_000);
      await untilAnswered(gateway, demo, REFUSED);
      expect(await askAll(gateway, demo)).toEqual(REFUSED);
      await giveBack();
      await untilAnswered(gateway, demo, FINE);
    } finally {
      gateway.kill('SIGTERM');
      await gateway.exited;
      await removeDisk(disk);
    }
  });
});
