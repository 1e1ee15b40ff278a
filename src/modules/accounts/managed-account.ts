/** Which account a caller manages: tokens and the audit trail belong to `management` tokens and operators. */
import { type Ctx, requireAccount } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
import { getAccount } from './manage-accounts.ts';

/** The account that the caller manages; null: all accounts. @throws AppError `unauthenticated`, `wrong_area` */
export function managedAccount(ctx: Ctx): string | null {
  if (ctx.actor.kind === 'operator') return ctx.actor.account?.id ?? null;
  const { account, area } = requireAccount(ctx);
  if (area !== 'management') throw new AppError('wrong_area');
  return account.id;
}

/**
 * The account that a caller names: any for an operator, its own for a token. Another account's id gets the same answer
 * as an unknown one.
 * @throws AppError `not_found`
 */
export async function namedAccount(ctx: Ctx, named: string): Promise<string> {
  const { actor } = ctx;
  if (actor.kind !== 'token') return (await getAccount(ctx.em, named)).id;
  if (parseId('acc', named) !== actor.account.id) throw new AppError('not_found', 'There is no such account.');
  return actor.account.id;
}
