/** The look into the list itself, for sends that were left some time ago: a process that does not hear knows nothing of stops since. */
import type { Ctx } from '../../context.ts';
import { toUuid } from '../../kernel/ids.ts';
import { FIND_SUPPRESSED } from './suppressions.sql.ts';

/** Whether the recipient of a send has stopped, by the database. */
export async function isOnList(
  ctx: Ctx,
  { accountId, recipient }: { readonly accountId: string; readonly recipient: string },
): Promise<boolean> {
  const { database, suppressed } = ctx.services;
  const erased = suppressed.erasedName(accountId, recipient);
  const found = await FIND_SUPPRESSED.first(database.sql(), { account: toUuid(accountId), recipient, erased });
  return found !== undefined;
}
