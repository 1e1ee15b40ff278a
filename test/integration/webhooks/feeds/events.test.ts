import { describe, expect, test, vi } from 'vitest';
import { fromUuid, newId, toUuid } from '../../../../src/kernel/ids.ts';
import { EVENT_CHANNEL } from '../../../../src/modules/webhooks/events/announce-webhooks.ts';
import { loadToldEvents } from '../../../../src/modules/webhooks/events/load-events.ts';
import { type WebhookEventName, webhookBody } from '../../../../src/modules/webhooks/events/webhook-events.ts';
import { followEventsInput, followWebhookEvents } from '../../../../src/modules/webhooks/feeds/follow-events.ts';
import { readInput } from '../../../support/refusal.ts';
import { makeAccount, OPERATOR } from '../../../support/services.ts';
import { setUpFollowing, take } from '../../../support/webhooks/feed-fixture.ts';

const { account, ctxOf, follow, listeners, on, send } = setUpFollowing();

/** Stores an event that no listener made happen, and announces it as a commit does. */
async function addEvent(event: WebhookEventName, accountId = account.accountId): Promise<string> {
  const id = newId('evt');
  await on.sql(
    `with added as (insert into webhook_events (id, account_id, event, data, created_at) values ($1, $2, $3, '{}', clock_timestamp()))
     select pg_notify($4, $1::text)`,
    [toUuid(id), toUuid(accountId), event, EVENT_CHANNEL],
  );
  return id;
}

describe('following the events of webhooks', () => {
  test('shows what a send tells, though no endpoint subscribes', async () => {
    const events = await follow();
    const messageId = await send();
    const told = await take(events, 3);
    expect(told.map(({ event }) => event).sort()).toEqual(['message.routed', 'message.sent', 'sms.sent']);
    expect(told.map(({ data }) => data)).toEqual(told.map(() => expect.objectContaining({ messageId })));
    expect(told.map(({ accountId }) => accountId)).toEqual(told.map(() => account.accountId));
  });

  test('shows them in the order of their times, which have microseconds', async () => {
    const events = await follow();
    await send();
    const times = (await take(events, 3)).map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.map(() => expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)));
    expect(new Set(times).size).toBe(3);
    expect(times).toEqual(times.toSorted());
  });

  test('shows only the events that are asked for, and no other ones are written', async () => {
    const events = await follow(['sms.failed', 'message.sent']);
    await send();
    await send('+12025550104');
    expect((await take(events, 2)).map(({ event }) => event)).toEqual(['message.sent', 'sms.failed']);
    const written = await on.sql('select event from webhook_events where account_id = $1 order by created_at', [
      toUuid(account.accountId),
    ]);
    expect(written).toEqual([{ event: 'message.sent' }, { event: 'sms.failed' }]);
  });

  test('shows a follower nothing of what another one alone asked for', async () => {
    const [sms, message] = await Promise.all([follow(['sms.sent']), follow(['message.sent'])]);
    await send();
    await send();
    expect((await take(sms, 2)).map(({ event }) => event)).toEqual(['sms.sent', 'sms.sent']);
    expect((await take(message, 2)).map(({ event }) => event)).toEqual(['message.sent', 'message.sent']);
  });

  test('shows nothing of another account', async () => {
    const other = await makeAccount(on);
    const events = await follow(['sms.sent']);
    await followWebhookEvents(ctxOf(await other.holder('management')));
    await send('+12025550100', other);
    const messageId = await send();
    expect(await take(events, 1)).toMatchObject([{ accountId: account.accountId, data: { messageId } }]);
  });

  test('is open to an operator who acts for the account', async () => {
    const events = await follow(['sms.sent'], account.operator);
    await send();
    expect(await take(events, 1)).toMatchObject([{ event: 'sms.sent' }]);
  });

  test.each([
    ['a stranger', { kind: 'anonymous' } as const, 'unauthenticated'],
    ['an operator who names no account', OPERATOR, 'invalid_input'],
  ])('is refused to %s', async (_who, actor, code) => {
    await expect(follow(undefined, actor)).rejects.toMatchObject({ code });
  });

  test.each(['unified', 'sms', 'otp'] as const)('is refused to a token of %s', async area => {
    await expect(follow(undefined, account.actor(area))).rejects.toMatchObject({ code: 'wrong_area' });
  });

  test.each([
    [{ unifiedApi: false }, 'unified_api_disabled'],
    [{ planExpiresAt: new Date(0) }, 'plan_expired'],
  ])('is refused to an account with %j, before its input is looked at', async (seed, code) => {
    const closed = await makeAccount(on, seed);
    await expect(follow([], closed.actor('management'))).rejects.toMatchObject({ code });
    await expect(follow([], closed.operator)).rejects.toMatchObject({ code });
    expect(await listeners(closed.accountId)).toEqual([]);
  });

  test('refuses an empty list of events', () => {
    expect(() => readInput(followEventsInput, { events: [] })).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        details: { errors: [{ field: 'events', message: 'must name at least one event, or be absent for all' }] },
      }),
    );
  });

  test('ends for a token that was revoked meanwhile, before it sees another event', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const events = await follow();
    await on.sql('update tokens set revoked_at = now() where account_id = $1', [toUuid(account.accountId)]);
    vi.advanceTimersByTime(1_000);
    await send();
    await expect(events.next()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await listeners()).toEqual([]);
  });

  test('ends when the plan is over, before another event is shown', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const events = await follow(['otp.sent']);
    await on.sql(`update accounts set plan_expires_at = now() - interval '1 second' where id = $1`, [
      toUuid(account.accountId),
    ]);
    vi.advanceTimersByTime(1_000);
    await addEvent('otp.sent');
    await expect(events.next()).rejects.toMatchObject({ code: 'plan_expired' });
  });
});

describe('an event that is told', () => {
  test('has the same body whenever it is loaded', async () => {
    const events = await follow(['message.sent']);
    await send();
    const [event] = await take(events, 1);
    if (!event) throw new Error('no event came');
    const [stored] = await on.sql<{ id: string; micros: string }>(
      `select id, to_char(created_at at time zone 'UTC', 'US') as micros from webhook_events where account_id = $1`,
      [toUuid(account.accountId)],
    );
    expect(event.id).toBe(fromUuid('evt', stored?.id ?? ''));
    expect(event.createdAt).toContain(`.${stored?.micros}Z`);
    const again = (await loadToldEvents(on.database.sql(), [event.id, newId('evt')])).get(event.id);
    expect(again && webhookBody(again)).toBe(webhookBody(event));
    expect(Object.keys(JSON.parse(webhookBody(event)))).toEqual(['id', 'event', 'createdAt', 'accountId', 'data']);
  });

  test('is loaded by no id at all', async () => {
    expect((await loadToldEvents(on.database.sql(), [])).size).toBe(0);
  });
});
