/** The verb *clear phones*: the phones of the sandbox forget what they received. */
import type { Ctx } from '../../context.ts';
import { inChunks } from '../../db/statements/purge.sql.ts';
import { toUuid } from '../../kernel/ids.ts';
import { requirePhones } from './list-sandbox-messages.ts';
import { PURGE_BEYOND } from './purge-sandbox-messages.sql.ts';

/** Above every id. */
const NONE_KEPT = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Deletes all texts of the caller's account, and answers how many. The outcomes of their sends stay. @throws AppError as `requirePhones` */
export async function clearPhones(ctx: Ctx): Promise<number> {
  const account = toUuid(requirePhones(ctx).id);
  const sql = ctx.services.database.sql();
  return inChunks(limit => PURGE_BEYOND.first(sql, { account, oldestKept: NONE_KEPT, limit }));
}
