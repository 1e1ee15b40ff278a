/** The jobs of OTPs: what time ends says so, and what nobody needs is forgotten. */
import type { Ctx } from '../../context.ts';
import { inChunks } from '../../db/statements/purge.sql.ts';
import { defineRecurring } from '../../queue/kit.ts';
import { EXPIRE_OTPS, PURGE_DECOY_LOG, PURGES, RESET_DECOY } from './purge-otps.sql.ts';

/** Ends the OTPs whose time is over. A verify does not wait for it: it goes by the time itself. */
export const expireOtpsJob = defineRecurring({
  name: 'expire-otps',
  // The next minute's run makes up for one that failed.
  queue: { retryLimit: 0, deleteAfterSeconds: 3_600 },
  cron: '* * * * *',
  run: expireOtps,
});

/** Deletes the rows that OTPs, their limits and the decoy need no longer. The log of an account is never touched. */
export const purgeOtpsJob = defineRecurring({
  name: 'purge-otps',
  cron: '37 * * * *',
  run: purgeOtps,
});

/** Ends the live OTPs whose time is over by the database's clock, and answers how many. The decoy's time is never over. */
export async function expireOtps(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  return inChunks(limit => EXPIRE_OTPS.first(sql, { limit }));
}

/** Deletes what is over, and answers how many rows. */
export async function purgeOtps(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  let total = 0;
  for (const purge of PURGES) total += await purge(sql);
  total += await inChunks(limit => PURGE_DECOY_LOG.first(sql, { limit }));
  await RESET_DECOY.run(sql);
  return total;
}
