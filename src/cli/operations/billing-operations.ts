/** The operations of the command line on money. */
import { z } from 'zod';
import { operation, text, time, word } from './operation.ts';

const balance = z.object({
  accountId: text,
  credits: z.int(),
  held: z.int(),
  lowBalanceThreshold: z.int().nullable(),
  lowBalanceSince: time.nullable(),
  dailySpendCap: z.int().nullable(),
  spentToday: z.int(),
});
const balanceFields = 'accountId credits held lowBalanceThreshold lowBalanceSince dailySpendCap spentToday';

const ledgerEntry = z.object({
  id: text,
  kind: word,
  credits: z.int(),
  held: z.int(),
  attemptId: text.nullable(),
  reason: text.nullable(),
  reference: text.nullable(),
  createdAt: time,
});

const ledgerFault = z.object({
  accountId: text,
  kind: word,
  attemptId: text.nullable(),
  found: z.number(),
  expected: z.number(),
});

/** The balance of an account, as commands show it. */
export type BalanceData = z.output<typeof balance>;
/** An entry of the ledger, as commands show it. */
export type LedgerEntryData = z.output<typeof ledgerEntry>;
/** A fault of the ledger, as `balance check` shows it. */
export type LedgerFaultData = z.output<typeof ledgerFault>;

/** Those operations by name. */
export const BILLING_OPERATIONS = {
  balance: operation(
    `query Balance($accountId: String) { result: balance(accountId: $accountId) { ${balanceFields} } }`,
    balance,
  ),
  adjustBalance: operation(
    `mutation AdjustBalance($input: AdjustBalanceInput!) { result: adjustBalance(input: $input) { ${balanceFields} } }`,
    balance,
  ),
  updateBilling: operation(
    `mutation UpdateBilling($input: UpdateBillingInput!) { result: updateBilling(input: $input) { ${balanceFields} } }`,
    balance,
  ),
  ledger: operation(
    `query Ledger($first: Int, $filter: LedgerFilter) {
      result: ledger(first: $first, filter: $filter) {
        edges { node { id kind credits held attemptId reason reference createdAt } }
      }
    }`,
    z.object({ edges: z.array(z.object({ node: ledgerEntry })) }),
  ),
  ledgerFaults: operation(
    'query LedgerFaults { result: ledgerFaults { accountId kind attemptId found expected } }',
    z.array(ledgerFault),
  ),
} as const;
