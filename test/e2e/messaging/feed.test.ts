import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { type FollowedEntry, followLog } from '../../support/logs/follow-log.ts';
import { type Demo, type Gateway, seedDemo, send, startGateway } from '../../support/processes/gateway.ts';

describePostgres('the feed of the log over two processes', () => {
  let database: TestDatabase;
  let first: Gateway;
  let second: Gateway;
  let demo: Demo;

  beforeAll(async () => {
    database = await createDatabase();
    if (database.kind !== 'postgres') return;
    const databaseUrl = database.url;
    [first, second] = await Promise.all([startGateway({ databaseUrl }), startGateway({ databaseUrl })]);
    demo = await seedDemo(first);
  });

  afterAll(async () => {
    for (const gateway of [first, second]) gateway.kill('SIGTERM');
    await Promise.all([first.exited, second.exited]);
    await database.drop();
  });

  test('who follows on one sees what is sent through the other, each entry once and in order', async () => {
    const feed = await followLog(first, demo.tokens.unified);
    const sent: unknown[] = [];
    for (const gateway of [second, second, first, second]) {
      sent.push((await send(gateway, demo.tokens.unified)).body.data?.messageId);
    }
    const told: FollowedEntry[] = [];
    const ids = () => [...new Set(told.map(({ messageId }) => messageId))];
    // After a second each is told again, as delivered; one that is read later than that is told as delivered alone.
    while (ids().length < sent.length) told.push(await feed.next());
    expect(ids()).toEqual(sent);
    expect(new Set(told.map(({ messageId, status }) => `${messageId} ${status}`)).size).toBe(told.length);
    const status = expect.stringMatching(/^(SENT|DELIVERED)$/);
    expect(told[0]).toEqual({ messageId: sent[0], channel: 'SMS', status, recipient: '12025550100' });
    feed.close();
  });
});
