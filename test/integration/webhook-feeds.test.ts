import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Actor, type Ctx, createCtx } from '../../src/context.ts';
import { closeFeeds } from '../../src/db/feed.ts';
import { idPayloads } from '../../src/db/id-payloads.ts';
import type { Database } from '../../src/db/orm.ts';
import { runSql } from '../../src/db/sql.ts';
import { fromUuid, newId, toUuid } from '../../src/kernel/ids.ts';
import { hashToken } from '../../src/kernel/secrets.ts';
import { loadTokens } from '../../src/modules/accounts/load-account.ts';
import { sendMessage } from '../../src/modules/messaging/send-message.ts';
import { EVENT_CHANNEL, TRY_CHANNEL } from '../../src/modules/webhooks/announce-webhooks.ts';
import { followWebhookEvents } from '../../src/modules/webhooks/follow-events.ts';
import { followWebhookTries } from '../../src/modules/webhooks/follow-tries.ts';
import { loadToldEvents } from '../../src/modules/webhooks/load-events.ts';
import { type WebhookEventName, webhookBody } from '../../src/modules/webhooks/webhook-events.ts';
import { WebhookTry } from '../../src/modules/webhooks/webhook-try.entity.ts';
import { describePostgres } from '../support/database.ts';
import {
  createTestServices,
  makeAccount,
  OPERATOR,
  openTestDatabase,
  type TestAccount,
  type TestServices,
} from '../support/services.ts';
import { makeEndpoint } from '../support/webhooks.ts';

let on: TestServices;
let account: TestAccount;
let stop: AbortController;

beforeAll(async () => {
  on = await createTestServices();
});
afterAll(() => on.close());
beforeEach(async () => {
  account = await makeAccount(on);
  stop = new AbortController();
});
afterEach(async () => {
  vi.useRealTimers();
  stop.abort();
  await closeFeeds(on.database);
});

/** A context as a subscription has it: it lives until the test is over. */
function ctxOf(actor: Actor, database: Database = on.database): Ctx {
  return createCtx({ ...on.ctxFor(actor), services: { ...on.services, database }, signal: stop.signal });
}

function follow(events?: WebhookEventName[], actor: Actor = account.actor('management')) {
  return followWebhookEvents(ctxOf(actor), { events });
}

/** Sends an SMS of the account through the sandbox, and answers the message's id. */
async function send(to = '+12025550100', sender: TestAccount = account): Promise<string> {
  const request = { to, text: 'Hello', channels: ['sms' as const], sender: 'ACME' };
  return (await sendMessage(on.ctxFor(sender.actor('unified')), request)).id;
}

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

/** Stores tries and announces them, as a settle does. */
async function addTries(...tries: WebhookTry[]): Promise<void> {
  await on.database.fork().transactional(async em => {
    em.persist(tries);
    await em.flush();
    for (const payload of idPayloads(tries.map(made => toUuid(made.id)))) {
      await runSql(em.getKysely(), 'select pg_notify($1, $2)', [TRY_CHANNEL, payload]);
    }
  });
}

function makeTry(endpointId: string, accountId = account.accountId): WebhookTry {
  return Object.assign(new WebhookTry(), {
    id: newId('try'),
    accountId,
    endpointId,
    deliveryId: newId('dlv'),
    number: 1,
    httpStatus: 200,
    durationMs: 5,
    error: null,
    errorMessage: null,
    response: 'ok',
    createdAt: new Date(),
  });
}

async function take<Row>(rows: AsyncIterator<Row, undefined>, count: number): Promise<Row[]> {
  const taken: Row[] = [];
  while (taken.length < count) {
    const { done, value } = await rows.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

function listeners(accountId = account.accountId) {
  return on.sql<{ events: string[]; seconds: number }>(
    `select events, extract(epoch from expires_at - clock_timestamp())::float8 as seconds
     from webhook_listeners where account_id = $1`,
    [toUuid(accountId)],
  );
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
    await followWebhookEvents(ctxOf(other.actor('management')));
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

  test('refuses an empty list of events', async () => {
    await expect(follow([])).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field: 'events', message: 'must name at least one event, or be absent for all' }] },
    });
  });

  test('ends for a token that was revoked meanwhile, before it sees another event', async () => {
    const token = await account.token('management');
    const grant = (await loadTokens(on.database.sql(), [hashToken(token).toString('hex')])).values().next().value;
    if (!grant) throw new Error('the token is not alive');
    const events = await follow(undefined, { kind: 'token', ...grant });
    await on.sql('update tokens set revoked_at = now() where id = $1', [toUuid(grant.tokenId)]);
    on.clock.set(new Date(on.clock.now().getTime() + 1_000));
    await send();
    await expect(events.next()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await listeners()).toEqual([]);
  });

  test('ends when the plan is over, before another event is shown', async () => {
    const token = await account.token('management');
    const grant = (await loadTokens(on.database.sql(), [hashToken(token).toString('hex')])).values().next().value;
    if (!grant) throw new Error('the token is not alive');
    const events = await follow(['otp.sent'], { kind: 'token', ...grant });
    await on.sql(`update accounts set plan_expires_at = now() - interval '1 second' where id = $1`, [
      toUuid(account.accountId),
    ]);
    on.clock.set(new Date(on.clock.now().getTime() + 1_000));
    await addEvent('otp.sent');
    await expect(events.next()).rejects.toMatchObject({ code: 'plan_expired' });
  });
});

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
    stop.abort();
    await events.return?.();
    expect(await listeners()).toEqual([]);
  });

  test('is not made for a caller who is gone already', async () => {
    stop.abort();
    const events = await follow();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(await listeners()).toEqual([]);
  });

  test('is renewed every ten seconds, and made again where it was lost', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const events = await follow();
    await on.sql('delete from webhook_listeners where account_id = $1', [toUuid(account.accountId)]);
    vi.advanceTimersByTime(10_000);
    await vi.waitUntil(async () => (await listeners()).length === 1);
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
    const events = await followWebhookEvents(ctxOf(account.actor('management'), away), { events: ['sms.sent'] });
    await send();
    expect(await take(events, 1)).toMatchObject([{ event: 'sms.sent' }]);
    await closeFeeds(away);
  });
});

describe('following the tries of webhooks', () => {
  test('shows each try of the account, in order', async () => {
    const other = await makeAccount(on);
    const tries = await followWebhookTries(ctxOf(account.actor('management')));
    const added = Array.from({ length: 250 }, () => makeTry(newId('whk')));
    await addTries(makeTry(newId('whk'), other.accountId), ...added);
    expect((await take(tries, added.length)).map(({ id }) => id)).toEqual(added.map(({ id }) => id));
  });

  test('shows those of one endpoint only', async () => {
    const { endpointId } = await makeEndpoint(on, account.accountId);
    const tries = await followWebhookTries(ctxOf(account.actor('management')), { endpointId });
    const wanted = makeTry(endpointId);
    await addTries(makeTry(newId('whk')), wanted);
    expect(await take(tries, 1)).toMatchObject([{ id: wanted.id, httpStatus: 200, durationMs: 5, response: 'ok' }]);
  });

  test('answers another account’s endpoint, a missing one and what is no id alike', async () => {
    const { endpointId } = await makeEndpoint(on, (await makeAccount(on)).accountId);
    for (const named of [endpointId, newId('whk'), 'whk_1', ''])
      await expect(followWebhookTries(ctxOf(account.actor('management')), { endpointId: named })).rejects.toMatchObject(
        { code: 'not_found' },
      );
  });

  test('is refused while the unified API is off, before the endpoint is looked for', async () => {
    const closed = await makeAccount(on, { unifiedApi: false });
    await expect(followWebhookTries(ctxOf(closed.actor('management')), { endpointId: 'whk_1' })).rejects.toMatchObject({
      code: 'unified_api_disabled',
    });
  });

  test('is refused to a token of another area', async () => {
    await expect(followWebhookTries(ctxOf(account.actor('unified')))).rejects.toMatchObject({ code: 'wrong_area' });
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
    const events = await followWebhookEvents(ctxOf(account.actor('management'), elsewhere), { events: ['sms.sent'] });
    const messageId = await send();
    expect(await take(events, 1)).toMatchObject([{ data: { messageId } }]);
  });

  test('shows once the events that were told while the connection was lost', async () => {
    const events = await followWebhookEvents(ctxOf(account.actor('management'), elsewhere), { events: ['sms.sent'] });
    const before = await send();
    expect(await take(events, 1)).toMatchObject([{ data: { messageId: before } }]);
    expect(await lose(EVENT_CHANNEL)).toEqual([{ ended: true }]);
    const sent = [await send(), await send()];
    expect((await take(events, 2)).map(({ data }) => data)).toMatchObject(sent.map(messageId => ({ messageId })));
    const after = await send();
    expect(await take(events, 1)).toMatchObject([{ data: { messageId: after } }]);
  });

  test('shows once the tries that were made while the connection was lost', async () => {
    const tries = await followWebhookTries(ctxOf(account.actor('management'), elsewhere));
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
