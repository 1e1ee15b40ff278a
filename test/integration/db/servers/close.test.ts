import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../../src/db/orm.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../../support/databases/database.ts';

describePostgres('a database that is closed', () => {
  let testDatabase: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    testDatabase = await createDatabase();
    if (testDatabase.kind === 'postgres') database = await openDatabase({ url: testDatabase.url }, []);
  });
  afterAll(() => testDatabase.drop());

  test('lets a reading of its clock have the connection that it opens for it', async () => {
    const { engine, clock } = database;
    if (engine.kind !== 'postgres') throw new Error('not on PostgreSQL');
    // The only connection that is open, so that the reading needs another.
    const client = await engine.pool.connect();
    const learned = clock.learn();
    const closed = database.close();
    client.release();
    await expect(learned).resolves.toBeUndefined();
    await closed;
    expect(engine.pool.totalCount).toBe(0);
  });
});
