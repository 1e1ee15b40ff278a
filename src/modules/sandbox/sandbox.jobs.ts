/** The jobs of the sandbox: its phones report what they got, and forget it. */
import { z } from 'zod';
import { type Receipt, receiptSchema } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { definePurge, inChunks } from '../../db/statements/purge.sql.ts';
import { parseId, toUuid, uuidFloor } from '../../kernel/ids.ts';
import { defineJob } from '../../queue/kit.ts';
import { recordReceipts } from '../routing/receipts/record-receipts.ts';
import { SANDBOX_KEPT_MAX, SANDBOX_KEPT_MS } from './list-sandbox-messages.ts';
import { sandboxReceipt } from './order-receipts.ts';
import { FIND_CROWDED, PURGE_BEYOND, PURGE_OLD } from './purge-sandbox-messages.sql.ts';
import { TAKE_ORDERS } from './sandbox-orders.sql.ts';

const purgeOrders = definePurge('sandbox_orders', 'id', `created_at < now() - interval '24 hours'`);

/** Reports the later statuses of a group of messages. Eight tries take about two minutes, as a real provider repeats its receipts. */
export const sandboxReceiptsJob = defineJob({
  name: 'sandbox-receipts',
  // `isOrdered`: somebody has said what is reported, and it is not asked again.
  schema: z.object({ receipts: z.array(receiptSchema), isOrdered: z.boolean().optional() }),
  queue: { retryLimit: 8, retryDelay: 1, retryBackoff: true, deleteAfterSeconds: 3_600 },
  pollSeconds: 1,
  run: reportStatuses,
});

/** Deletes old messages of the sandbox's phones. */
export const purgeSandboxJob = defineJob({
  name: 'purge-sandbox',
  schema: z.object({}),
  queue: { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400 },
  cron: '*/5 * * * *',
  run: purgeSandboxMessages,
});

/** Throws where an attempt is not stored yet, so that the job is retried; repeated receipts change nothing. */
async function reportStatuses(
  ctx: Ctx,
  { receipts, isOrdered = false }: { readonly receipts: readonly Receipt[]; readonly isOrdered?: boolean | undefined },
): Promise<void> {
  const due = isOrdered ? receipts : await withoutOrdered(ctx, receipts);
  const results = await recordReceipts(ctx, due);
  const unmatched = results.filter(result => result === 'unmatched').length;
  if (unmatched > 0) throw new Error(`${unmatched} of ${receipts.length} receipts match no attempt yet`);
}

/** The receipts of which nobody has ordered otherwise. What was ordered becomes jobs of its own; where this one is repeated they are too, which changes nothing. */
async function withoutOrdered(
  { services: { database, jobs } }: Ctx,
  receipts: readonly Receipt[],
): Promise<readonly Receipt[]> {
  const ids = new Map(
    receipts.flatMap(receipt => {
      const id = parseId('sbx', receipt.providerMessageId);
      return id === null ? [] : [[toUuid(id), receipt] as const];
    }),
  );
  return database.fork().transactional(async em => {
    const orders = await TAKE_ORDERS.run(em.getKysely(), { texts: [...ids.keys()] });
    for (const { text_id: textId, outcome, delay_seconds: startAfterSeconds } of orders) {
      const receipt = ids.get(textId);
      if (!receipt || outcome === null) continue;
      const ordered = sandboxReceipt(receipt.providerMessageId, receipt.attemptId ?? null, outcome);
      await jobs.enqueue(em, sandboxReceiptsJob, [{ receipts: [ordered], isOrdered: true }], { startAfterSeconds });
    }
    const taken = new Set(orders.map(({ text_id: textId }) => ids.get(textId)));
    return receipts.filter(receipt => !taken.has(receipt));
  });
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
