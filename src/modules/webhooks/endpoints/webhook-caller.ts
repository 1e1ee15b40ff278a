/** The right to manage webhooks: every verb on them asks for it first. */
import type { AccountGrant, Ctx } from '../../../context.ts';
import { requireAreas } from '../../accounts/read-scope.ts';
import { requireUnifiedApi } from '../../accounts/unified-api.policy.ts';

/**
 * The account of a `management` token, or of an operator who acts for one. Its plan counts for both (contract §7). @throws AppError
 * `unauthenticated`, `wrong_area`, `unified_api_disabled`, `plan_expired`; `invalid_input` for an operator who named no account.
 */
export function requireWebhookCaller(ctx: Pick<Ctx, 'actor'>): AccountGrant {
  const account = requireAreas(ctx, 'management');
  requireUnifiedApi(account);
  return account;
}
