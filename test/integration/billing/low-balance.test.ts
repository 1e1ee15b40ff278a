import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { TELL_LOW_BALANCES } from '../../../src/modules/billing/balance.sql.ts';
import { bookAdjustment } from '../../../src/modules/billing/book-adjustment.ts';
import { updateBilling } from '../../../src/modules/billing/update-billing.ts';
import { forecastCredits } from '../../../src/modules/figures/credits/forecast.ts';
import { tellLowBalances } from '../../../src/modules/figures/credits/tell-low-balances.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { LOCK_WAITS } from '../../support/databases/lock-order.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { makeAttempt } from '../../support/logs/log-rows.ts';
import { createTestCtx, makeAccount, OPERATOR, openTestDatabase, type TestAccount } from '../../support/services.ts';
import { makeEndpoint, storedDeliveries, storedEvents } from '../../support/webhooks/stored-webhooks.ts';

const on = setUpServices();
let account: TestAccount;

// An account with 100 credits whose balance is low below 50.
beforeEach(async () => {
  account = await makeLowable();
});

async function makeLowable(): Promise<TestAccount> {
  const made = await makeAccount(on, { credits: 100 });
  await updateBilling(on.ctxFor(OPERATOR), { accountId: made.accountId, lowBalanceThreshold: 50 });
  return made;
}

const add = (credits: number, to = account) =>
  bookAdjustment(on.database.sql(), { accountId: to.accountId, credits, reason: 'test' });

const tell = () => tellLowBalances(on.ctxFor(OPERATOR));

const events = () => storedEvents(on, account.accountId);

describe('a low balance', () => {
  test('is told to an endpoint that subscribes to it, with what it is', async () => {
    const { endpointId } = await makeEndpoint(on, account.accountId, { events: ['balance.low'] });
    await add(-51);
    await tell();
    const [event] = await events();
    expect(event).toMatchObject({
      event: 'balance.low',
      data: {
        credits: 49,
        threshold: 50,
        lastsDays: null,
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    expect(await storedDeliveries(on, endpointId)).toMatchObject([{ event: 'balance.low', status: 'pending' }]);
  });

  test('is told with how long it lasts, as the balance says it', async () => {
    await makeEndpoint(on, account.accountId, { events: ['balance.low'] });
    const attempt = makeAttempt(account.accountId, { startedAt: new Date(Date.now() - 60_000), credits: 4 });
    await on.database.fork().persist(attempt).flush();
    await add(-58);
    await tell();
    const { lastsDays } = await forecastCredits(
      on.database.sql(),
      { accountId: account.accountId, credits: 42 },
      on.clock.now().getTime(),
    );
    expect(lastsDays).toBe(10.5);
    expect(await events()).toMatchObject([{ data: { credits: 42, lastsDays } }]);
  });

  test('is no event where nobody subscribes to it', async () => {
    await makeEndpoint(on, account.accountId, { events: ['sms.sent'] });
    await add(-51);
    await tell();
    expect(await events()).toEqual([]);
  });

  test('is one event for two endpoints', async () => {
    await makeEndpoint(on, account.accountId);
    await makeEndpoint(on, account.accountId);
    await add(-51);
    await tell();
    expect(await events()).toHaveLength(1);
  });

  test('is told by its own forecast, and waits for that where there is none yet', async () => {
    const later = await makeLowable();
    for (const made of [account, later]) await add(-51, made);
    const id = toUuid(account.accountId);
    const told = await TELL_LOW_BALANCES.run(on.database.sql(), {
      forecasts: [{ account: id, lasts: 3 }],
      accounts: [id, toUuid(later.accountId)],
    });
    expect(told).toEqual([{ id, credits: 49, threshold: 50, lasts: 3 }]);
    expect(await tell()).toBe(1);
  });

  test('is not told at the threshold', async () => {
    await add(-50);
    expect(await tell()).toBe(0);
  });

  test('is told once, however much lower it falls', async () => {
    await add(-51);
    await tell();
    await add(-10);
    expect(await tell()).toBe(0);
  });

  test('is told again when it has risen and falls again', async () => {
    await add(-51);
    await tell();
    await add(1);
    await add(-1);
    expect(await tell()).toBe(1);
  });

  test('is not told where it rose before anybody told it', async () => {
    await add(-51);
    await add(51);
    expect(await tell()).toBe(0);
  });

  test('is told where the threshold rises above it', async () => {
    await updateBilling(on.ctxFor(OPERATOR), { accountId: account.accountId, lowBalanceThreshold: 101 });
    expect(await tell()).toBe(1);
  });

  test('is told of as many accounts as there are', async () => {
    const many = await Promise.all(Array.from({ length: 3 }, makeLowable));
    await Promise.all(many.map(each => add(-60, each)));
    expect(await tell()).toBe(3);
  });

  test('is a warning in the log', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = createLogger('warn', { write: line => lines.push(JSON.parse(line)) });
    await add(-51);
    await tellLowBalances(on.ctxFor(OPERATOR).with({ log: () => log }));
    expect(lines).toMatchObject([
      { msg: 'the balance of an account is low', accountId: account.accountId, credits: 49, threshold: 50 },
    ]);
  });
});

describePostgres('workers of two processes', () => {
  test('tell each low balance once', async () => {
    const second = await openTestDatabase(on.testDatabase);
    const other = createTestCtx({ ...on.services, database: second }, OPERATOR);
    const many = await Promise.all(Array.from({ length: 20 }, makeLowable));
    for (const each of many) await makeEndpoint(on, each.accountId);
    await Promise.all(many.map(each => add(-60, each)));
    const told = await Promise.all([tell(), tellLowBalances(other), tell(), tellLowBalances(other)]);
    await second.close();
    expect(told.reduce((sum, each) => sum + each, 0)).toBe(20);
    const [row] = await on.sql<{ count: number }>(
      'select count(*)::int as count from webhook_events where account_id = any($1::uuid[])',
      [many.map(each => toUuid(each.accountId))],
    );
    expect(row).toEqual({ count: 20 });
  });

  test('wait for an account that a send has in hand, and tell of it', async () => {
    await add(-51);
    let told: Promise<number> | null = null;
    await on.database.fork().transactional(async em => {
      await em.execute('select from accounts where id = ? for no key update', [toUuid(account.accountId)]);
      told = tell();
      await expect.poll(() => on.sql(LOCK_WAITS)).not.toEqual([]);
    });
    expect(await told).toBe(1);
  });
});
