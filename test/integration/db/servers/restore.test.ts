import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findLedgerFaults } from '../../../../src/modules/billing/reconcile.ts';
import { type Customer, createTestApp, type TestApp } from '../../../support/app.ts';
import { onServer, runTool, takeBackup } from '../../../support/databases/backups.ts';
import { type Cluster, startCluster } from '../../../support/databases/cluster.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { migrateDatabase } from '../../../support/databases/migrated.ts';
import { databaseUrl, runSql } from '../../../support/databases/postgres.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';
import { OPERATOR } from '../../../support/services.ts';

/** The key that a restored database needs. */
const SECRET_KEY = Buffer.alloc(32, 4).toString('base64');

/** Longer than a busy machine takes. */
const SOON = { timeout: 30_000, interval: 50 };

describePostgres('a database that is restored', () => {
  let archive: string;
  let cluster: Cluster;
  let url: string;
  let on: TestApp;
  let customer: Customer;

  beforeAll(async () => {
    archive = await mkdtemp(join(tmpdir(), 'heliograph-archive-'));
    await chmod(archive, 0o777);
    const settings = ['archive_mode=on', `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`];
    const made = await startCluster({ own: true, prepare: async () => settings });
    if (!made) throw new Error('there is no PostgreSQL on this machine');
    cluster = made;
    url = databaseUrl(cluster.url, 'gateway');
    await runSql(cluster.url, 'create database gateway');
    await migrateDatabase(url);
    on = await open(url);
    customer = await on.customer();
    await send(5);
  }, 120_000);

  afterAll(async () => {
    await on.close();
    await cluster.stop();
    await rm(archive, { recursive: true });
  });

  const open = (database: string) => createTestApp({ env: { DATABASE_URL: database, SECRET_KEY } });

  async function send(count: number, by = on): Promise<void> {
    for (let sent = 0; sent < count; sent += 1) {
      const { status } = await by.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body: SMS });
      expect(status).toBe(200);
    }
  }

  /** The log and the balance, as the account's own tokens are told. */
  async function toldBy(gateway: TestApp): Promise<unknown> {
    const query = '{ logs(first: 200) { edges { node { id status recipient createdAt } } } }';
    const { data, errors } = await gateway.graphql(query, { token: customer.tokens.unified });
    expect(errors).toBeNull();
    return data;
  }

  /** A gateway on it starts, tells the same, finds the ledger straight, and sends. */
  async function serves(database: string, told: unknown): Promise<void> {
    const restored = await open(database);
    try {
      expect(await toldBy(restored)).toEqual(told);
      expect(await findLedgerFaults(restored.app.makeCtx(OPERATOR, 'restored'))).toEqual([]);
      await send(1, restored);
    } finally {
      await restored.close();
    }
  }

  test('from a dump serves as the one before', async () => {
    const told = await toldBy(on);
    const file = join(archive, 'gateway.dump');
    await runTool('pg_dump', ['--format=custom', `--file=${file}`, url]);
    await runSql(cluster.url, 'create database restored');
    const restored = databaseUrl(cluster.url, 'restored');
    await runTool('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${restored}`, file]);
    await serves(restored, told);
  });

  test('to a time before a deletion has what was deleted, and nothing of later', async () => {
    await using backup = await takeBackup(cluster.url);
    await send(3);
    const told = await toldBy(on);
    const [time] = await runSql(url, 'select clock_timestamp()::text as now');
    await send(1);
    const [month] = await runSql(url, "select to_char(now() at time zone 'UTC', 'YYYYMM') as name");
    await runSql(url, `drop table attempts_p${String(month?.name)}`);
    const [last] = await runSql(url, 'select pg_walfile_name(pg_switch_wal()) as name');
    await vi.waitUntil(async () => {
      const [archiver] = await runSql(url, 'select last_archived_wal as name from pg_stat_archiver');
      return String(archiver?.name) >= String(last?.name);
    }, SOON);
    const recovered = await startCluster({
      own: true,
      backup: backup.folder,
      async prepare(data) {
        await writeFile(join(data, 'recovery.signal'), '');
        return [
          `restore_command=cp ${archive}/%f %p`,
          `recovery_target_time=${String(time?.now)}`,
          'recovery_target_action=promote',
        ];
      },
    });
    if (!recovered) throw new Error('there is no PostgreSQL on this machine');
    try {
      const isOpen = async () => (await runSql(recovered.url, 'select pg_is_in_recovery() as is'))[0]?.is === false;
      await vi.waitUntil(isOpen, SOON);
      await serves(onServer(recovered, url), told);
    } finally {
      await recovered.stop();
    }
  });
});
