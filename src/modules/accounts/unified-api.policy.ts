import type { AccountGrant } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';

/** Whether the unified API is on, with a live plan. */
export function isUnifiedApiOpen(account: AccountGrant): boolean {
  return account.unifiedApi && !account.planExpired;
}

/** Requires the unified API and a live plan (contract §7). @throws AppError `unified_api_disabled`, `plan_expired` */
export function requireUnifiedApi(account: AccountGrant): void {
  if (!account.unifiedApi)
    throw new AppError('unified_api_disabled', 'The unified API is switched off for this account.');
  if (account.planExpired) throw new AppError('plan_expired', 'The plan of this account has expired.');
}
