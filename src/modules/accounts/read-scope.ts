/** The areas of a caller: which of them a verb is for, and the messages and log entries that they may read. */
import { type AccountGrant, type Ctx, requireAccount } from '../../context.ts';
import type { Area } from '../../kernel/crypto/secrets.ts';
import { AppError, noSuchAccount } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
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

/** The account of a token of one of these areas, of a person, or of an operator who acts for one. @throws AppError `wrong_area`, and as `requireAccount` */
export function requireAreas(ctx: Pick<Ctx, 'actor'>, ...areas: readonly Area[]): AccountGrant {
  const { account, area } = requireAccount(ctx);
  if (ctx.actor.kind === 'token' && !areas.includes(area)) throw new AppError('wrong_area');
  return account;
}

/** The id of the caller's account, which the caller may name. @throws AppError `not_found` for another's: it is answered as an unknown one */
export function requireOwn({ id }: AccountGrant, named: string | null): string {
  if (named !== null && parseId('acc', named) !== id) throw noSuchAccount();
  return id;
}
