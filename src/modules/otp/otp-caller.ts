/** The check of callers with which the verbs on OTPs begin. */
import { type AccountGrant, type Ctx, requireAccount } from '../../context.ts';
import type { Area } from '../../kernel/crypto/secrets.ts';
import { AppError } from '../../kernel/errors.ts';
import { requireUnifiedApi } from '../accounts/unified-api.policy.ts';

/** A caller who may use OTPs. */
interface OtpCaller {
  readonly account: AccountGrant;
  readonly area: Extract<Area, 'unified' | 'otp'>;
}

/** The account and the area of a caller who may use OTPs. @throws AppError `unauthenticated`, `wrong_area`, `unified_api_disabled`, `plan_expired`. */
export function requireOtpCaller(ctx: Ctx): OtpCaller {
  const { account, area } = requireAccount(ctx);
  if (area !== 'unified' && area !== 'otp') throw new AppError('wrong_area');
  if (area === 'unified') requireUnifiedApi(account);
  return { account, area };
}
