/** The messages and log entries that a caller may read. */
import { type Ctx, requireAccount } from '../../context.ts';
import type { Area } from '../../kernel/crypto/secrets.ts';
import { requireUnifiedApi } from './unified-api.policy.ts';

/** A filter on rows: all of an account, or one area of it. */
export interface ReadScope {
  readonly accountId: string;
  readonly area?: Area;
}

/**
 * The rows that the caller may read: tokens `sms` and `otp` those of their area, others and an operator all of the account.
 * @throws AppError `unauthenticated`, `unified_api_disabled`, `plan_expired` (contract §7); `invalid_input` if an operator named none
 */
export function readScope(ctx: Pick<Ctx, 'actor'>): ReadScope {
  const { account, area } = requireAccount(ctx);
  if (ctx.actor.kind === 'token' && area === 'unified') requireUnifiedApi(account);
  return area === 'sms' || area === 'otp' ? { accountId: account.id, area } : { accountId: account.id };
}
