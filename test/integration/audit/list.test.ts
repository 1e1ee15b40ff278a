import { describe, expect, test } from 'vitest';
import type { Actor } from '../../../src/context.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import {
  type ListAuditInput,
  listAuditEntries,
  listAuditInput,
  shownAddress,
} from '../../../src/modules/audit/list-audit.ts';
import { recordAudit } from '../../../src/modules/audit/record-audit.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { readInput, refusal } from '../../support/refusal.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpAccount(on);

async function record(accountId: string, change: { action?: 'token.created' | 'token.revoked'; by?: Actor } = {}) {
  const ctx = on.ctxFor(change.by ?? OPERATOR);
  const subject = newId('tok');
  const { action = 'token.created' } = change;
  await ctx.em.transactional(em => recordAudit(em, ctx, { accountId, action, subject, details: {} }));
  return subject;
}

async function list(input: ListAuditInput = {}, by: Actor = account.actor('management')) {
  return listAuditEntries(on.ctxFor(by), input);
}

async function subjects(input: ListAuditInput = {}, by?: Actor): Promise<(string | null | undefined)[]> {
  return (await list(input, by)).rows.map(row => row.subject);
}

/** Ids of one millisecond are in no order. */
async function recordInTurn(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let nth = 0; nth < count; nth++) {
    made.push(await record(account.accountId));
    const startedMs = Date.now();
    while (Date.now() === startedMs) await on.sql('select 1');
  }
  return made;
}

test('is newest first, page by page', async () => {
  const made = await recordInTurn(5);
  const first = await list({ first: 3 });
  const second = await list({ first: 3, after: first.endCursor });
  expect([...first.rows, ...second.rows].map(row => row.subject)).toEqual(made.toReversed());
  expect([first.hasNextPage, second.hasNextPage]).toEqual([true, false]);
});

describe('who sees it', () => {
  test('a management token: its own account, which it may name', async () => {
    const own = await record(account.accountId);
    await record(other.accountId);
    expect(await subjects()).toEqual([own]);
    expect(await subjects({ accountId: account.accountId })).toEqual([own]);
  });

  test('an operator who acts for an account: that account', async () => {
    const own = await record(account.accountId);
    await record(other.accountId);
    expect(await subjects({}, account.operator)).toEqual([own]);
  });

  test('an operator: every account, or the one that is named', async () => {
    const own = await record(account.accountId);
    const theirs = await record(other.accountId);
    expect(await subjects({}, OPERATOR)).toEqual(expect.arrayContaining([own, theirs]));
    expect(await subjects({ accountId: other.accountId }, OPERATOR)).toEqual([theirs]);
    expect(await subjects({ accountId: other.accountId }, account.operator)).toEqual([theirs]);
  });

  test.each(['unified', 'sms', 'otp'] as const)('no token of the area %s', async area => {
    await expect(list({}, account.actor(area))).rejects.toEqual(refusal('wrong_area'));
  });

  test('nobody without a token', async () => {
    await expect(list({}, { kind: 'anonymous' })).rejects.toEqual(refusal('unauthenticated'));
  });

  test.each(['theirs', 'missing', 'malformed'])('no account that is %s', async which => {
    const accountId = { theirs: other.accountId, missing: newId('acc'), malformed: 'acc_1' }[which] ?? '';
    await expect(list({ accountId })).rejects.toEqual(refusal('not_found'));
  });

  test.each(['missing', 'malformed'])('no operator of an account that is %s', async which => {
    const accountId = which === 'missing' ? newId('acc') : 'acc_1';
    await expect(list({ accountId }, OPERATOR)).rejects.toEqual(refusal('not_found'));
  });
});

describe('the address', () => {
  async function addresses(by: Actor): Promise<(string | null)[]> {
    return (await list({ accountId: account.accountId }, by)).rows.map(row => shownAddress(on.ctxFor(by), row));
  }

  test('of an operator is shown to operators alone', async () => {
    await record(account.accountId, { by: OPERATOR });
    expect(await addresses(account.actor('management'))).toEqual([null]);
    expect(await addresses(OPERATOR)).toEqual(['127.0.0.1']);
  });

  test('of a token is shown to its account', async () => {
    await record(account.accountId, { by: account.actor('management') });
    expect(await addresses(account.actor('management'))).toEqual(['127.0.0.1']);
  });
});

describe('the filter', () => {
  test('takes the action', async () => {
    await record(account.accountId);
    const revoked = await record(account.accountId, { action: 'token.revoked' });
    expect(await subjects({ filter: { action: 'token.revoked' } })).toEqual([revoked]);
  });

  test('takes the subject', async () => {
    const one = await record(account.accountId);
    await record(account.accountId);
    expect(await subjects({ filter: { subject: one } })).toEqual([one]);
    expect(await subjects({ filter: { subject: `tok_${one.slice(4).toUpperCase()}` } })).toEqual([one]);
  });

  test('takes a time, from inclusive and to exclusive', async () => {
    const subject = await record(account.accountId);
    const [row] = (await list()).rows;
    const at = row?.createdAt ?? new Date(0);
    const later = new Date(at.getTime() + 1);
    expect(await subjects({ filter: { from: at, to: later } })).toEqual([subject]);
    expect(await subjects({ filter: { from: later } })).toEqual([]);
    expect(await subjects({ filter: { to: at } })).toEqual([]);
  });

  test('takes times that no database holds', async () => {
    const subject = await record(account.accountId);
    const filter = { from: new Date('0000-01-01T00:00:00Z'), to: new Date('9999-12-31T23:59:59Z') };
    expect(await subjects({ filter })).toEqual([subject]);
  });

  test.each([
    ['an action that there is not', { filter: { action: 'token.made' } }, 'filter.action'],
    ['an empty subject', { filter: { subject: '' } }, 'filter.subject'],
    ['a subject with a NUL', { filter: { subject: 'a\0' } }, 'filter.subject'],
    ['a size of 0', { first: 0 }, 'first'],
    ['a size of 201', { first: 201 }, 'first'],
    ['a cursor that is none', { after: 'x' }, 'after'],
  ])('refuses %s', async (_name, input, field) => {
    const read = async () => list(readInput(listAuditInput, input));
    await expect(read()).rejects.toEqual(refusal('invalid_input', field));
  });
});

test('a page of one account is found by its index', async () => {
  await on.sql(
    `insert into audit_entries (id, account_id, action, actor, request_id, details, created_at)
     select lpad(to_hex(n), 32, '0')::uuid, gen_random_uuid(), 'token.created', 'operator', 'r', '{}', now()
     from generate_series(1, 5000) n`,
  );
  await on.sql('analyze audit_entries');
  const plan = await on.sql<Record<string, string>>(
    `explain select * from audit_entries where account_id = '${toUuid(account.accountId)}' order by id desc limit 51`,
  );
  expect(JSON.stringify(plan)).toContain('audit_entries_account_id_id_index');
});
