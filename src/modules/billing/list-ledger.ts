/** The verb *list the ledger*: every change of a balance, newest first (contract §8). */
import type { FilterQuery } from '@mikro-orm/core';
import { type Ctx, requireAccount } from '../../context.ts';
import {
  given,
  idBounds,
  keyRange,
  look,
  NEWEST_FIRST,
  type Page,
  readPage,
  readPageByLook,
  rowsBy,
} from '../../db/page.ts';
import { endOfLooked, listLooked, lookBounds } from '../../db/statements/look.sql.ts';
import { statement } from '../../db/statements/statement.ts';
import { AppError } from '../../kernel/errors.ts';
import { parseId, toUuid } from '../../kernel/ids.ts';
import { LedgerEntry, type LedgerKind } from './ledger-entry.entity.ts';
import type { ListLedgerInput } from './ledger-filter.input.ts';

const FOUND = { account: 'uuid', from: 'uuid', to: 'uuid' } as const;

const found = (p: Readonly<Record<keyof typeof FOUND, string>>): string =>
  `account_id = ${p.account} and id >= ${p.from} and id < ${p.to}`;

const OF_KIND = {
  list: statement('list ledger by kind', {
    takes: { ...FOUND, kind: 'text', limit: 'int' },
    gives: { id: 'uuid' },
    sql: p => listLooked('ledger', found(p), `a.kind = ${p.kind}`, p.limit),
  }),
  end: statement('end of ledger', {
    takes: FOUND,
    gives: { id: 'uuid' },
    sql: p => endOfLooked('ledger', found(p)),
  }),
};

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
  const bounds = idBounds(from, to);
  if (kind != null && UNINDEXED.includes(kind) && attemptId === undefined)
    return readPageByLook(page, (before, limit) => {
      const values = { account: toUuid(account.id), kind, ...lookBounds(...bounds, before) };
      const rowsOf = rowsBy('led', ids =>
        ctx.em.find(LedgerEntry, { accountId: account.id, id: { $in: ids } }, NEWEST_FIRST),
      );
      return look(ctx.services.database.sql(ctx.signal), OF_KIND, values, limit, rowsOf);
    });
  return readPage(page, async (before, limit) => {
    if (attemptId === null) return [];
    const where: FilterQuery<LedgerEntry> = {
      accountId: account.id,
      ...given({ kind, attemptId }),
      ...keyRange(...bounds, before),
    };
    return ctx.em.find(LedgerEntry, where, { ...NEWEST_FIRST, limit });
  });
}
