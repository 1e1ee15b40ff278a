/** Receipts that come before their attempt is known: the answer with the provider's id is still under way, or in another process. They wait 15 minutes. */
import { z } from 'zod';
import { type Receipt, receiptSchema } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { defineStatementBatch } from '../../db/batch.ts';
import { defineJob, type Jobs } from '../../queue/kit.ts';
import { recordReceipts } from '../routing/receipts/record-receipts.ts';

/**
 * When an early receipt is looked at again, in seconds after the look before: most answers are only a moment behind. Together they are
 * the 15 minutes of contract §13; few, since what belongs to nobody comes too.
 */
const LOOKS = [1, 9, 50, 240, 600] as const;

/** How many receipts are one job. */
const JOB_SIZE = 200;

/** Looks again whether the attempts of early receipts are known. `look`: how many looks they had. */
export const earlyReceiptsJob = defineJob({
  name: 'early-receipts',
  schema: z.object({ receipts: z.array(receiptSchema), look: z.int().min(1).max(LOOKS.length) }),
  queue: { retryLimit: 20, retryDelay: 1, retryBackoff: true, retryDelayMax: 60, deleteAfterSeconds: 3_600 },
  pollSeconds: 1,
  run: lookAgain,
});

interface EarlyItem {
  readonly receipts: readonly Receipt[];
  readonly look: number;
  readonly jobs: Jobs;
}

/** Many callers' receipts are one commit: a storm of them makes few jobs. Those of one job had as many looks. A job that is there twice changes nothing. */
const keep = defineStatementBatch<EarlyItem, void>('early receipts', async (sql, items) => {
  for (const [look, alike] of Map.groupBy(items, item => item.look)) {
    const receipts = alike.flatMap(item => item.receipts);
    const payloads = Array.from({ length: Math.ceil(receipts.length / JOB_SIZE) }, (_unused, index) => ({
      receipts: receipts.slice(index * JOB_SIZE, (index + 1) * JOB_SIZE),
      look,
    }));
    const startAfterSeconds = LOOKS[look - 1] ?? 0;
    await alike[0]?.jobs.enqueue({ getKysely: () => sql }, earlyReceiptsJob, payloads, { startAfterSeconds });
  }
  return items.map(() => undefined);
});

/** Keeps receipts until their attempts are known, 15 minutes at most. @throws AppError `database_unavailable` */
export async function keepEarly(
  { services: { database, jobs } }: Ctx,
  receipts: readonly Receipt[],
  look = 1,
): Promise<void> {
  await keep(database)({ receipts, look, jobs });
}

async function lookAgain(
  ctx: Ctx,
  { receipts, look }: { readonly receipts: readonly Receipt[]; readonly look: number },
): Promise<void> {
  const results = await recordReceipts(ctx, receipts);
  const early = receipts.filter((_receipt, index) => results[index] === 'unmatched');
  if (early.length > 0 && look < LOOKS.length) await keepEarly(ctx, early, look + 1);
}
