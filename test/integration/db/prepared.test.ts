import { afterEach, beforeEach, expect, test } from 'vitest';
import { entities } from '../../../mikro-orm.config.ts';
import { type Database, openDatabase } from '../../../src/db/orm.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';

let testDatabase: TestDatabase;
let database: Database;

describePostgres('prepared statements', () => {
  beforeEach(async () => {
    testDatabase = await createDatabase();
    if (testDatabase.kind !== 'postgres') throw new Error('needs PostgreSQL');
    // One connection, so that every statement meets what the one before it left.
    database = await openDatabase({ url: testDatabase.url, poolSize: 1 }, entities);
  });
  afterEach(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const add = 'insert into otp_traffic values (gen_random_uuid(), $1, now(), 0, 0) returning place';

  function places(): Promise<{ place: string }[]> {
    return runSql(database.sql(), 'select place from otp_traffic order by place', []);
  }

  /** How many are kept of those that this file runs; the clock of the database is read by one more. */
  async function keptStatements(): Promise<number> {
    const rows = await runSql<{ name: string }>(
      database.sql(),
      `select name from pg_prepared_statements where name like 'heliograph_%' and statement like 'insert into otp_traffic%'`,
      [],
    );
    return rows.length;
  }

  test('are kept by their connection, one for each text', async () => {
    await runSql(database.prepared.sql(), add, ['US']);
    await runSql(database.prepared.sql(), add, ['DE']);
    await expect(keptStatements()).resolves.toBe(1);
    await expect(places()).resolves.toEqual([{ place: 'DE' }, { place: 'US' }]);
  });

  test('run as plain ones, once each, where the server does not keep them', async () => {
    await runSql(database.prepared.sql(), add, ['US']);
    await runSql(database.sql(), 'deallocate all', []);
    await runSql(database.prepared.sql(), add, ['DE']);
    await expect(keptStatements()).resolves.toBe(0);
    await expect(places()).resolves.toEqual([{ place: 'DE' }, { place: 'US' }]);
  });

  test('run a whole transaction again where one is missing', async () => {
    await runSql(database.prepared.sql(), add, ['US']);
    await runSql(database.sql(), 'deallocate all', []);
    await database.prepared.transaction(async sql => {
      await runSql(sql, add.replace('returning place', ''), ['FR']);
      await runSql(sql, add, ['DE']);
    });
    await expect(places()).resolves.toEqual([{ place: 'DE' }, { place: 'FR' }, { place: 'US' }]);
  });

  test('leave nothing of a transaction that fails, and the connection as it was', async () => {
    const failing = database.prepared.transaction(async sql => {
      await runSql(sql, add, ['US']);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expect(places()).resolves.toEqual([]);
  });

  test('come on a new connection after one that broke within a transaction', async () => {
    const failing = database.prepared.transaction(async sql => {
      await runSql(sql, add, ['US']);
      await runSql(sql, 'select pg_terminate_backend(pg_backend_pid())', []);
    });
    await expect(failing).rejects.toMatchObject({ code: '57P01' });
    await runSql(database.prepared.sql(), add, ['DE']);
    await expect(places()).resolves.toEqual([{ place: 'DE' }]);
  });

  test('are not waited for within a transaction by the server for longer than five seconds', async () => {
    const idle = `select current_setting('idle_in_transaction_session_timeout') as timeout`;
    await expect(database.prepared.transaction(sql => runSql(sql, idle, []))).resolves.toEqual([{ timeout: '5s' }]);
    await expect(runSql(database.prepared.sql(), idle, [])).resolves.not.toEqual([{ timeout: '5s' }]);
  });

  test('leave no transaction that the server waits for without a bound', async () => {
    const idle = `select current_setting('idle_in_transaction_session_timeout') as timeout`;
    const rows = database.fork().transactional(em => em.execute(idle));
    await expect(rows).resolves.toEqual([{ timeout: '10s' }]);
  });

  test('are planned for tables that grow', async () => {
    const plan = await runSql<{ 'QUERY PLAN': string }>(
      database.prepared.sql(),
      'explain update otps set status = status where id = any($1::uuid[])',
      [[]],
    );
    expect(plan.map(row => row['QUERY PLAN']).join()).toContain('otps_pkey');
  });
});
