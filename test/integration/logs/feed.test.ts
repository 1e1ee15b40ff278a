import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Receipt } from '../../../src/channels/contract.ts';
import type { Actor, Ctx } from '../../../src/context.ts';
import type { Feed } from '../../../src/db/feeds/feed.ts';
import { BUFFER_SIZE_MAX } from '../../../src/db/feeds/subscription.ts';
import type { Database } from '../../../src/db/orm.ts';
import { idPayloads } from '../../../src/db/statements/id-payloads.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { followLogs, logFeedOf } from '../../../src/modules/logs/log-feed.ts';
import type { LogFilter } from '../../../src/modules/logs/log-filter.input.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { LOG_CHANNEL } from '../../../src/modules/routing/announce-log.ts';
import type { Attempt } from '../../../src/modules/routing/attempt.entity.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { makeAttempt } from '../../support/logs/log-rows.ts';
import { makeAccount, OPERATOR, openTestDatabase } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on);
let stop: AbortController;

beforeEach(async () => {
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await logFeedOf(on.database).close();
});

/** A context as a subscription has it: it lives until the test is over. */
function ctxOf(actor: Actor, database: Database = on.database): Ctx {
  const services = { ...on.services, database };
  return on.ctxFor(actor).with({ services, signal: () => stop.signal });
}

/** Stores entries and announces them, as a commit does. */
async function add(database: Database, ...attempts: Attempt[]): Promise<void> {
  await database.fork().transactional(async em => {
    em.persist(attempts);
    await em.flush();
    for (const payload of idPayloads(attempts.map(attempt => attempt.id))) {
      await runSql(em.getKysely(), 'select pg_notify($1, $2)', [LOG_CHANNEL, payload]);
    }
  });
}

/** Sends a text, and answers its attempt. */
async function sendOne(): Promise<Attempt> {
  const message = await sendMessage(on.ctxFor(account.actor('unified')), {
    to: '+12025550100',
    text: 'Hello',
    sender: 'ACME',
  });
  const [attempt] = message.attempts ?? [];
  if (!attempt) throw new Error('there is no attempt');
  return attempt;
}

async function report({ providerMessageId }: Attempt, status: Receipt['status']): Promise<void> {
  const receipt = { provider: 'sandbox', providerMessageId: providerMessageId ?? '', status };
  await recordReceipts(on.ctxFor(OPERATOR), [{ ...receipt, errorCode: null, errorMessage: null }]);
}

async function takeStates(entries: AsyncIterator<Attempt>, count: number): Promise<[id: string, status: string][]> {
  const states: [string, string][] = [];
  while (states.length < count) {
    const { done, value } = await entries.next();
    if (done) break;
    states.push([value.id, value.status]);
  }
  return states;
}

async function take(entries: AsyncIterator<Attempt>, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { done, value } = await entries.next();
    if (done) break;
    ids.push(value.id);
  }
  return ids;
}

async function follow(filter: LogFilter = {}, actor?: Actor) {
  return followLogs(ctxOf(actor ?? (await account.holder('unified'))), filter);
}

describe('following the log', () => {
  test('shows what a send did, as it is stored', async () => {
    const entries = await follow();
    const message = await sendMessage(on.ctxFor(account.actor('unified')), {
      to: '+12025550100',
      text: 'Hello',
      sender: 'ACME',
    });
    const { value } = await entries.next();
    expect(value).toMatchObject({ id: message.attempts?.[0]?.id, messageId: message.id, status: 'sent' });
  });

  test('shows what is announced, in order, and nothing that was there before', async () => {
    await add(on.database, makeAttempt(account.accountId));
    const entries = await follow();
    const added = Array.from({ length: 5 }, () => makeAttempt(account.accountId));
    for (const attempt of added) await add(on.database, attempt);
    expect(await take(entries, 5)).toEqual(added.map(attempt => attempt.id));
  });

  test('shows a large commit whole', async () => {
    const entries = await follow();
    const added = Array.from({ length: 450 }, () => makeAttempt(account.accountId));
    await add(on.database, ...added);
    expect(await take(entries, 450)).toEqual(added.map(attempt => attempt.id));
  });

  test('shows no entry of another account, another area or outside the filter', async () => {
    const other = await makeAccount(on);
    const [all, sms, filtered, german] = await Promise.all([
      follow(),
      follow({}, await account.holder('sms')),
      follow({ statuses: ['failed', 'expired'] }),
      follow({ provider: 'smpp', country: 'DE' }),
    ]);
    const [first, ofSms, failed] = [
      makeAttempt(account.accountId),
      makeAttempt(account.accountId, { area: 'sms' }),
      makeAttempt(account.accountId, { status: 'failed' }),
    ];
    const toGermany = makeAttempt(account.accountId, { provider: 'smpp', country: 'DE' });
    await add(on.database, makeAttempt(other.accountId), first, ofSms, failed, toGermany);
    expect(await take(all, 4)).toEqual([first.id, ofSms.id, failed.id, toGermany.id]);
    expect(await take(german, 1)).toEqual([toGermany.id]);
    expect(await take(sms, 1)).toEqual([ofSms.id]);
    expect(await take(filtered, 1)).toEqual([failed.id]);
  });

  test('is refused to those who may not list the log, before it begins', async () => {
    const closed = await makeAccount(on, { unifiedApi: false });
    await expect(follow({}, closed.actor('unified'))).rejects.toMatchObject({ code: 'unified_api_disabled' });
    await expect(follow({}, { kind: 'anonymous' })).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('ends without an error when the caller is gone', async () => {
    const entries = await follow();
    const waiting = entries.next();
    stop.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await entries.next()).toEqual({ done: true, value: undefined });
  });

  test('can be left and begun again', async () => {
    for (let round = 0; round < 3; round++) {
      const entries = await follow();
      const attempt = makeAttempt(account.accountId);
      await add(on.database, attempt);
      expect(await take(entries, 1)).toEqual([attempt.id]);
      await entries.return?.();
    }
  });

  test('survives a notification that is not ours', async () => {
    const entries = await follow();
    await on.sql('select pg_notify($1, $2)', [LOG_CHANNEL, `nonsense,,att_1,${newId('att')}`]);
    const attempt = makeAttempt(account.accountId);
    await add(on.database, attempt);
    expect(await take(entries, 1)).toEqual([attempt.id]);
  });
});

describe('the feed of a process', () => {
  const everything = { matches: () => true };
  let feed: Feed<Attempt>;
  afterEach(() => feed.close());

  test('listens once and loads once for all of its followers, and stops with the last', async () => {
    const counts = { forks: 0, listens: 0, stops: 0 };
    feed = logFeedOf({
      ...on.database,
      fork: () => {
        counts.forks += 1;
        return on.database.fork();
      },
      listen: async (...args) => {
        counts.listens += 1;
        const end = await on.database.listen(...args);
        return async () => {
          counts.stops += 1;
          await end();
        };
      },
    });
    const interest = { ...everything, accountId: account.accountId };
    const followers = await Promise.all(
      Array.from({ length: 20 }, () => feed.subscribe(interest, new AbortController().signal)),
    );
    const attempt = makeAttempt(account.accountId);
    await add(on.database, attempt);
    const ids = await Promise.all(followers.map(follower => take(follower, 1)));
    expect(ids).toEqual(followers.map(() => [attempt.id]));
    expect(counts).toEqual({ forks: 1, listens: 1, stops: 0 });
    await feed.close();
    expect(counts).toEqual({ forks: 1, listens: 1, stops: 1 });
    expect(await followers[0]?.next()).toEqual({ done: true, value: undefined });
  });

  test('leaves the oldest entries out for a follower who lets too many wait, and for no other', async () => {
    feed = logFeedOf(on.database);
    const leftOut: number[] = [];
    const interest = { ...everything, accountId: account.accountId };
    const slow = await feed.subscribe({ ...interest, onLeftOut: count => leftOut.push(count) }, stop.signal);
    const fast = await feed.subscribe(interest, stop.signal);
    const added = Array.from({ length: BUFFER_SIZE_MAX + 2 }, () => makeAttempt(account.accountId));
    const seen: string[] = [];
    for (let start = 0; start < added.length; start += 200) {
      const part = added.slice(start, start + 200);
      await add(on.database, ...part);
      seen.push(...(await take(fast, part.length)));
    }
    expect(seen).toEqual(added.map(attempt => attempt.id));
    expect(await take(slow, BUFFER_SIZE_MAX)).toEqual(seen.slice(2));
    expect(leftOut).toEqual([2]);
  });

  test('tells that the database is away, and listens again when it is back', async () => {
    let isAway = true;
    feed = logFeedOf({
      ...on.database,
      listen: async (...args) => {
        if (isAway) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
        return on.database.listen(...args);
      },
    });
    const interest = { ...everything, accountId: account.accountId };
    const refused = await Promise.allSettled([1, 2].map(() => feed.subscribe(interest, stop.signal)));
    expect(refused).toMatchObject([1, 2].map(() => ({ reason: { code: 'database_unavailable' } })));
    isAway = false;
    const follower = await feed.subscribe(interest, stop.signal);
    const attempt = makeAttempt(account.accountId);
    await add(on.database, attempt);
    expect(await take(follower, 1)).toEqual([attempt.id]);
  });

  test('goes on where it was when an entry could not be read at first', async () => {
    let failures = 2;
    feed = logFeedOf({
      ...on.database,
      fork: () => {
        if (failures-- > 0) throw Object.assign(new Error('terminated'), { code: '57P01' });
        return on.database.fork();
      },
    });
    const follower = await feed.subscribe({ ...everything, accountId: account.accountId }, stop.signal);
    const [first, second] = [makeAttempt(account.accountId), makeAttempt(account.accountId)];
    await add(on.database, first);
    expect(await take(follower, 1)).toEqual([first.id]);
    await add(on.database, second);
    expect(await take(follower, 1)).toEqual([second.id]);
  });
});

describe('receipts in the log that is followed', () => {
  test('show an entry again, with the status that one has raised it to', async () => {
    const entries = await follow();
    const attempt = await sendOne();
    // One after the other: an entry is handed over as it stands when it is read.
    expect(await takeStates(entries, 1)).toEqual([[attempt.id, 'sent']]);
    await report(attempt, 'delivered');
    expect(await takeStates(entries, 1)).toEqual([[attempt.id, 'delivered']]);
    // Twice tells nothing new.
    await report(attempt, 'delivered');
    await report(attempt, 'read');
    expect(await takeStates(entries, 1)).toEqual([[attempt.id, 'read']]);
  });

  test('pass the filter by what the entry is now', async () => {
    const failed = await follow({ status: 'failed' });
    const [delivered, lost] = [await sendOne(), await sendOne()];
    await report(delivered, 'delivered');
    await report(lost, 'failed');
    expect(await takeStates(failed, 1)).toEqual([[lost.id, 'failed']]);
  });
});

describePostgres('following the log across processes', () => {
  let elsewhere: Database;
  beforeAll(async () => {
    elsewhere = await openTestDatabase(on.testDatabase);
  });
  afterAll(() => elsewhere.close());

  test('shows what another process stores', async () => {
    const entries = await followLogs(ctxOf(await account.holder('unified'), elsewhere), {});
    const attempt = makeAttempt(account.accountId);
    await add(on.database, attempt);
    expect(await take(entries, 1)).toEqual([attempt.id]);
  });

  test('shows the failure that a receipt reports to another process', async () => {
    const entries = await followLogs(ctxOf(await account.holder('unified'), elsewhere), { status: 'failed' });
    const attempt = await sendOne();
    await report(attempt, 'failed');
    expect(await takeStates(entries, 1)).toEqual([[attempt.id, 'failed']]);
  });

  test.each([
    ['right', 0],
    ['an hour fast', 3_600_000],
    ['an hour slow', -3_600_000],
  ])('shows once what was stored while the connection was lost, where its clock is %s', async (_how, aheadMs) => {
    const setWrong = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs });
    onTestFinished(() => void vi.useRealTimers());
    setWrong();
    const entries = await followLogs(ctxOf(await account.holder('unified'), elsewhere), {});
    vi.useRealTimers();
    const [before, between, after] = [0, 1, 2].map(() => makeAttempt(account.accountId));
    if (!before || !between || !after) throw new Error('no attempts');
    setWrong();
    await add(on.database, before);
    expect(await take(entries, 1)).toEqual([before.id]);
    const lost = await on.sql<{ ended: boolean }>(
      `select pg_terminate_backend(pid, 5000) as ended from pg_stat_activity
       where datname = current_database() and query ilike 'listen %' || $1 || '%' and pid <> pg_backend_pid()`,
      [LOG_CHANNEL],
    );
    expect(lost).toEqual([{ ended: true }]);
    await add(on.database, between);
    expect(await take(entries, 1)).toEqual([between.id]);
    await add(on.database, after);
    expect(await take(entries, 1)).toEqual([after.id]);
  });
});
