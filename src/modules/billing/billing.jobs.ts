/** The jobs of billing. */
import { defineRecurring } from '../../queue/kit.ts';
import { reconcileLedger } from './reconcile.ts';

/** Holds balances, ledger and attempts against each other, every night. */
export const reconcileLedgerJob = defineRecurring({
  name: 'reconcile-ledger',
  queue: { retryLimit: 3, retryDelay: 300, retryBackoff: true, expireInSeconds: 3_600, deleteAfterSeconds: 7 * 86_400 },
  cron: '15 3 * * *',
  run: reconcileLedger,
});
