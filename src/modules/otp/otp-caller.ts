/** Who may send, resend and verify OTPs, and how often: what the three verbs ask first. */
import { type AccountGrant, type Ctx, requireAccount } from '../../context.ts';
import type { Area } from '../../kernel/crypto/secrets.ts';
import { AppError } from '../../kernel/errors.ts';
import { requireUnifiedApi } from '../accounts/unified-api.policy.ts';
import { limitRequests } from '../limits/limit-requests.ts';

/** What part of a token's requests may be OTPs. */
const OTP_SHARE = 0.1;

/** Who may use OTPs. */
interface OtpCaller {
  readonly account: AccountGrant;
  readonly area: Extract<Area, 'unified' | 'otp'>;
}

/** The account and the area of a caller who may use OTPs. @throws AppError `unauthenticated`, `wrong_area`, `unified_api_disabled`, `plan_expired`. */
export function authorizeOtps(ctx: Ctx): OtpCaller {
  const { account, area } = requireAccount(ctx);
  if (area !== 'unified' && area !== 'otp') throw new AppError('wrong_area');
  if (area === 'unified') requireUnifiedApi(account);
  return { account, area };
}

/** As `authorizeOtps`; the request counts for the token. @throws AppError `rate_limited`, `database_unavailable` too */
export async function requireOtpCaller(ctx: Ctx): Promise<OtpCaller> {
  const caller = authorizeOtps(ctx);
  await limitRequests(ctx, OTP_SHARE, 'otp');
  return caller;
}
