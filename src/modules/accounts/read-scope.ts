/** Who may read which messages and which entries of the log. */
import { type Ctx, requireAccount } from '../../context.ts';
import type { Area } from '../../kernel/crypto/secrets.ts';
import { requireUnifiedApi } from './unified-api.policy.ts';

/** What the caller sees, as the columns that its rows have: all of an account, or one area of it. */
export interface ReadScope {
  readonly accountId: string;
  readonly area?: Area;
}

/**
 * What the caller sees: tokens `unified` and `management`, and an operator who acts for an account, everything of the account;
 * tokens `sms` and `otp` their own area only. A `unified` token reads nothing while the unified API is closed, since
 * `/api/omni/*` does not (contract §7) and both transports answer alike.
 * @throws AppError `unauthenticated`, `unified_api_disabled`, `plan_expired`; `invalid_input` for an operator who named no account.
 */
export function readScope(ctx: Ctx): ReadScope {
  const { account, area } = requireAccount(ctx);
  if (ctx.actor.kind === 'token' && area === 'unified') requireUnifiedApi(account);
  return area === 'sms' || area === 'otp' ? { accountId: account.id, area } : { accountId: account.id };
}
