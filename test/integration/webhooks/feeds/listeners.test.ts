import { describe, expect, test, vi } from 'vitest';
import { closeFeeds } from '../../../../src/db/feeds/feed.ts';
import type { Database } from '../../../../src/db/orm.ts';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { followWebhookEvents } from '../../../../src/modules/webhooks/feeds/follow-events.ts';
import { makeAccount } from '../../../support/services.ts';
import { setUpFollowing, take } from '../../../support/webhooks/feed-fixture.ts';

const { account, ctxOf, follow, listeners, on, send, stop } = setUpFollowing();

describe('the registration of a follower of events', () => {
  test('is there once it follows, for half a minute', async () => {
    await follow(['otp.sent', 'otp.failed']);
    const rows = await listeners();
    expect(rows).toEqual([{ events: ['otp.sent', 'otp.failed'], seconds: expect.any(Number) }]);
    expect(rows[0]?.seconds).toBeGreaterThan(25);
    expect(rows[0]?.seconds).toBeLessThanOrEqual(30);
  });

  test('is gone when the caller returns', async () => {
    const events = await follow();
    await events.return?.();
    expect(await listeners()).toEqual([]);
  });

  test('is gone when the feeds are closed', async () => {
    const events = await follow();
    await closeFeeds(on.database);
    expect(await listeners()).toEqual([]);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('is gone after the caller is gone', async () => {
    const events = await follow();
    stop();
    await events.return?.();
    expect(await listeners()).toEqual([]);
  });

  test('is not made for a caller who is gone already', async () => {
    stop();
    const events = await follow();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(await listeners()).toEqual([]);
  });

  test('is renewed every ten seconds, and made again where it was lost', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const events = await follow();
    await on.sql('delete from webhook_listeners where account_id = $1', [toUuid(account.accountId)]);
    vi.advanceTimersByTime(10_000);
    await vi.waitUntil(async () => (await listeners()).length === 1, { timeout: 20_000 });
    await events.return?.();
    vi.advanceTimersByTime(60_000);
    expect(await listeners()).toEqual([]);
  });

  test('clears away what dead processes left, and nothing else', async () => {
    const other = await makeAccount(on);
    const insert = 'insert into webhook_listeners (id, account_id, events, expires_at) values ($1, $2, $3::text[], ';
    const parameters = (): unknown[] => [toUuid(newId('wls')), toUuid(other.accountId), ['otp.sent']];
    await on.sql(`${insert} clock_timestamp() - interval '1 second')`, parameters());
    await on.sql(`${insert} clock_timestamp() + interval '20 seconds')`, parameters());
    await follow();
    expect(await listeners(other.accountId)).toHaveLength(1);
  });

  test('is taken back where it could not be made', async () => {
    let isAway = true;
    const away: Database = {
      ...on.database,
      sql: () => {
        if (isAway) throw Object.assign(new Error('terminated'), { code: '57P01' });
        return on.database.sql();
      },
    };
    await expect(followWebhookEvents(ctxOf(account.actor('management'), away))).rejects.toMatchObject({
      code: 'database_unavailable',
    });
    isAway = false;
    const events = await followWebhookEvents(ctxOf(await account.holder('management'), away), { events: ['sms.sent'] });
    await send();
    expect(await take(events, 1)).toMatchObject([{ event: 'sms.sent' }]);
    await closeFeeds(away);
  });
});
