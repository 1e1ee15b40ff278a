/** The verb *purge sandbox messages*: an account keeps its newest 1,000 messages, for 24 hours (contract §9). */
import type { Ctx } from '../../context.ts';
import { inChunks } from '../../db/statements/in-chunks.ts';
import { uuidFloor } from '../../kernel/ids.ts';
import { SANDBOX_KEPT_MAX } from './list-sandbox-messages.ts';
import { FIND_CROWDED, PURGE_BEYOND, PURGE_OLD, READ_CUTOFF } from './purge-sandbox-messages.sql.ts';

/** How long a message is kept. */
const KEPT_HOURS = 24;

/** Deletes messages that are too old (by the database's clock) or beyond the newest 1,000. Answers how many. */
export async function purgeSandboxMessages(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  const clock = await READ_CUTOFF.first(sql, { hours: KEPT_HOURS });
  if (!clock) throw new Error('the database told no time');
  // Ids hold the time, so the primary key finds old rows; `created_at` has no index.
  const before = uuidFloor(new Date(Math.floor(clock.cutoff_ms)));
  let total = await inChunks(limit => PURGE_OLD.first(sql, { before, limit }));
  for (const { account_id: account, oldest_kept: oldestKept } of await FIND_CROWDED.run(sql, {
    kept: SANDBOX_KEPT_MAX,
  }))
    total += await inChunks(limit => PURGE_BEYOND.first(sql, { account, oldestKept, limit }));
  return total;
}
