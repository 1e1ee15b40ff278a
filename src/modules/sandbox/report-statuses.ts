import type { Receipt } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { recordReceipts } from '../routing/receipts/record-receipts.ts';

/**
 * The verb *report statuses*: records the receipts of the sandbox's phones.
 * @throws Error if a receipt matches no attempt yet, so that the job retries all of them; repeated receipts change
 * nothing
 */
export async function reportStatuses(ctx: Ctx, receipts: readonly Receipt[]): Promise<void> {
  const results = await recordReceipts(ctx, receipts);
  const unmatched = results.filter(result => result === 'unmatched').length;
  if (unmatched > 0) throw new Error(`${unmatched} of ${receipts.length} receipts match no attempt yet`);
}
