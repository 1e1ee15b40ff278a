import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Actor, Ctx } from '../../../../src/context.ts';
import type { Database } from '../../../../src/db/orm.ts';
import { runSql } from '../../../../src/db/statements/sql.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { loadSession } from '../../../../src/modules/accounts/sign-in/load-session.ts';
import { followLogs } from '../../../../src/modules/logs/log-feed.ts';
import { LOG_CHANNEL } from '../../../../src/modules/routing/announce-log.ts';
import type { Customer } from '../../../support/app.ts';
import { setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { makeAttempt } from '../../../support/logs/log-rows.ts';
import { addPerson, openPage, type Person } from '../../../support/people/people.ts';
import { createTestClock, createTestCtx } from '../../../support/services.ts';

const on = setUpApp();
const customer: Customer = setUpOwnCustomer(on);
let person: Person;
let actor: Actor;
let stop: AbortController;

beforeEach(async () => {
  person = await addPerson(on, customer.accountId, 'developer');
  const token = (await openPage(on, person)).cookie?.split('=')[1] ?? '';
  const found = await loadSession({ database: on.app.services.database, operatorToken: null }, token, undefined);
  if (found?.kind !== 'user') throw new Error('nobody is signed in');
  actor = found;
  stop = new AbortController();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  stop.abort();
  vi.useRealTimers();
});

/** The actor with the unified token of the customer. */
async function tokenActor(): Promise<Actor> {
  return on.app.authenticator.authenticate(`Bearer ${customer.tokens.unified}`);
}

function ctxOf(by: Actor, database?: Database): Ctx {
  const { services } = on.app;
  const ctx = createTestCtx(database ? { ...services, database } : services, by, createTestClock());
  return ctx.with({ actor: by, signal: () => stop.signal });
}

/** Stores an entry, and lets every follower know. */
async function addEntry(): Promise<string> {
  const attempt = makeAttempt(customer.accountId);
  const { database } = on.app.services;
  await database.fork().persist(attempt).flush();
  await runSql(database.sql(), 'select pg_notify($1, $2)', [LOG_CHANNEL, attempt.id]);
  return attempt.id;
}

/** A second passes, by every clock but that of the database. */
function passSecond(): void {
  vi.advanceTimersByTime(1_000);
}

const CHANGES: [why: string, who: 'person' | 'token', change: string, code: string][] = [
  ['its session has ended', 'person', 'delete from dashboard_sessions where user_id = $1', 'unauthenticated'],
  [
    'its person has another role',
    'person',
    `update dashboard_users set role = 'viewer' where id = $1`,
    'unauthenticated',
  ],
  ['its person was removed', 'person', 'delete from dashboard_users where id = $1', 'unauthenticated'],
  ['its token was revoked', 'token', 'update tokens set revoked_at = now() where account_id = $1', 'unauthenticated'],
  ['its plan is over', 'token', 'update accounts set plan_expires_at = now() where id = $1', 'plan_expired'],
];

async function apply(who: 'person' | 'token', change: string): Promise<void> {
  await on.sql(change, [toUuid(who === 'person' ? person.userId : customer.accountId)]);
}

describe.each(CHANGES)('once %s, a subscription', (_why, who, change, code) => {
  const follow = async () => followLogs(ctxOf(who === 'person' ? actor : await tokenActor()));

  test('that is told nothing ends within a second, with the reason', async () => {
    const entries = await follow();
    const ended = expect(entries.next()).rejects.toMatchObject({ code });
    await apply(who, change);
    passSecond();
    await ended;
    await expect(entries.next()).resolves.toMatchObject({ done: true });
  });

  test('is told no entry of more than a second later', async () => {
    const entries = await follow();
    const first = await addEntry();
    expect(await entries.next()).toMatchObject({ value: { id: first } });
    await apply(who, change);
    await addEntry();
    passSecond();
    await expect(entries.next()).rejects.toMatchObject({ code });
    await expect(entries.next()).resolves.toMatchObject({ done: true });
  });
});

test('a clock that steps back does not keep a revoked subscription alive', async () => {
  const ctx = ctxOf(await tokenActor());
  const clock = createTestClock();
  const entries = await followLogs(ctx.with({ clock }));
  clock.set(new Date(clock.now().getTime() - 3_600_000));
  await apply('token', 'update tokens set revoked_at = now() where account_id = $1');
  // Without the timer, as in a process that is too busy for it.
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['performance'], now: Date.now() });
  vi.advanceTimersByTime(3_600_000);
  await addEntry();
  await expect(entries.next()).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('a subscription goes on while its session lives', async () => {
  const entries = await followLogs(ctxOf(actor));
  for (let second = 0; second < 3; second++) {
    const id = await addEntry();
    passSecond();
    expect(await entries.next()).toMatchObject({ value: { id } });
  }
});

test('a change that is announced ends a subscription without waiting for the second', async () => {
  // Without a password: its lane would wait until this clock, which begins at zero, is where the last sign-in of the worker was.
  const page = await openPage(on, person);
  const token = page.cookie?.split('=')[1] ?? '';
  const found = await loadSession({ database: on.app.services.database, operatorToken: null }, token, undefined);
  if (!found) throw new Error('nobody is signed in');
  const entries = await followLogs(ctxOf(found));
  // Expected before the sign-out: the end may come before its answer, and would be a rejection without a listener.
  const ended = expect(entries.next()).rejects.toMatchObject({ code: 'unauthenticated' });
  const { errors } = await on.graphql('mutation { signOut }', { headers: page });
  expect(errors).toBeNull();
  await ended;
});

test('hundreds of subscriptions of tokens and people make two statements a second for sessions and one for tokens', async () => {
  const { database } = on.app.services;
  const asked: string[] = [];
  const counting: Database = {
    ...database,
    sql: () => {
      const sql = database.sql();
      return {
        executeQuery: query => {
          asked.push(query.sql);
          return sql.executeQuery(query);
        },
      };
    },
  };
  const byToken = await tokenActor();
  const followers = Array.from({ length: 300 }, (_, index) => followLogs(ctxOf(index % 2 ? actor : byToken, counting)));
  const waiting = (await Promise.all(followers)).map(entries => entries.next());
  asked.length = 0;
  passSecond();
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(3);
  passSecond();
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(6);
  stop.abort();
  await Promise.all(waiting);
  expect(asked).toHaveLength(6);
});
