/** The verb *expire OTPs*: an OTP whose time is over says so, though nobody tried it (contract §5). */
import type { Ctx } from '../../context.ts';
import { runSql } from '../../db/statements/sql.ts';

/** How many rows one statement changes: few enough to be short, so that verifies never wait for it long. */
const CHUNK_SIZE = 5_000;

/**
 * Ends the live OTPs whose time is over by the database's clock, in chunks that commit one by one, and answers how many. One that a
 * send or a verify has in hand is left to the next run. The decoy's time is never over.
 */
export async function expireOtps(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  for (let total = 0; ; ) {
    const [row] = await runSql<{ count: number }>(
      sql,
      // By the index of live OTPs: no other one leaves out the day of OTPs that are over.
      `with over as (
         select id from otps where status in ('pending', 'sent') and expires_at <= now() limit $1 for update skip locked
       ), expired as (
         update otps o set status = 'expired' from over where o.id = over.id returning 1
       )
       select count(*)::int as count from expired`,
      [CHUNK_SIZE],
    );
    const count = row?.count ?? 0;
    total += count;
    if (count < CHUNK_SIZE) return total;
  }
}
