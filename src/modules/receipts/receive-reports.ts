/** The verb *receive reports*: what a provider reports by a connection becomes receipts; those that come before their attempt wait for it (contract §13). */
import type { Receipt, Report } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { isStorableJson } from '../../kernel/storable.ts';
import { recordReceipts } from '../routing/receipts/record-receipts.ts';
import { withinBudget } from './early-budget.ts';
import { keepEarly } from './early-receipts.ts';

/** The connection that reports come by. */
interface ReportingConnection {
  readonly id: string;
  /** The id of its provider. */
  readonly providerId: string;
}

/**
 * Stores the reports of a connection, and resolves when all are committed. A report raises an attempt, tells nothing new, or waits for its attempt;
 * where too many wait, it is dropped.
 * @throws AppError `database_unavailable`: the provider has to report again
 */
export async function receiveReports(
  ctx: Ctx,
  { id: connectionId, providerId: provider }: ReportingConnection,
  reports: readonly Report[],
): Promise<void> {
  const receipts = reports.map((report): Receipt => ({ ...report, provider, connectionId }));
  const results = await recordReceipts(ctx, receipts);
  // Ids that cannot be stored are those of no attempt, ever.
  const unmatched = receipts.filter((receipt, index) => results[index] === 'unmatched' && isStorableJson(receipt));
  const early = withinBudget(ctx, unmatched);
  if (early.length > 0) await keepEarly(ctx, early);
}
