/** The verb *list the ledger*: every change of a balance, newest first (contract §8). */
import type { FilterQuery } from '@mikro-orm/core';
import { type Ctx, requireAccount } from '../../context.ts';
import { byIds, endOfLook, keyRange, type Looked, type Page, readPage, readPageByLook } from '../../db/page.ts';
import { endOfLooked, listLooked, lookBounds } from '../../db/statements/look.sql.ts';
import { statement } from '../../db/statements/statement.ts';
import { AppError } from '../../kernel/errors.ts';
import { fromUuid, parseId, toUuid, uuidFloor } from '../../kernel/ids.ts';
import { LedgerEntry, type LedgerKind } from './ledger-entry.entity.ts';
import type { ListLedgerInput } from './ledger-filter.input.ts';

const NEWEST_FIRST = { orderBy: { id: 'desc' }, disableIdentityMap: true } as const;

const FOUND = { account: 'uuid', from: 'uuid', to: 'uuid' } as const;

const found = (p: Readonly<Record<keyof typeof FOUND, string>>): string =>
  `account_id = ${p.account} and id >= ${p.from} and id < ${p.to}`;

const LIST_KIND = statement('list ledger by kind', {
  takes: { ...FOUND, kind: 'text', limit: 'int' },
  gives: { id: 'uuid' },
  sql: p => listLooked('ledger', found(p), `a.kind = ${p.kind}`, p.limit),
});

const END_OF_LOOK = statement('end of ledger', {
  takes: FOUND,
  gives: { id: 'uuid' },
  sql: p => endOfLooked('ledger', found(p)),
});

/** The kinds that no index has: nearly all entries are captures, and no new one is a hold. */
const UNINDEXED: readonly LedgerKind[] = ['capture', 'hold'];

/**
 * The entries of the caller's account: for tokens `unified`, `sms` and `management`, and an operator who acts for an account. The id of
 * an attempt that is malformed or another account's finds nothing. By `capture` or `hold` a page searches the newest 100,000 entries.
 * @throws AppError `unauthenticated`, `wrong_area`; `invalid_input` on `after`, and for an operator
 * who named no account.
 */
export async function listLedger(ctx: Ctx, input: ListLedgerInput): Promise<Page<LedgerEntry>> {
  const { account, area } = requireAccount(ctx);
  if (area === 'otp') throw new AppError('wrong_area');
  const { filter, ...page } = input;
  const { kind, from, to } = filter ?? {};
  const attemptId = filter?.attemptId == null ? undefined : parseId('att', filter.attemptId);
  const [low, high] = [from ? uuidFloor(from) : null, to ? uuidFloor(to) : null];
  if (kind != null && UNINDEXED.includes(kind) && attemptId === undefined)
    return readPageByLook(page, (before, limit) => {
      const values = { account: toUuid(account.id), kind, ...lookBounds(low, high, before) };
      return look(ctx, account.id, values, limit);
    });
  return readPage(page, async (before, limit) => {
    if (attemptId === null) return [];
    const where: FilterQuery<LedgerEntry> = {
      accountId: account.id,
      ...(kind == null ? {} : { kind }),
      ...(attemptId === undefined ? {} : { attemptId }),
      ...keyRange(low, high, before),
    };
    return ctx.em.find(LedgerEntry, where, { ...NEWEST_FIRST, limit });
  });
}

/** One look: the entries of a kind. */
async function look(
  ctx: Ctx,
  accountId: string,
  values: Readonly<Record<keyof typeof FOUND | 'kind', string>>,
  limit: number,
): Promise<Looked<LedgerEntry>> {
  const sql = ctx.services.database.sql(ctx.signal);
  const uuids = (await LIST_KIND.run(sql, { ...values, limit })).map(({ id }) => id);
  const end = await endOfLook(uuids, limit, () => END_OF_LOOK.first(sql, values));
  const ids = uuids.map(id => fromUuid('led', id));
  const find = (some: readonly string[]) =>
    ctx.em.find(LedgerEntry, { accountId, id: { $in: [...some] } }, NEWEST_FIRST);
  return { rows: await byIds(ids, find), end };
}
