/** `balance show`, `balance add`, `balance set`, `balance ledger` and `balance check`. */
import type { Command } from 'commander';
import { CREDITS_MAX } from '../../modules/billing/credits-max.ts';
import type { LedgerKind } from '../../modules/billing/ledger-entry.entity.ts';
import { addCommand } from '../command.ts';
import { readRows } from '../gateway/operator.ts';
import {
  type BalanceData,
  type LedgerEntryData,
  type LedgerFaultData,
  OPERATIONS,
} from '../operations/operations.generated.ts';
import { fieldOf, needsSome, option, required } from '../options.ts';
import { columnsOf } from '../output.ts';
import { Refusal } from '../refusal.ts';
import { enumName, readWhole, readWholeOrNegative, readWholeOrNone } from '../values.ts';

/** Written out, so that the entities are not loaded for it. */
const KINDS: readonly LedgerKind[] = ['adjustment', 'hold', 'capture', 'release', 'charge'];

const BALANCE = columnsOf<BalanceData>({
  ACCOUNT: 'accountId',
  CREDITS: 'credits',
  HELD: 'held',
  'LOW BELOW': row => row.lowBalanceThreshold ?? 'none',
  'LOW SINCE': 'lowBalanceSince',
  'SPENT TODAY': 'spentToday',
  'DAILY CAP': row => row.dailySpendCap ?? 'none',
});

const LEDGER = columnsOf<LedgerEntryData>({
  TIME: 'createdAt',
  KIND: 'kind',
  CREDITS: 'credits',
  HELD: 'held',
  ATTEMPT: 'attemptId',
  REASON: 'reason',
  REFERENCE: 'reference',
  ENTRY: 'id',
});

const FAULTS = columnsOf<LedgerFaultData>({
  ACCOUNT: 'accountId',
  FAULT: 'kind',
  ATTEMPT: 'attemptId',
  FOUND: 'found',
  EXPECTED: 'expected',
});

const ADD = {
  reason: required('<text>', 'why; the account sees it in its ledger'),
  reference: option('<text>', 'makes it safe to repeat: the same reference adjusts once'),
};

const SET = {
  low: fieldOf(
    'lowBalanceThreshold',
    option('<n|none>', 'below so many credits the balance is low', readWholeOrNone(1, CREDITS_MAX)),
  ),
  dailyCap: fieldOf(
    'dailySpendCap',
    option('<n|none>', 'the most credits that sends may cost in a day (UTC)', readWholeOrNone(0, CREDITS_MAX)),
  ),
};

const LIST = {
  limit: fieldOf('first', option('<n>', 'how many entries, 1 to 200; 50 where it is not given', readWhole(1, 200))),
  kind: option('<kind>', 'entries of this kind', KINDS),
};

/** Adds the commands on money. */
export function addBalanceCommands(program: Command): void {
  const group = program.command('balance').description('the credits of an account, and what became of them');
  const show = 'show what an account can spend, and what its sends hold';
  addCommand(group, 'show <accountId>', show, {}, async ({ operator, out }, accountId: string) => {
    out.show(await operator.run(OPERATIONS.balance, { accountId }), BALANCE.one);
  });
  addCommand(
    group,
    'add <accountId>',
    'give credits to an account; fewer than 0 are taken away',
    ADD,
    async ({ operator, out, options: { reason, reference } }, accountId: string, credits: number) => {
      const input = { accountId, credits, reason, reference };
      out.show(await operator.run(OPERATIONS.adjustBalance, { input }), BALANCE.one);
    },
  ).argument('<credits>', 'how many', readWholeOrNegative(CREDITS_MAX));
  const set = 'set when a balance is low and what may be spent; what is not given stays';
  addCommand(group, 'set <accountId>', set, SET, async ({ operator, out, options }, accountId: string) => {
    const { low, dailyCap } = options;
    const input = { accountId, lowBalanceThreshold: low?.value, dailySpendCap: dailyCap?.value };
    out.show(await operator.run(OPERATIONS.updateBilling, { input }), BALANCE.one);
  }).hook('preAction', needsSome);
  const list = 'list every change of a balance, newest first';
  addCommand(group, 'ledger <accountId>', list, LIST, async ({ operator, out, options }, accountId: string) => {
    const filter = { kind: enumName(options.kind) };
    const found = await readRows(options.limit, page =>
      operator.run(OPERATIONS.ledger, { ...page, filter }, accountId),
    );
    out.list(found, LEDGER, 'The ledger has no such entry.');
  });
  const check = 'hold balances, ledger and attempts against each other; status 1 where they differ';
  addCommand(group, 'check', check, {}, async ({ operator, out }) => {
    const found = await operator.run(OPERATIONS.ledgerFaults, {});
    out.show(found, FAULTS.table);
    if (found.length > 0) throw new Refusal(null, `The ledger has faults: ${found.length}.`);
    out.say('The ledger has no fault.');
  });
}
