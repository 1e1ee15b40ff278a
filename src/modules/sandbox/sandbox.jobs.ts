/** The jobs of the sandbox: its phones report what they got, and forget it. */
import { z } from 'zod';
import { type Receipt, receiptSchema } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { definePurge, inChunks } from '../../db/statements/purge.sql.ts';
import { uuidFloor } from '../../kernel/ids.ts';
import { defineJob, defineRecurring } from '../../queue/kit.ts';
import { recordReceipts } from '../routing/receipts/record-receipts.ts';
import { SANDBOX_KEPT_MAX, SANDBOX_KEPT_MS } from './list-sandbox-messages.ts';
import { FIND_CROWDED, PURGE_BEYOND, PURGE_OLD } from './purge-sandbox-messages.sql.ts';

const purgeOrders = definePurge('sandbox_orders', 'id', `created_at < now() - interval '24 hours'`);

/** Reports the later statuses of a group of messages. Eight tries take about two minutes, as a real provider repeats its receipts. */
export const sandboxReceiptsJob = defineJob({
  name: 'sandbox-receipts',
  schema: z.object({ receipts: z.array(receiptSchema) }),
  queue: { retryLimit: 8, retryDelay: 1, retryBackoff: true, deleteAfterSeconds: 3_600 },
  pollSeconds: 1,
  run: reportStatuses,
});

/** Deletes old messages of the sandbox's phones. */
export const purgeSandboxJob = defineRecurring({
  name: 'purge-sandbox',
  cron: '*/5 * * * *',
  run: purgeSandboxMessages,
});

/** Throws where an attempt is not stored yet, so that the job is retried; repeated receipts change nothing. */
async function reportStatuses(ctx: Ctx, { receipts }: { readonly receipts: readonly Receipt[] }): Promise<void> {
  const results = await recordReceipts(ctx, receipts);
  const unmatched = results.filter(result => result === 'unmatched').length;
  if (unmatched > 0) throw new Error(`${unmatched} of ${receipts.length} receipts match no attempt yet`);
}

/** Deletes messages that are too old by the database's clock, or beyond the newest 1,000 of their account. Answers how many. */
export async function purgeSandboxMessages({ services: { database } }: Ctx): Promise<number> {
  const sql = database.sql();
  // Ids hold the time, so the primary key finds old rows; `created_at` has no index.
  const before = uuidFloor(new Date(await database.clock.in(-SANDBOX_KEPT_MS)));
  await purgeOrders(sql);
  let total = await inChunks(limit => PURGE_OLD.first(sql, { before, limit }));
  for (const { account_id: account, oldest_kept: oldestKept } of await FIND_CROWDED.run(sql, {
    kept: SANDBOX_KEPT_MAX,
  }))
    total += await inChunks(limit => PURGE_BEYOND.first(sql, { account, oldestKept, limit }));
  return total;
}
