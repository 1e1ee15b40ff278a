/** Receipts that come before their attempt is known: the answer with the provider's id is still under way, or in another process. They wait 15 minutes. */
import { z } from 'zod';
import { type Receipt, receiptSchema } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { defineBatch } from '../../db/batch.ts';
import { defineJob, type Jobs } from '../../queue/kit.ts';
import { gatherParts } from '../routing/receipts/parts.ts';
import { recordReceipts } from '../routing/receipts/record-receipts.ts';

/** How long a receipt waits for its attempt (contract §13). */
const WAIT_MS = 15 * 60_000;

/** The first look comes soon: most answers are only a moment behind. */
const FIRST_LOOK_SECONDS = 1;

/** The longest from one look to the next. */
const LOOK_SECONDS_MAX = 60;

/** How many receipts are one job. */
const JOB_SIZE = 200;

/** Looks again whether the attempts of early receipts are known. */
export const earlyReceiptsJob = defineJob({
  name: 'early-receipts',
  schema: z.object({ receipts: z.array(receiptSchema), since: z.iso.datetime() }),
  queue: { retryLimit: 20, retryDelay: 1, retryBackoff: true, retryDelayMax: 60, deleteAfterSeconds: 3_600 },
  pollSeconds: 1,
  run: lookAgain,
});

interface EarlyItem {
  readonly receipts: readonly Receipt[];
  readonly since: Date;
  readonly lookAfterSeconds: number;
  readonly jobs: Jobs;
}

/** Many callers' receipts are one commit: a storm of them makes few jobs. */
const keep = defineBatch<EarlyItem, void>('early receipts', async (sql, items) => {
  const em = { getKysely: () => sql };
  for (const [lookAfterSeconds, alike] of Map.groupBy(items, item => item.lookAfterSeconds)) {
    const since = new Date(Math.min(...alike.map(item => item.since.getTime()))).toISOString();
    const receipts = alike.flatMap(item => item.receipts);
    const payloads = Array.from({ length: Math.ceil(receipts.length / JOB_SIZE) }, (_unused, index) => ({
      receipts: receipts.slice(index * JOB_SIZE, (index + 1) * JOB_SIZE),
      since,
    }));
    await alike[0]?.jobs.enqueue(em, earlyReceiptsJob, payloads, { startAfterSeconds: lookAfterSeconds });
  }
  return items.map(() => undefined);
});

/** Keeps receipts until their attempts are known, at most 15 minutes. @throws AppError `database_unavailable` */
export async function keepEarly(
  { clock, services: { database, jobs } }: Ctx,
  receipts: readonly Receipt[],
  since = clock.now(),
  lookAfterSeconds = FIRST_LOOK_SECONDS,
): Promise<void> {
  await keep(database)({ receipts, since, lookAfterSeconds, jobs });
}

async function lookAgain(
  ctx: Ctx,
  { receipts, since: text }: { readonly receipts: readonly Receipt[]; readonly since: string },
): Promise<void> {
  const whole = await gatherParts(ctx, receipts);
  const results = await recordReceipts(ctx, whole);
  const early = whole.filter((_receipt, index) => results[index] === 'unmatched');
  if (early.length === 0) return;
  const since = new Date(text);
  const ageMs = ctx.clock.now().getTime() - since.getTime();
  if (ageMs >= WAIT_MS) return;
  // Twice as old at each look.
  const nextSeconds = Math.min(LOOK_SECONDS_MAX, Math.max(FIRST_LOOK_SECONDS, Math.round(ageMs / 1_000)));
  await keepEarly(ctx, early, since, nextSeconds);
}
