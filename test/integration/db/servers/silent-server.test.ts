import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Apply, defineStatementBatch } from '../../../../src/db/batch.ts';
import type { Database } from '../../../../src/db/orm.ts';
import { runSql, sqlState } from '../../../../src/db/statements/sql.ts';
import type { AppError } from '../../../../src/kernel/errors.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../../support/databases/database.ts';
import { openTestDatabase } from '../../../support/services.ts';

/** A group waits at most three seconds for its turn, and five for its commit. */
const LONGEST_MS = 8_000;
const SLACK_MS = 5_000;

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

test('a statement that comes too late changes nothing', async () => {
  const past = new Date(Date.now() - 1_000).toISOString();
  const late = runSql(
    database.sql(),
    `with made as (insert into otp_traffic values (gen_random_uuid(), 'US', now(), 0, 0) returning place)
     select place from made where (select in_time($1::timestamptz))`,
    [past],
  );
  await expect(late.catch(sqlState)).resolves.toBe('HG001');
  await expect(runSql(database.sql(), 'select place from otp_traffic', [])).resolves.toEqual([]);
});

test('a transaction that would commit too late is rolled back', async context => {
  if (database.engine.kind === 'pglite') return context.skip();
  const past = new Date(Date.now() - 1_000).toISOString();
  const late = database.prepared.transaction(
    sql => runSql(sql, `insert into otp_traffic values (gen_random_uuid(), 'US', now(), 0, 0)`, []),
    past,
  );
  await expect(late.catch(sqlState)).resolves.toBe('HG001');
  await expect(runSql(database.sql(), 'select place from otp_traffic', [])).resolves.toEqual([]);
});

test('groups that hang leave nobody behind them hanging', async () => {
  const most = database.engine.kind === 'pglite' ? 1 : 2;
  const never = Promise.withResolvers<never>();
  let groups = 0;
  const apply: Apply<number, number> = (_sql, items) => {
    groups += 1;
    return groups <= most ? never.promise : Promise.resolve(items);
  };
  const batch = defineStatementBatch('hanging', apply)(database);
  const startedMs = performance.now();
  const timed = async (item: number): Promise<string> => {
    const outcome = await batch(item).then(String, (error: unknown) => (error as AppError).code);
    return `${outcome} ${performance.now() - startedMs <= LONGEST_MS + SLACK_MS ? 'in time' : 'too late'}`;
  };
  const hanging: Promise<string>[] = [];
  for (let item = 0; item < most; item++) {
    hanging.push(timed(item));
    await wait(100);
  }
  const behind = timed(2);
  await wait(3_500);
  const later = timed(3);
  await expect(Promise.all([...hanging, behind, later])).resolves.toEqual([
    ...hanging.map(() => 'database_unavailable in time'),
    'database_unavailable in time',
    '3 in time',
  ]);
});

describePostgres('a server that falls silent', () => {
  let proxy: Server;
  const sockets = new Set<Socket>();
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    proxy?.close();
  });

  test('is given up, its connection is not used again, and the next statement finds another', async () => {
    if (testDatabase.kind !== 'postgres') throw new Error('needs PostgreSQL');
    const target = new URL(testDatabase.url);
    let isSilent = false;
    proxy = createServer(socket => {
      const upstream = new (socket.constructor as new () => Socket)().connect(Number(target.port), target.hostname);
      for (const one of [socket, upstream]) {
        sockets.add(one);
        one.on('error', () => undefined);
      }
      socket.on('data', chunk => upstream.write(chunk));
      upstream.on('data', chunk => isSilent || socket.write(chunk));
      socket.on('close', () => upstream.destroy());
    });
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const url = new URL(testDatabase.url);
    url.port = String(port);
    const silent = await openTestDatabase({ ...testDatabase, url: url.href });
    try {
      isSilent = true;
      const startedMs = performance.now();
      await expect(runSql(silent.sql(), 'select 1', [])).rejects.toThrow('did not answer in time');
      expect(performance.now() - startedMs).toBeLessThan(LONGEST_MS + SLACK_MS);
      isSilent = false;
      await expect(runSql(silent.sql(), 'select 1 as one', [])).resolves.toEqual([{ one: 1 }]);
    } finally {
      await silent.close();
    }
  });
});
