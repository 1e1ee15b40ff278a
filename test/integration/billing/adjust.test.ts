import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { adjustBalance, adjustBalanceInput } from '../../../src/modules/billing/adjust-balance.ts';
import { bookAdjustment } from '../../../src/modules/billing/book-adjustment.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { createTestCtx, makeAccount, OPERATOR, openTestDatabase, type TestAccount } from '../../support/services.ts';

const on = setUpServices();
let account: TestAccount;

beforeEach(async () => {
  account = await makeAccount(on, { credits: 10 });
});

type Adjustment = Omit<Parameters<typeof adjustBalance>[1], 'accountId'>;

const adjust = (input: Partial<Adjustment>) =>
  adjustBalance(on.ctxFor(OPERATOR), { accountId: account.accountId, credits: 1, reason: 'test', ...input });

const entries = () =>
  on.sql<{ kind: string; credits: number; reason: string; reference: string | null }>(
    'select kind, credits, reason, reference from ledger where account_id = $1 order by id',
    [toUuid(account.accountId)],
  );

async function kept(): Promise<{ credits: number; sum: number }> {
  const [row] = await on.sql<{ credits: number; sum: number }>(
    `select credits, (select coalesce(sum(credits), 0)::int from ledger where account_id = a.id) as sum
     from accounts a where id = $1`,
    [toUuid(account.accountId)],
  );
  if (!row) throw new Error('there is no such account');
  return row;
}

describe('an adjustment', () => {
  test('gives credits', async () => {
    expect(await adjust({ credits: 5 })).toMatchObject({ credits: 15, held: 0, spentToday: 0 });
  });

  test('takes credits away, to the last one', async () => {
    expect(await adjust({ credits: -10 })).toMatchObject({ credits: 0 });
  });

  test('takes no more than there is, and says how much that is', async () => {
    await expect(adjust({ credits: -11 })).rejects.toMatchObject({
      code: 'insufficient_balance',
      message: expect.stringContaining('10 credits'),
    });
    expect(await kept()).toEqual({ credits: 10, sum: 10 });
  });

  test('gives no more than can be counted', async () => {
    await adjust({ credits: 1_000_000_000 });
    await expect(adjust({ credits: 1_000_000_000 })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field: 'credits' }] },
    });
  });

  test('is an entry of the ledger with its reason', async () => {
    await adjust({ credits: -3, reason: 'a refund', reference: 'r-1' });
    expect((await entries()).at(-1)).toEqual({
      kind: 'adjustment',
      credits: -3,
      reason: 'a refund',
      reference: 'r-1',
    });
  });

  test('is in the audit trail', async () => {
    await adjust({ credits: 5, reason: 'paid' });
    const [entry] = await on.sql<object>('select action, details from audit_entries where account_id = $1', [
      toUuid(account.accountId),
    ]);
    expect(entry).toEqual({
      action: 'balance.adjusted',
      details: { credits: 5, reason: 'paid', reference: null, balance: 15 },
    });
  });

  test('that is refused is not in the audit trail', async () => {
    await adjust({ credits: -11 }).catch(() => undefined);
    expect(await on.sql('select 1 from audit_entries where account_id = $1', [toUuid(account.accountId)])).toEqual([]);
  });

  test.each([
    ['a token', () => on.ctxFor(account.actor('management')), 'wrong_area'],
    ['nobody', () => on.ctxFor({ kind: 'anonymous' }), 'unauthenticated'],
  ])('is refused to %s', async (_who, ctx, code) => {
    const input = { accountId: account.accountId, credits: 1, reason: 'mine' };
    await expect(adjustBalance(ctx(), input)).rejects.toMatchObject({ code });
  });

  test.each([['acc_1'], [newId('acc')], [newId('tok')]])('of %s is not_found', async accountId => {
    await expect(adjustBalance(on.ctxFor(OPERATOR), { accountId, credits: 1, reason: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the input of an adjustment', () => {
  test.each([
    ['no credits', { credits: 0 }, 'credits'],
    ['a part of a credit', { credits: 0.5 }, 'credits'],
    ['more than a billion', { credits: 1_000_000_001 }, 'credits'],
    ['less than minus a billion', { credits: -1_000_000_001 }, 'credits'],
    ['an empty reason', { reason: ' ' }, 'reason'],
    ['a long reason', { reason: 'a'.repeat(501) }, 'reason'],
    ['a reason that cannot be stored', { reason: 'a\u0000' }, 'reason'],
    ['an empty reference', { reference: '' }, 'reference'],
    ['a reference with a space', { reference: 'a b' }, 'reference'],
    ['a long reference', { reference: 'a'.repeat(256) }, 'reference'],
  ])('is refused with %s', (_what, part, field) => {
    const parsed = adjustBalanceInput.safeParse({ accountId: 'acc_1', credits: 1, reason: 'x', ...part });
    expect(parsed.error?.issues.map(issue => issue.path.join('.'))).toEqual([field]);
  });
});

describe('a reference', () => {
  test('adjusts once, and its repeat answers the balance as it is', async () => {
    await adjust({ credits: 5, reference: 'top-up' });
    await adjust({ credits: 1 });
    expect(await adjust({ credits: 5, reference: 'top-up' })).toMatchObject({ credits: 16 });
  });

  test('adjusts once, however many ask at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => adjust({ credits: 5, reference: 'top-up' })));
    expect(await kept()).toEqual({ credits: 15, sum: 15 });
  });

  test('repeats an adjustment that could not be made any more', async () => {
    await adjust({ credits: -10, reference: 'all' });
    expect(await adjust({ credits: -10, reference: 'all' })).toMatchObject({ credits: 0 });
  });

  test.each([{ credits: 6 }, { reason: 'another' }])('with other content (%j) is reused', async other => {
    const input = { credits: 5, reference: 'top-up' };
    await adjust(input);
    await expect(adjust({ ...input, ...other })).rejects.toMatchObject({ code: 'reference_reused' });
  });

  test('belongs to one account', async () => {
    const another = await makeAccount(on, { credits: 0 });
    await adjust({ credits: 5, reference: 'top-up' });
    const input = { accountId: another.accountId, credits: 7, reason: 'x', reference: 'top-up' };
    expect(await adjustBalance(on.ctxFor(OPERATOR), input)).toMatchObject({ credits: 7 });
  });
});

describePostgres('many adjustments at once, by two processes', () => {
  test('never go below 0, and the balance is their sum', async () => {
    const second = await openTestDatabase(on.testDatabase);
    const other = { ...on.services, database: second };
    const ctxs = [() => on.ctxFor(OPERATOR), () => createTestCtx(other, OPERATOR)];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) => {
        const credits = index % 4 === 0 ? 1 : -1;
        const ctx = ctxs[index % 2]?.() ?? on.ctxFor(OPERATOR);
        return adjustBalance(ctx, { accountId: account.accountId, credits, reason: `race ${index}` });
      }),
    );
    await second.close();
    const taken = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    const { credits, sum } = await kept();
    expect({ credits, refusals: new Set(taken), min: credits >= 0 }).toEqual({
      credits: sum,
      refusals: new Set(['insufficient_balance']),
      min: true,
    });
    // 10 and 50 given, 150 asked for.
    expect(credits).toBe(60 - (150 - taken.length));
  });
});

describe('adjustments at once', () => {
  test('are a law: what is answered adds up, in whatever order', async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -20, max: 20 }).filter(Boolean), { maxLength: 12 }),
        async amounts => {
          account = await makeAccount(on, { credits: 10 });
          const done = await Promise.allSettled(amounts.map(credits => adjust({ credits })));
          const given = amounts.filter((_, index) => done[index]?.status === 'fulfilled');
          const sum = given.reduce((total, credits) => total + credits, 10);
          expect(await kept()).toEqual({ credits: sum, sum });
        },
      ),
      { numRuns: rounds({ usual: 15, long: 60 }) },
    );
  });
});

describe('the ledger', () => {
  test.each([
    ['changed', 'update ledger set credits = credits + 1'],
    ['deleted', 'delete from ledger'],
    ['emptied', 'truncate ledger'],
  ])('cannot be %s', async (_what, statement) => {
    await expect(on.sql(statement)).rejects.toThrow(/ledger is append-only/);
  });

  test.each([
    ['credits changed', 'update accounts set credits = credits + 1'],
    ['an account made with credits', `insert into accounts (id, name, credits, created_at) values ($1, 'x', 1, now())`],
  ])('alone changes balances: %s otherwise is refused', async (_what, statement) => {
    const parameters = statement.includes('$1') ? [toUuid(newId('acc'))] : [];
    await expect(on.sql(statement, parameters)).rejects.toThrow(/changed by the ledger alone/);
  });

  test('has no entry that would make a balance less than 0', async () => {
    const entry = { accountId: account.accountId, credits: -11, reason: 'x' };
    await expect(bookAdjustment(on.database.sql(), entry)).rejects.toThrow(/accounts_credits_check/);
  });
});
