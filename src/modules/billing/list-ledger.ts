/** The verb *list the ledger*: every change of a balance, newest first (contract §8). */
import type { FilterQuery } from '@mikro-orm/core';
import { type Ctx, requireAccount } from '../../context.ts';
import { keyRange, type Page, readPage } from '../../db/page.ts';
import { AppError } from '../../kernel/errors.ts';
import { parseId, uuidFloor } from '../../kernel/ids.ts';
import { LedgerEntry } from './ledger-entry.entity.ts';
import type { ListLedgerInput } from './ledger-filter.input.ts';

/**
 * The entries of the caller's account: for tokens `unified`, `sms` and `management`, and an operator who acts for an account. The id of
 * an attempt that is malformed or another account's finds nothing.
 * @throws AppError `unauthenticated`, `wrong_area`; `invalid_input` on `after`, and for an operator
 * who named no account.
 */
export async function listLedger(ctx: Ctx, input: ListLedgerInput): Promise<Page<LedgerEntry>> {
  const { account, area } = requireAccount(ctx);
  if (area === 'otp') throw new AppError('wrong_area');
  const { filter, ...page } = input;
  const { kind, from, to } = filter ?? {};
  const attemptId = filter?.attemptId == null ? undefined : parseId('att', filter.attemptId);
  return readPage(page, async (before, limit) => {
    if (attemptId === null) return [];
    const where: FilterQuery<LedgerEntry> = {
      accountId: account.id,
      ...(kind == null ? {} : { kind }),
      ...(attemptId === undefined ? {} : { attemptId }),
      ...keyRange(from ? uuidFloor(from) : null, to ? uuidFloor(to) : null, before),
    };
    return ctx.em.find(LedgerEntry, where, { orderBy: { id: 'desc' }, limit, disableIdentityMap: true });
  });
}
