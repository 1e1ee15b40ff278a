/** The balance of an account after each entry of its ledger. */
import { type Ctx, requireAccount } from '../../context.ts';
import { parseId, toUuid } from '../../kernel/ids.ts';
import { BALANCES_AFTER } from './balance.sql.ts';

/** The most newer entries that are summed up: older entries get no balance, so that no page waits for millions. */
const NEWER_MAX = 100_000;

/** The balances after these entries of the caller's account, held credits included, in their order; null where too many are newer. @throws AppError as `requireAccount` */
export async function balancesAfter(ctx: Ctx, entryIds: readonly string[]): Promise<(number | null)[]> {
  const account = toUuid(requireAccount(ctx).account.id);
  const ids = entryIds.flatMap(id => (parseId('led', id) === null ? [] : toUuid(id)));
  const oldest = [...ids].sort()[0];
  if (oldest === undefined) return entryIds.map(() => null);
  const sql = ctx.services.database.sql(ctx.signal);
  const rows = await BALANCES_AFTER.run(sql, { account, oldest, ids, most: NEWER_MAX });
  const byId = new Map(rows.map(({ id, balance }) => [id, balance]));
  return entryIds.map(id => byId.get(toUuid(id)) ?? null);
}
