/** Whose people a caller manages. */
import { type Ctx, requireAccount } from '../../../context.ts';
import { AppError, noSuchAccount } from '../../../kernel/errors.ts';
import { parseId } from '../../../kernel/ids.ts';

/**
 * The account whose people the caller may manage or see; null: an operator who named none. @param accountId the named one; null: none
 * @throws AppError `unauthenticated`, `wrong_area` for tokens, `not_found` for another account of a person
 */
export function peopleAccount(ctx: Ctx, accountId: string | null): string | null {
  const { actor } = ctx;
  if (actor.kind === 'operator') return accountId ?? actor.account?.id ?? null;
  const { id } = requireAccount(ctx).account;
  if (actor.kind !== 'user') throw new AppError('wrong_area');
  // Another account's id gets the same answer as an unknown one.
  if (accountId !== null && parseId('acc', accountId) !== id) throw noSuchAccount();
  return id;
}
