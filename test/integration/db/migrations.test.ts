import { randomUUID } from 'node:crypto';
import { Migrator } from '@mikro-orm/migrations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/db/migrate.ts';
import type { Database } from '../../../src/db/orm.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { LOCK_NUMBER } from '../../../src/modules/chat-sessions/pace/turn.sql.ts';
import { createDatabase, type TestDatabase } from '../../support/databases/database.ts';
import { until } from '../../support/processes/gateway.ts';
import { openTestDatabase } from '../../support/services.ts';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createDatabase();
  database = await openTestDatabase(testDatabase);
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Tables, columns, indexes and constraints of the gateway, as text. Months are left out: another may have begun since the template was made. */
async function describeSchema(): Promise<string[]> {
  const rows = await runSql<{ line: string }>(
    database.sql(),
    `select format('column %s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
     from information_schema.columns where table_schema = 'public'
     union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
     union all select format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid))
       from pg_constraint where connamespace = 'public'::regnamespace
     order by 1`,
    [],
  );
  return rows.map(row => row.line).filter(line => !/_p\d{6}/.test(line));
}

test('entities and migrations agree', async () => {
  await expect(database.orm.schema.getUpdateSchemaSQL({ wrap: false })).resolves.toBe('');
});

test('migrations can be taken back to nothing and run again to the same schema', async () => {
  const before = await describeSchema();
  await new Migrator(database.orm.em).down({ to: 0 });
  const left = await runSql<{ name: string }>(
    database.sql(),
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'S', 'v') and relname !~ '^migrations'`,
    [],
  );
  expect(left).toEqual([]);
  await expect(database.readiness.isMigrated()).resolves.toBe(false);
  await migrate(database);
  await expect(database.readiness.isMigrated()).resolves.toBe(true);
  await expect(describeSchema()).resolves.toEqual(before);
});

test('a database that was up to date before the first migration replaced its 28 stays as it is', async () => {
  const before = await describeSchema();
  await runSql(
    database.sql(),
    `insert into migrations (name) values ('migration-20261120000000'), ('migration-20261202000002')`,
    [],
  );
  await expect(database.readiness.isMigrated()).resolves.toBe(true);
  await expect(migrate(database)).resolves.toEqual([]);
  await expect(describeSchema()).resolves.toEqual(before);
});

test('words of accounts from before have the form that texts are compared in', async () => {
  await new Migrator(database.orm.em).down({ to: 'migration-20261216000000' });
  const settings = { stopWords: ['İPTAL', 'IPTAL', 'ＤＵＲ'], startWords: [], stopText: 'Bye.' };
  await runSql(
    database.sql(),
    `with made as (insert into accounts (id, name, created_at, opt_out_settings) values (gen_random_uuid(), 'Before', now(), $1) returning id)
     insert into auto_replies (account_id, keyword, text, updated_at)
     select id, word, word, now() from made, unnest($2::text[]) word`,
    [JSON.stringify(settings), ['SAAT', 'İADE', 'A–B', 'A-B', 'A—B', 'X  Y', 'X\u2009Y']],
  );
  await migrate(database);
  const [row] = await runSql<{ stored: object; keywords: string[] }>(
    database.sql(),
    `select opt_out_settings as stored, (select array_agg(keyword order by keyword collate "C") from auto_replies) as keywords
     from accounts where name = 'Before'`,
    [],
  );
  expect(row?.stored).toEqual({ ...settings, stopWords: ['DUR', 'IPTAL'] });
  expect(row?.keywords).toEqual(['A-B', 'A–B', 'A—B', 'IADE', 'SAAT', 'X Y', 'X\u2009Y']);
});

test('a number that two connections had linked stays with the first, and a removed connection keeps no keys', async () => {
  await new Migrator(database.orm.em).down({ to: 'migration-20261221000000' });
  await runSql(
    database.sql(),
    `insert into connections (id, provider, channel, name, config, config_key_id, created_at, updated_at, removed_at)
       values ('00000000-0000-0000-0000-000000000003', 'chat-qr', 'chat_qr', 'Removed', '', '00000000', now(), now(), now())`,
    [],
  );
  await runSql(
    database.sql(),
    `with made as (
       insert into chat_sessions (connection_id, state, state_since, number, creds, creds_key_id, owner, linked_at)
       select format('00000000-0000-0000-0000-%s', lpad(place::text, 12, '0'))::uuid, state, now(), number, 'creds', '00000000',
         gen_random_uuid(), now() - place * interval '1 hour'
       from (values (1, 'linked', '4915550001111'), (2, 'linked', '4915550001111'), (3, 'banned', '4915550002222')) v(place, state, number)
       returning connection_id
     )
     insert into chat_session_keys select connection_id, 'session', '1', 'value', '00000000' from made`,
    [],
  );
  await migrate(database);
  const rows = await runSql<{ state: string; is_kept: boolean; keys: number; error: string | null }>(
    database.sql(),
    `select state, creds is not null and owner is not null as is_kept, error,
       (select count(*)::int from chat_session_keys k where k.connection_id = s.connection_id) as keys
     from chat_sessions s order by connection_id`,
    [],
  );
  expect(rows).toEqual([
    { state: 'unlinked', is_kept: false, keys: 0, error: expect.stringMatching('Another connection') },
    { state: 'linked', is_kept: true, keys: 1, error: null },
    { state: 'unlinked', is_kept: false, keys: 0, error: null },
  ]);
});

test.skipIf(process.env.TEST_DATABASE === 'pglite')(
  'the migration of linked numbers and those who go on with their leases wait for each other in turn',
  async () => {
    const [removed, first, second] = [randomUUID(), randomUUID(), randomUUID()];
    const waiting = async () => {
      const rows = await runSql(
        database.sql(),
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        [],
      );
      return rows.length;
    };
    await new Migrator(database.orm.em).down({ to: 'migration-20261221000000' });
    await runSql(
      database.sql(),
      `insert into connections (id, provider, channel, name, config, config_key_id, created_at, updated_at, removed_at)
         values ($1, 'chat-qr', 'chat_qr', 'Removed', '', '00000000', now(), now(), now())`,
      [removed],
    );
    await runSql(
      database.sql(),
      `insert into chat_sessions (connection_id, state, state_since, number, linked_at) values ($1, 'banned', now(), '4915550003333', now()),
         ($2, 'linked', now(), '4915550004444', now() - interval '1 hour'), ($3, 'linked', now(), '4915550004444', now())`,
      [removed, first, second],
    );
    const work: Promise<unknown>[] = [];
    await database.fork().transactional(async em => {
      await LOCK_NUMBER.run(em.getKysely(), { connection: second });
      work.push(migrate(database));
      await until('the migration waits', async () => (await waiting()) === 1 || null);
      const renewal = 'update chat_sessions set lease_until = now() where connection_id = $1';
      work.push(runSql(database.sql(), renewal, [removed]));
      await until('the renewal waits', async () => (await waiting()) === 2 || null);
      // A turn is taken under the lock of its number.
      await runSql(em.getKysely(), 'update chat_sessions set turns = turns where connection_id = $1', [second]);
    });
    await expect(Promise.all(work)).resolves.toHaveLength(2);
    await runSql(database.sql(), 'delete from chat_sessions where connection_id = any($1)', [[removed, first, second]]);
    await runSql(database.sql(), 'delete from connections where id = $1', [removed]);
  },
);

test('migrating again changes nothing', async () => {
  await expect(migrate(database)).resolves.toEqual([]);
});

describe.each(['messages', 'attempts'])('%s', table => {
  test('is partitioned by range of its key, with partitions for this month and those ahead', async () => {
    const [row] = await runSql<{ strategy: string; key: string; partitions: string[] }>(
      database.sql(),
      `select p.partstrat as strategy, pg_get_partkeydef(p.partrelid) as key,
         (select json_agg(i.inhrelid::regclass::text order by 1) from pg_inherits i where i.inhparent = p.partrelid) as partitions
       from pg_partitioned_table p where p.partrelid = $1::regclass`,
      [table],
    );
    expect([row?.strategy, row?.key]).toEqual(['r', 'RANGE (id)']);
    const month = new Date().toISOString().slice(0, 7).replace('-', '');
    expect(row?.partitions).toContain(`${table}_p${month}`);
    expect(row?.partitions.length).toBeGreaterThan(2);
  });
});
