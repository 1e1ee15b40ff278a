import { describe, expect, test } from 'vitest';
import { LOOK } from '../../../src/db/statements/look.sql.ts';
import { idTime, newId, toUuid } from '../../../src/kernel/ids.ts';
import { bookAdjustment } from '../../../src/modules/billing/book-adjustment.ts';
import { type ListLedgerInput, listLedgerInput } from '../../../src/modules/billing/ledger-filter.input.ts';
import { listLedger } from '../../../src/modules/billing/list-ledger.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { explainVerb, nodesOf } from '../../support/databases/explain.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { readInput } from '../../support/refusal.ts';
import { makeAccount, OPERATOR } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on, { credits: 100 });

const list = (input: ListLedgerInput = {}) => listLedger(on.ctxFor(account.actor('sms')), input);

/** Books adjustments at these moments. */
async function book(...moments: Date[]): Promise<void> {
  for (const moment of moments) {
    const id = moment.getTime().toString(16).padStart(12, '0');
    await on.sql(
      `insert into ledger (account_id, id, kind, credits, held, reason, created_at)
       values ($1, $2, 'adjustment', 1, 0, 'booked', $3)`,
      [toUuid(account.accountId), `${id.slice(0, 8)}-${id.slice(8)}-7000-8000-000000000000`, moment],
    );
  }
}

const send = (to: string) =>
  sendMessage(on.ctxFor(account.actor('sms')), { to, text: 'Hello', channels: ['sms'], sender: 'ACME' });

describe('the ledger', () => {
  test('has what an accepted SMS captures, the newest first', async () => {
    const { attempts } = await send('+12025550100');
    const { rows } = await list();
    const attemptId = attempts?.[0]?.id;
    expect(rows).toMatchObject([
      { kind: 'capture', credits: -1, held: -1, attemptId, reason: null },
      { kind: 'adjustment', credits: 100, held: 0, attemptId: null, reason: 'seeded' },
    ]);
  });

  test('has nothing of a refused SMS, which costs nothing', async () => {
    await send('+12025550101');
    expect((await list()).rows.map(({ kind }) => kind)).toEqual(['adjustment']);
  });

  test('comes page after page, and each entry once', async () => {
    for (let index = 0; index < 6; index += 1)
      await bookAdjustment(on.database.sql(), { accountId: account.accountId, credits: 1, reason: `${index}` });
    const all = (await list()).rows.map(row => row.id);
    const paged: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await list({ first: 3, after });
      paged.push(...page.rows.map(row => row.id));
      after = page.endCursor;
      if (!page.hasNextPage) break;
    }
    expect(paged).toEqual(all);
    expect(new Set(paged).size).toBe(7);
  });

  test.each(['capture', 'adjustment'] as const)('is narrowed by the kind %s', async kind => {
    await send('+12025550100');
    expect((await list({ filter: { kind } })).rows.map(row => row.kind)).toEqual([kind]);
  });

  test('is narrowed by an attempt', async () => {
    const { attempts } = await send('+12025550100');
    await send('+12025550100');
    const attemptId = attempts?.[0]?.id ?? '';
    const { rows } = await list({ filter: { attemptId } });
    expect(rows.map(row => [row.kind, row.attemptId])).toEqual([['capture', attemptId]]);
  });

  test.each(['att_1', newId('att'), newId('msg')])('has nothing of the attempt %s', async attemptId => {
    expect((await list({ filter: { attemptId } })).rows).toEqual([]);
  });

  test('is narrowed by a time range, whose end is not in it', async () => {
    const days = [1, 2, 3].map(day => new Date(Date.UTC(2026, 0, day)));
    await book(...days);
    const { rows } = await list({ filter: { from: days[0], to: days[2] } });
    expect(rows.map(row => row.createdAt)).toEqual([days[1], days[0]]);
  });

  test('is searched for a kind that few entries have, so many a page', async () => {
    const insert = 'insert into ledger (account_id, id, kind, credits, held, attempt_id, created_at)';
    const { accountId } = account;
    await on.sql(
      `${insert} values ($1, '019a0000-0000-7000-8000-000000000000', 'hold', -1, 1, gen_random_uuid(), '2025-10-20')`,
      [toUuid(accountId)],
    );
    await on.sql(
      `${insert} select $1, ('019b' || lpad(to_hex(n), 8, '0') || '70008000000000000000')::uuid, 'capture', 0, -1, gen_random_uuid(), '2025-12-20'
       from generate_series(1, $2::int) n`,
      [toUuid(accountId), LOOK],
    );
    await on.sql('vacuum analyze ledger');
    const filter = { kind: 'hold' as const };
    const plans = await explainVerb(on, account.actor('sms'), ctx => listLedger(ctx, { filter }));
    const rows = plans.flatMap(nodesOf).map(node => node['Actual Rows'] * node['Actual Loops']);
    expect(Math.max(...rows)).toBeLessThanOrEqual(LOOK);
    const page = await list({ filter });
    expect(page).toMatchObject({ rows: [], hasNextPage: true });
    expect(await list({ filter, after: page.endCursor })).toMatchObject({ rows: [filter], hasNextPage: false });
    expect((await list({ filter: { kind: 'capture' } })).rows).toHaveLength(50);
  });

  test('has each entry from the time on that it shows', async () => {
    await Promise.all(Array.from({ length: 60 }, () => send('+12025550100')));
    const { rows } = await list({ first: 100 });
    expect(rows).toHaveLength(61);
    expect(rows.filter(({ id, createdAt }) => idTime(id).getTime() !== createdAt.getTime())).toEqual([]);
    const [{ id, createdAt } = { id: '', createdAt: new Date() }] = rows;
    const idsOf = async (filter: ListLedgerInput['filter']) => (await list({ filter })).rows.map(row => row.id);
    expect(await idsOf({ from: createdAt })).toContain(id);
    expect(await idsOf({ to: createdAt })).not.toContain(id);
  });

  test.each([
    [{ first: 0 }, 'first'],
    [{ first: 201 }, 'first'],
    [{ after: 'x' }, 'after'],
    [{ filter: { attemptId: 'a'.repeat(65) } }, 'filter.attemptId'],
  ])('refuses %j', async (input, field) => {
    const read = async () => list(readInput(listLedgerInput, input));
    await expect(read()).rejects.toMatchObject({ code: 'invalid_input', details: { errors: [{ field }] } });
  });
});

describe('who reads the ledger', () => {
  test.each(['unified', 'sms', 'management'] as const)('a token of the area %s', async area => {
    expect((await listLedger(on.ctxFor(account.actor(area)), {})).rows).toHaveLength(1);
  });

  test('an operator who acts for the account', async () => {
    expect((await listLedger(on.ctxFor(account.operator), {})).rows).toHaveLength(1);
  });

  test.each([
    ['a token of the area otp', () => account.actor('otp'), 'wrong_area'],
    ['an operator who acts for no account', () => OPERATOR, 'invalid_input'],
    ['nobody', () => ({ kind: 'anonymous' }) as const, 'unauthenticated'],
  ])('not %s', async (_who, actor, code) => {
    await expect(listLedger(on.ctxFor(actor()), {})).rejects.toMatchObject({ code });
  });

  test("nobody another account's, by its attempt or its cursor neither", async () => {
    const { attempts } = await send('+12025550100');
    const { endCursor } = await list({ first: 1 });
    const other = await makeAccount(on, { credits: 0 });
    const ctx = on.ctxFor(other.actor('sms'));
    const attemptId = attempts?.[0]?.id;
    expect((await listLedger(ctx, { filter: { attemptId } })).rows).toEqual([]);
    expect((await listLedger(ctx, { after: endCursor })).rows).toEqual([]);
  });
});
