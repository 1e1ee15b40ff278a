/** The verb *report statuses*: the sandbox's phones tell the gateway what became of what arrived. */
import type { Receipt } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { recordReceipts } from '../routing/record-receipts.ts';

/** Records the receipts. @throws Error where one names nothing yet, so that all are reported again: statuses only move up, so that is harmless. */
export async function reportStatuses(ctx: Ctx, receipts: readonly Receipt[]): Promise<void> {
  const results = await recordReceipts(ctx, receipts);
  const unmatched = results.filter(result => result === 'unmatched').length;
  if (unmatched > 0) throw new Error(`${unmatched} of ${receipts.length} receipts match no attempt yet`);
}
