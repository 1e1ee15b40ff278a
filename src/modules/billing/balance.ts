/** The verb *balance*: the spendable and held credits of an account, and its billing settings (contract §8). */
import { type Ctx, requireAccount } from '../../context.ts';
import type { Sql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { noSuchAccount } from '../../kernel/errors.ts';
import { parseId, toUuid } from '../../kernel/ids.ts';
import { requireOwn } from '../accounts/read-scope.ts';
import { BALANCE } from './balance.sql.ts';

/** The balance of an account, as of one moment. All amounts are credits; one pays one SMS segment. */
export type Balance = Answer<typeof BALANCE>;

/**
 * The balance of an account: for an operator of any, for a token of its own, which it may name.
 * @throws AppError `unauthenticated`, `not_found`; `invalid_input` for an operator who named no account.
 */
export async function balance(ctx: Ctx, accountId: string | null): Promise<Balance> {
  return readBalance(ctx.services.database.sql(), accountToRead(ctx, accountId));
}

/** The balance of an account, in the transaction of `sql`. @throws AppError `not_found`. */
export async function readBalance(sql: Sql, accountId: string): Promise<Balance> {
  const row = await BALANCE.first(sql, { account: toUuid(accountId) });
  if (!row) throw noSuchAccount();
  return row;
}

/** The id of an account as the operator gave it. @throws AppError `not_found` for what is no such id. */
export function readAccountId(accountId: string): string {
  const id = parseId('acc', accountId);
  if (id === null) throw noSuchAccount();
  return id;
}

function accountToRead(ctx: Ctx, accountId: string | null): string {
  if (accountId !== null && ctx.actor.kind === 'operator') return readAccountId(accountId);
  return requireOwn(requireAccount(ctx).account, accountId);
}
