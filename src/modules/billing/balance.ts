/** The verb *balance*: the spendable and held credits of an account, and its billing settings (contract §8). */
import { type Ctx, requireAccount } from '../../context.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { noSuchAccount } from '../../kernel/errors.ts';
import { fromUuid, parseId, toUuid } from '../../kernel/ids.ts';
import { BALANCE } from './balance.sql.ts';

/** The balance of an account, as of one moment. All amounts are credits; one pays one SMS segment. */
export interface Balance {
  readonly accountId: string;
  /** The credits that can be spent, without those that are held. */
  readonly credits: number;
  /** The credits that sends under way hold until their outcome is known. */
  readonly held: number;
  /** Below so many credits the balance is low; null: it never is. */
  readonly lowBalanceThreshold: number | null;
  /** Since when it is low; null: it is not. */
  readonly lowBalanceSince: Date | null;
  /** The most that sends may cost in a day (UTC); null: as much as there is. */
  readonly dailySpendCap: number | null;
  /** The credits that sends have cost or hold today (UTC). */
  readonly spentToday: number;
}

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
  return {
    accountId: fromUuid('acc', row.id),
    credits: row.credits,
    held: row.held,
    lowBalanceThreshold: row.low_balance_threshold,
    lowBalanceSince: row.low_balance_since,
    dailySpendCap: row.daily_spend_cap,
    spentToday: row.spent_today,
  };
}

/** The id of an account as the operator gave it. @throws AppError `not_found` for what is no such id. */
export function readAccountId(accountId: string): string {
  const id = parseId('acc', accountId);
  if (id === null) throw noSuchAccount();
  return id;
}

function accountToRead(ctx: Ctx, accountId: string | null): string {
  if (accountId !== null && ctx.actor.kind === 'operator') return readAccountId(accountId);
  const { id } = requireAccount(ctx).account;
  // Another account's id is as one that does not exist.
  if (accountId !== null && parseId('acc', accountId) !== id) throw noSuchAccount();
  return id;
}
