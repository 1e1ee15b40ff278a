import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { closeFeeds } from '../../../../src/db/feeds/feed.ts';
import type { Database } from '../../../../src/db/orm.ts';
import { newId } from '../../../../src/kernel/ids.ts';
import { EVENT_CHANNEL, TRY_CHANNEL } from '../../../../src/modules/webhooks/events/announce-webhooks.ts';
import { followWebhookEvents } from '../../../../src/modules/webhooks/feeds/follow-events.ts';
import { followWebhookTries } from '../../../../src/modules/webhooks/feeds/follow-tries.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { openTestDatabase } from '../../../support/services.ts';
import { setUpFollowing, take } from '../../../support/webhooks/feed-fixture.ts';

const { account, addTries, ctxOf, makeTry, on, send } = setUpFollowing();

describePostgres('following webhooks across processes', () => {
  let elsewhere: Database;
  beforeAll(async () => {
    elsewhere = await openTestDatabase(on.testDatabase);
  });
  afterEach(() => closeFeeds(elsewhere));
  afterAll(() => elsewhere.close());

  const lose = (channel: string) =>
    on.sql(
      `select pg_terminate_backend(pid, 5000) as ended from pg_stat_activity
       where datname = current_database() and query ilike 'listen %' || $1 || '%' and pid <> pg_backend_pid()`,
      [channel],
    );

  test('shows events of a send through another process', async () => {
    const events = await followWebhookEvents(ctxOf(await account.holder('management'), elsewhere), {
      events: ['sms.sent'],
    });
    const messageId = await send();
    expect(await take(events, 1)).toMatchObject([{ data: { messageId } }]);
  });

  test('shows once the events that were told while the connection was lost', async () => {
    const events = await followWebhookEvents(ctxOf(await account.holder('management'), elsewhere), {
      events: ['sms.sent'],
    });
    const before = await send();
    expect(await take(events, 1)).toMatchObject([{ data: { messageId: before } }]);
    expect(await lose(EVENT_CHANNEL)).toEqual([{ ended: true }]);
    const sent = [await send(), await send()];
    expect((await take(events, 2)).map(({ data }) => data)).toMatchObject(sent.map(messageId => ({ messageId })));
    const after = await send();
    expect(await take(events, 1)).toMatchObject([{ data: { messageId: after } }]);
  });

  test('shows once the tries that were made while the connection was lost', async () => {
    const tries = await followWebhookTries(ctxOf(await account.holder('management'), elsewhere));
    const [before, between, after] = [0, 1, 2].map(() => makeTry(newId('whk')));
    if (!before || !between || !after) throw new Error('no tries');
    await addTries(before);
    expect((await take(tries, 1)).map(({ id }) => id)).toEqual([before.id]);
    expect(await lose(TRY_CHANNEL)).toEqual([{ ended: true }]);
    await addTries(between);
    expect((await take(tries, 1)).map(({ id }) => id)).toEqual([between.id]);
    await addTries(after);
    expect((await take(tries, 1)).map(({ id }) => id)).toEqual([after.id]);
  });
});
