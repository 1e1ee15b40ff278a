/** The verb *purge OTPs*: forgets what OTPs, their limits and the decoy need no longer. The log of an account is never touched. */
import type { Ctx } from '../../context.ts';
import { inChunks } from '../../db/statements/in-chunks.ts';
import { PURGE_DECOY_LOG, PURGES, RESET_DECOY } from './purge-otps.sql.ts';

/**
 * Deletes what is over, in chunks that commit one by one, and answers how many rows. A row that a send or a verify has in hand is
 * left to the next run.
 */
export async function purgeOtps(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  let total = 0;
  for (const purge of [...PURGES, PURGE_DECOY_LOG]) total += await inChunks(limit => purge.first(sql, { limit }));
  await RESET_DECOY.run(sql);
  return total;
}
