import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entities } from '../../../mikro-orm.config.ts';
import { type Database, openDatabase } from '../../../src/db/orm.ts';
import type { Finding } from '../../../src/modules/doctor/finding.ts';
import { lookAtUpkeep, type UpkeepLimits } from '../../../src/modules/doctor/upkeep.ts';
import { type Cluster, startCluster } from '../../support/databases/cluster.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { migrateDatabase } from '../../support/databases/migrated.ts';
import { databaseUrl, runSql } from '../../support/databases/postgres.ts';

/** The smallest of each that is told. */
const STRICT: UpkeepLimits = {
  deadRows: 100,
  unusedBytes: 8_192,
  unusedDays: 0,
  readWholeRows: 100,
  readWholeScans: 10,
  transactionSeconds: 0,
  slotBytes: 0,
  xidMillions: { warnAbove: -1, faultAbove: 1_500 },
};

describePostgres('the upkeep of a server', () => {
  let cluster: Cluster;
  let database: Database;
  let url: string;

  beforeAll(async () => {
    const made = await startCluster({
      own: true,
      prepare: async () => ['max_prepared_transactions=2', 'autovacuum=off'],
    });
    if (!made) throw new Error('there is no PostgreSQL on this machine');
    cluster = made;
    url = databaseUrl(cluster.url, 'gateway');
    await runSql(cluster.url, 'create database gateway');
    await migrateDatabase(url);
    database = await openDatabase({ url }, entities);
    await run('create table report (id int primary key, kind int)');
    await run('insert into report select n, n from generate_series(1, 1000) n');
    await run('create index report_kind on report (kind)');
  });

  afterAll(async () => {
    await database.close();
    await cluster.stop();
  });

  const run = (text: string) => runSql(url, text);

  /** The finding of a name, once the statistics have it: they come a moment after their statement. */
  async function told(name: string, message: RegExp): Promise<Finding> {
    for (;;) {
      const findings = await lookAtUpkeep(database.sql(), STRICT);
      const found = findings.find(finding => finding.name === name && message.test(finding.message));
      if (found) return found;
    }
  }

  test('is said to be in order where it is', async () => {
    expect(await lookAtUpkeep(database.sql())).toMatchObject([{ name: 'database.upkeep', status: 'ok' }]);
  });

  test('tells of a table with dead rows, and how to clear them', async () => {
    await run('update report set kind = kind + 1');
    const { mend } = await told(
      'database.bloat',
      /^The table report has [0-9]+ dead rows, [0-9]+ % .* vacuumed: never\.$/,
    );
    expect(mend).toMatch(/vacuum \(analyze\) report$/);
    await run('vacuum report');
  });

  test('tells of a large table that is read whole', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (let scan = 0; scan < 20; scan += 1) await client.query('select sum(kind + id) from report where kind % 7 = 1');
    await client.end();
    await told('database.missing_index', /^The large table report was read whole [0-9]+ times\.$/);
  });

  test('tells of an index that nothing reads, and of none that keeps rows unique', async () => {
    await told('database.unused_index', /^Nothing has read the index report_kind of /);
    const findings = await lookAtUpkeep(database.sql(), STRICT);
    expect(findings.filter(({ message }) => message.includes('report_pkey'))).toEqual([]);
  });

  test('tells of no index that nothing reads where the server has just started', async () => {
    await told('database.unused_index', /report_kind/);
    const findings = await lookAtUpkeep(database.sql(), { ...STRICT, unusedDays: 7 });
    expect(findings.filter(({ name }) => name === 'database.unused_index')).toEqual([]);
  });

  test('tells of an index that was not made to its end', async () => {
    await run('create table twice as select 1 as id from generate_series(1, 2)');
    await expect(run('create unique index concurrently twice_id on twice (id)')).rejects.toThrow('could not create');
    const { mend } = await told('database.invalid_index', /^The index twice_id is invalid/);
    expect(mend).toContain('reindex index concurrently twice_id');
    await run('drop table twice');
  });

  test('tells of a transaction that nobody ends, and of a prepared one', async () => {
    const client = new pg.Client({ connectionString: url, application_name: 'forgotten' });
    await client.connect();
    await client.query('begin; select 1');
    const { mend } = await told(
      'database.transaction',
      /^A transaction is 0 min old \(process [0-9]+, "forgotten", idle in transaction\)/,
    );
    expect(mend).toMatch(/pg_terminate_backend\([0-9]+\)$/);
    await client.query("insert into report values (0, 0); prepare transaction 'left'");
    await client.end();
    expect((await told('database.transaction', /^The prepared transaction "left" was left/)).mend).toContain(
      "rollback prepared 'left'",
    );
    await run("rollback prepared 'left'");
  });

  test('tells of a slot that keeps the log', async () => {
    await run("select pg_create_physical_replication_slot('gone', true)");
    await run('select pg_switch_wal()');
    await run('insert into report values (-1, 0)');
    const { mend } = await told('database.slot', /^Nobody reads the replication slot gone, and [0-9.]+ MiB/);
    expect(mend).toContain("pg_drop_replication_slot('gone')");
    await run("select pg_drop_replication_slot('gone')");
  });

  test('tells of a table that has no partition for the next month', async () => {
    const [row] = await run(
      `select string_agg(format('drop table %I', relname), ';') as text from pg_class
       where relname = 'webhook_tries_p' || to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', 'YYYYMM')`,
    );
    await run(String(row?.text));
    await told('database.partitions', /^No partition for the next month: webhook_tries\./);
    await migrateDatabase(url);
    expect((await lookAtUpkeep(database.sql(), STRICT)).filter(({ name }) => name === 'database.partitions')).toEqual(
      [],
    );
  });

  test('tells of old transaction numbers', async () => {
    await told(
      'database.transaction_numbers',
      /^The oldest transaction number is [0-9]+ million old; near 2,100 million/,
    );
  });
});
