/** Whose people a caller manages, and whether a person still may. */
import { type Ctx, requireAccount } from '../../../context.ts';
import { AppError } from '../../../kernel/errors.ts';
import { type Right, rolesWith } from '../../../kernel/role.ts';
import { requireOwn } from '../read-scope.ts';
import { DashboardUser } from './dashboard-user.entity.ts';

/**
 * The account whose people the caller may manage or see; null: an operator who named none. @param accountId the named one; null: none
 * @throws AppError `unauthenticated`, `wrong_area` for tokens, `not_found` for another account of a person
 */
export function peopleAccount(ctx: Ctx, accountId: string | null): string | null {
  const { actor } = ctx;
  if (actor.kind === 'operator') return accountId ?? actor.account?.id ?? null;
  const { account } = requireAccount(ctx);
  if (actor.kind !== 'user') throw new AppError('wrong_area');
  return requireOwn(account, accountId);
}

/**
 * A session is cached for a second, and what some verbs make outlives it by long. The caller has the account in the transaction of `em`, as
 * changes of people have, or looked up a name before it, which takes longer. @throws AppError `unauthenticated` for a person who had the right
 */
export async function requireStill(em: Ctx['em'], actor: Ctx['actor'], right: Right): Promise<void> {
  if (actor.kind !== 'user') return;
  const where = { id: actor.userId, role: { $in: [...rolesWith(right)] } };
  const person = await em.findOne(DashboardUser, where, { refresh: true });
  if (!person) throw new AppError('unauthenticated');
}
