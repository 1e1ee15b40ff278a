/** The verb *purge references*: forgets the references whose 30 days are over (contract §4). */
import type { Ctx } from '../../context.ts';
import { runSql } from '../../db/statements/sql.ts';

/** How many rows one statement deletes: few enough to be short, so that sends never wait for it. */
const CHUNK_SIZE = 5_000;

/**
 * Deletes expired references by the database's clock, in chunks that commit one by one, and answers how many. One that a send
 * is taking over at the same time is left to it.
 */
export async function purgeReferences(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  for (let total = 0; ; ) {
    const [row] = await runSql<{ count: number }>(
      sql,
      `with expired as (
         select account_id, area, reference from idempotency_keys
         where expires_at <= now() order by expires_at limit $1 for update skip locked
       ), deleted as (
         delete from idempotency_keys k using expired e
         where k.account_id = e.account_id and k.area = e.area and k.reference = e.reference
         returning 1
       )
       select count(*)::int as count from deleted`,
      [CHUNK_SIZE],
    );
    const count = row?.count ?? 0;
    total += count;
    if (count < CHUNK_SIZE) return total;
  }
}
