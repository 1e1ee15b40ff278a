/** `audit list`. */
import type { Command } from 'commander';
import { AUDIT_ACTIONS } from '../../modules/audit/audit-actions.ts';
import { addCommand } from '../command.ts';
import { type AuditEntryData, OPERATIONS } from '../operations/operations.generated.ts';
import { fieldOf, option } from '../options.ts';
import { columnsOf } from '../output.ts';
import { MOMENT, readMoment, readWhole } from '../values.ts';

const ENTRIES = columnsOf<AuditEntryData>({
  TIME: 'createdAt',
  ACTION: 'action',
  SUBJECT: 'subject',
  ACCOUNT: 'accountId',
  BY: row => row.tokenId ?? row.userEmail ?? row.actor,
  FROM: 'clientAddress',
  DETAILS: row => JSON.stringify(row.details),
});

const LIST = {
  action: option('<action>', 'changes of this kind', AUDIT_ACTIONS),
  subject: option('<id>', 'changes of the thing with this id'),
  since: fieldOf('from', option('<when>', `changes made then or later: ${MOMENT}`, readMoment)),
  until: fieldOf('to', option('<when>', 'changes made before it', readMoment)),
  limit: option('<n>', 'how many, 1 to 200; 50 where it is not given', readWhole(1, 200)),
};

/** Adds the command that reads the audit trail. */
export function addAuditCommands(program: Command): void {
  const group = program.command('audit').description('who changed what, when and from where');
  const list = 'list changes, of an account or of all, newest first';
  addCommand(group, 'list [accountId]', list, LIST, async ({ operator, out, options }, accountId?: string) => {
    const { action, subject, since, until, limit } = options;
    const variables = { accountId, first: limit, filter: { action, subject, from: since, to: until } };
    const { nodes } = await operator.run(OPERATIONS.auditEntries, variables);
    out.list(nodes, ENTRIES, 'There is no such change.');
  });
}
