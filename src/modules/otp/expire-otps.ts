/** The verb *expire OTPs*: an OTP whose time is over says so, though nobody tried it (contract §5). */
import type { Ctx } from '../../context.ts';
import { inChunks } from '../../db/statements/in-chunks.ts';
import { EXPIRE_OTPS } from './purge-otps.sql.ts';

/**
 * Ends the live OTPs whose time is over by the database's clock, in chunks that commit one by one, and answers how many. One that a
 * send or a verify has in hand is left to the next run. The decoy's time is never over.
 */
export async function expireOtps(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  return inChunks(limit => EXPIRE_OTPS.first(sql, { limit }));
}
