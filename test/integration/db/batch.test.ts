import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Apply, defineStatementBatch } from '../../../src/db/batch.ts';
import type { Database } from '../../../src/db/orm.ts';
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

test('as many groups are under way as the engine has use for, and what comes meanwhile is one group more', async () => {
  const most = database.engine.kind === 'pglite' ? 1 : 2;
  const groups: (readonly number[])[] = [];
  const begun = Array.from({ length: most + 1 }, () => Promise.withResolvers<void>());
  const ends = Array.from({ length: most + 1 }, () => Promise.withResolvers<void>());
  const apply: Apply<number, number> = async (_sql, items) => {
    const place = groups.push(items) - 1;
    begun[place]?.resolve();
    await ends[place]?.promise;
    return items;
  };
  const batch = defineStatementBatch('held', apply)(database);
  const first: Promise<number>[] = [];
  for (let place = 0; place < most; place++) {
    first.push(batch(place));
    await begun[place]?.promise;
  }
  const rest = [10, 11, 12].map(batch);
  // Each turn of the event loop would let a group go that has a place.
  for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve));
  expect(groups).toHaveLength(most);
  // The youngest may end first.
  ends[most - 1]?.resolve();
  await expect(first[most - 1]).resolves.toBe(most - 1);
  await begun[most]?.promise;
  expect(groups.at(-1)).toEqual([10, 11, 12]);
  for (const end of ends) end.resolve();
  await expect(Promise.all([...first, ...rest])).resolves.toEqual([...Array(most).keys(), 10, 11, 12]);
});

test('a group that goes alone for a while leaves its place to another one where it hangs', async context => {
  if (database.engine.kind === 'pglite') return context.skip();
  const groups: (readonly number[])[] = [];
  const begun = [1, 2].map(() => Promise.withResolvers<void>());
  const end = Promise.withResolvers<void>();
  const apply: Apply<number, number> = async (_sql, items) => {
    begun[groups.push(items) - 1]?.resolve();
    await end.promise;
    return items;
  };
  const batch = defineStatementBatch('alone', apply, { aloneMs: 1_500 })(database);
  const all = [batch(1)];
  await begun[0]?.promise;
  all.push(batch(2));
  for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve));
  expect(groups).toEqual([[1]]);
  await begun[1]?.promise;
  expect(groups).toEqual([[1], [2]]);
  end.resolve();
  await expect(Promise.all(all)).resolves.toEqual([1, 2]);
});
