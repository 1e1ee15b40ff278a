/** `balance show`, `balance add`, `balance set`, `balance ledger` and `balance check`. */
import { type Command, Option } from 'commander';
import { CREDITS_MAX } from '../../modules/billing/credits-max.ts';
import type { LedgerKind } from '../../modules/billing/ledger-entry.entity.ts';
import { addCommand, inSession } from '../gateway/session.ts';
import type { BalanceData, LedgerEntryData, LedgerFaultData } from '../operations/operations.generated.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';
import { orDash, table } from '../output.ts';
import { Refusal } from '../refusal.ts';
import { enumName, type Given, readWhole, readWholeOrNegative, readWholeOrNone } from '../values.ts';

const KINDS: readonly LedgerKind[] = ['adjustment', 'hold', 'capture', 'release', 'charge'];

interface SetOptions {
  readonly low?: Given<number>;
  readonly dailyCap?: Given<number>;
}

interface LedgerOptions {
  readonly limit?: number;
  readonly kind?: LedgerKind;
}

/** Adds the commands on money. */
export function addBalanceCommands(program: Command): void {
  const group = program.command('balance').description('the credits of an account, and what became of them');
  addCommand(group, 'show <accountId>', 'show what an account can spend, and what its sends hold').action(
    (accountId: string, _options: object, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        out.show(await operator.run(OPERATIONS.balance, { accountId }), balance);
      }),
  );
  addAdd(group);
  addSet(group);
  addLedger(group);
  addCheck(group);
}

function addAdd(group: Command): void {
  addCommand(group, 'add <accountId>', 'give credits to an account; fewer than 0 are taken away')
    .argument('<credits>', 'how many', readWholeOrNegative(CREDITS_MAX))
    .requiredOption('--reason <text>', 'why; the account sees it in its ledger')
    .option('--reference <text>', 'makes it safe to repeat: the same reference adjusts once')
    .action(
      (
        accountId: string,
        credits: number,
        { reason, reference }: { readonly reason: string; readonly reference?: string },
        command: Command,
      ) =>
        inSession(command, async ({ operator, out }) => {
          const input = { accountId, credits, reason, reference };
          out.show(await operator.run(OPERATIONS.adjustBalance, { input }), balance);
        }),
    );
}

function addSet(group: Command): void {
  addCommand(group, 'set <accountId>', 'set when a balance is low and what may be spent; what is not given stays')
    .option('--low <n|none>', 'below so many credits the balance is low', readWholeOrNone(1, CREDITS_MAX))
    .option(
      '--daily-cap <n|none>',
      'the most credits that sends may cost in a day (UTC)',
      readWholeOrNone(0, CREDITS_MAX),
    )
    .action(async (accountId: string, { low, dailyCap }: SetOptions, command: Command) => {
      if (low === undefined && dailyCap === undefined)
        command.error('error: give at least one of --low and --daily-cap');
      await inSession(command, async ({ operator, out }) => {
        const input = { accountId, lowBalanceThreshold: low?.value, dailySpendCap: dailyCap?.value };
        out.show(await operator.run(OPERATIONS.updateBilling, { input }), balance);
      });
    });
}

function addLedger(group: Command): void {
  addCommand(group, 'ledger <accountId>', 'list every change of a balance, newest first')
    .option('--limit <n>', 'how many entries, 1 to 200', readWhole(1, 200))
    .addOption(new Option('--kind <kind>', 'entries of this kind').choices(KINDS))
    .action((accountId: string, { limit, kind }: LedgerOptions, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        const variables = { first: limit, filter: { kind: enumName(kind) } };
        const { edges } = await operator.run(OPERATIONS.ledger, variables, accountId);
        const entries = edges.map(({ node }) => node);
        out.show(entries, ledger);
        if (entries.length === 0) out.say('The ledger has no such entry.');
      }),
    );
}

function addCheck(group: Command): void {
  addCommand(
    group,
    'check',
    'hold balances, ledger and attempts against each other; status 1 where they differ',
  ).action((_options: object, command: Command) =>
    inSession(command, async ({ operator, out }) => {
      const found = await operator.run(OPERATIONS.ledgerFaults, {});
      out.show(found, faults);
      if (found.length > 0) throw new Refusal(null, `The ledger has faults: ${found.length}.`);
      out.say('The ledger has no fault.');
    }),
  );
}

function balance(data: BalanceData): string {
  const { accountId, credits, held, lowBalanceThreshold, lowBalanceSince, dailySpendCap, spentToday } = data;
  return table(
    ['ACCOUNT', 'CREDITS', 'HELD', 'LOW BELOW', 'LOW SINCE', 'SPENT TODAY', 'DAILY CAP'],
    [
      [
        accountId,
        String(credits),
        String(held),
        lowBalanceThreshold === null ? 'none' : String(lowBalanceThreshold),
        orDash(lowBalanceSince),
        String(spentToday),
        dailySpendCap === null ? 'none' : String(dailySpendCap),
      ],
    ],
  );
}

function ledger(rows: readonly LedgerEntryData[]): string {
  return table(
    ['TIME', 'KIND', 'CREDITS', 'HELD', 'ATTEMPT', 'REASON', 'REFERENCE', 'ENTRY'],
    rows.map(row => [
      row.createdAt,
      row.kind,
      String(row.credits),
      String(row.held),
      orDash(row.attemptId),
      orDash(row.reason),
      orDash(row.reference),
      row.id,
    ]),
  );
}

function faults(rows: readonly LedgerFaultData[]): string {
  return table(
    ['ACCOUNT', 'FAULT', 'ATTEMPT', 'FOUND', 'EXPECTED'],
    rows.map(row => [row.accountId, row.kind, orDash(row.attemptId), String(row.found), String(row.expected)]),
  );
}
