/** The verb *reconcile the ledger*: holds balances, ledger and attempts against each other, and finds where they differ. */
import { type Ctx, requireOperator } from '../../context.ts';
import { PATIENCE_MS, patiently } from '../../db/postgres/bounded-client.ts';
import { runSql } from '../../db/statements/sql.ts';
import { fromUuid } from '../../kernel/ids.ts';
import { FIND_LEDGER_FAULTS, type LedgerFaultKind } from './reconcile.sql.ts';

/** Something that is wrong. */
export interface LedgerFault {
  readonly accountId: string;
  readonly kind: LedgerFaultKind;
  /** The attempt whose entries it is about; null: the whole account. */
  readonly attemptId: string | null;
  /** The stored number, by kind: spendable and held credits, held credits, the number of entries, or the cost of the attempt. */
  readonly found: number;
  /** The number that is right. */
  readonly expected: number;
}

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
  return rows.map(row => ({
    accountId: fromUuid('acc', row.account_id),
    kind: row.kind,
    attemptId: row.attempt_id === null ? null : fromUuid('att', row.attempt_id),
    found: row.found,
    expected: row.expected,
  }));
}

/** Finds the faults of the ledger, and logs each. */
export async function reconcileLedger(ctx: Ctx): Promise<void> {
  for (const { accountId, kind, attemptId, found, expected } of await findLedgerFaults(ctx))
    ctx.log.error({ accountId, fault: kind, attemptId, found, expected }, 'the ledger has a fault');
}
