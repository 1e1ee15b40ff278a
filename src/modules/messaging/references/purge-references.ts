/** The verb *purge references*: forgets the references whose 30 days are over (contract §4). */
import type { Ctx } from '../../../context.ts';
import { inChunks } from '../../../db/statements/purge.sql.ts';
import { PURGE_REFERENCES } from './purge-references.sql.ts';

/**
 * Deletes expired references by the database's clock, in chunks that commit one by one, and answers how many. One that a send
 * is taking over at the same time is left to it.
 */
export async function purgeReferences(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  return inChunks(limit => PURGE_REFERENCES.first(sql, { limit }));
}
