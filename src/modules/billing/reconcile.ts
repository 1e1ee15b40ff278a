/** The verb *reconcile the ledger*: holds balances, ledger and attempts against each other, and finds where they differ. */
import { type Ctx, requireOperator } from '../../context.ts';
import { PATIENCE_MS, patiently } from '../../db/postgres/bounded-client.ts';
import { runSql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { FIND_LEDGER_FAULTS } from './reconcile.sql.ts';

/** Something that is wrong. */
export type LedgerFault = Answer<typeof FIND_LEDGER_FAULTS>;

/** The most faults that are answered: so many say that somebody must look, and the rest is found once these are mended. */
const FAULTS_MAX = 1_000;

/**
 * Finds the faults of the ledger, at most a thousand, and sets the metric of their number. Nothing is corrected: a fault with money is for people.
 * @throws AppError `unauthenticated`, `wrong_area`.
 */
export async function findLedgerFaults(ctx: Ctx): Promise<LedgerFault[]> {
  requireOperator(ctx);
  const rows = await patiently(PATIENCE_MS.wholeTables, () =>
    ctx.em.transactional(async em => {
      // The statement reads whole tables, which connections are set to avoid, and takes its time.
      const settings = "select set_config('enable_seqscan', 'on', true), set_config('statement_timeout', '0', true)";
      await runSql(em.getKysely(), settings, []);
      return FIND_LEDGER_FAULTS.run(em.getKysely(), { limit: FAULTS_MAX });
    }),
  );
  ctx.services.metrics.ledgerFaults.set(rows.length);
  return rows;
}

/** Finds the faults of the ledger, and logs each. */
export async function reconcileLedger(ctx: Ctx): Promise<void> {
  for (const { accountId, kind, attemptId, found, expected } of await findLedgerFaults(ctx))
    ctx.log.error({ accountId, fault: kind, attemptId, found, expected }, 'the ledger has a fault');
}
