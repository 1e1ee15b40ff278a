/** `audit list`. */
import { type Command, Option } from 'commander';
import { AUDIT_ACTIONS } from '../../modules/audit/audit-actions.ts';
import { addCommand, inSession } from '../gateway/session.ts';
import { type AuditEntryData, OPERATIONS } from '../operations/operations.generated.ts';
import { orDash, table } from '../output.ts';
import { readTime, readWhole } from '../values.ts';

interface ListOptions {
  readonly action?: string;
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
}

/** Adds the command that reads the audit trail. */
export function addAuditCommands(program: Command): void {
  const group = program.command('audit').description('who changed what, when and from where');
  addCommand(group, 'list [accountId]', 'list changes, of an account or of all, newest first')
    .addOption(new Option('--action <action>', 'changes of this kind').choices(AUDIT_ACTIONS))
    .option('--subject <id>', 'changes of the thing with this id')
    .option('--from <time>', 'changes made at this time or later', readTime)
    .option('--to <time>', 'changes made before this time', readTime)
    .option('--limit <n>', 'how many, 1 to 200', readWhole(1, 200))
    .action((accountId: string | undefined, { limit, ...filter }: ListOptions, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        const { action, subject, from, to } = filter;
        const variables = { accountId, first: limit, filter: { action, subject, from, to } };
        const { edges } = await operator.run(OPERATIONS.auditEntries, variables);
        out.show(
          edges.map(({ node }) => node),
          entries,
        );
        if (edges.length === 0) out.say('There is no such change.');
      }),
    );
}

function entries(rows: readonly AuditEntryData[]): string {
  return table(
    ['TIME', 'ACTION', 'SUBJECT', 'ACCOUNT', 'BY', 'FROM', 'DETAILS'],
    rows.map(row => [
      row.createdAt,
      row.action,
      orDash(row.subject),
      orDash(row.accountId),
      row.tokenId ?? row.actor,
      orDash(row.clientAddress),
      JSON.stringify(row.details),
    ]),
  );
}
