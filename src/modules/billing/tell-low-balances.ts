/** The verb *tell low balances*: the event `balance.low`, and a warning in the log, of balances that have fallen below their threshold. */
import type { Ctx } from '../../context.ts';
import { fromUuid } from '../../kernel/ids.ts';
import { TELL_LOW_BALANCES } from './balance.sql.ts';

/** How many accounts one statement tells of. */
const CHUNK_SIZE = 200;

/** Tells of every balance that became low since the last time, and answers how many there were. */
export async function tellLowBalances(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  for (let total = 0; ; ) {
    const rows = await TELL_LOW_BALANCES.run(sql, { limit: CHUNK_SIZE });
    for (const { id, credits, threshold } of rows)
      ctx.log.warn({ accountId: fromUuid('acc', id), credits, threshold }, 'the balance of an account is low');
    total += rows.length;
    if (rows.length < CHUNK_SIZE) return total;
  }
}
