import { Migrator } from '@mikro-orm/migrations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/db/migrate.ts';
import type { Database } from '../../../src/db/orm.ts';
import { planMigrations } from '../../../src/db/plan/plan-migrations.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { createDatabase, type TestDatabase } from '../../support/databases/database.ts';
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

test('a database that is up to date has no plan', async () => {
  await migrate(database);
  expect(await planMigrations(database)).toEqual([]);
});

test('a database that is behind is told what each statement locks, with the rows of the table, and nothing changes', async () => {
  await new Migrator(database.orm.em).down({ to: 'migration-20261206000000' });
  const before = await database.orm.schema.getUpdateSchemaSQL({ wrap: false });
  await runSql(database.sql(), 'analyze accounts', []);
  const plan = await planMigrations(database);
  expect(plan).toContainEqual({
    migration: expect.stringMatching(/^migration-\d+$/),
    statement: expect.stringMatching(/^alter table accounts add opt_out_settings/),
    table: 'accounts',
    lock: 'everything',
    work: 'moment',
    rows: 0,
  });
  expect(plan).toContainEqual(expect.objectContaining({ table: 'attempts', lock: 'everything', work: 'moment' }));
  // Tables that the migrations themselves make are locked by nobody else.
  expect(plan.filter(({ table }) => table === 'suppressions')).toEqual([]);
  expect(plan.filter(({ lock }) => lock === 'unknown').map(({ statement }) => statement)).toEqual([]);
  expect(await database.orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe(before);
});
