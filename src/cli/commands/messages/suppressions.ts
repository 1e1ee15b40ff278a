/** `suppression list`, `add` and `remove`. */
import type { Command } from 'commander';
import { addAccountCommand } from '../../command.ts';
import { OPERATIONS, type SuppressionData } from '../../operations/operations.generated.ts';
import { option } from '../../options.ts';
import { columnsOf } from '../../output.ts';
import { readWhole } from '../../values.ts';

const SUPPRESSIONS = columnsOf<SuppressionData>({
  RECIPIENT: 'to',
  BY: 'origin',
  REASON: 'reason',
  MESSAGE: 'messageId',
  SINCE: 'createdAt',
});

const LIST = { limit: option('<n>', 'how many, 1 to 200; 50 where it is not given', readWhole(1, 200)) };
const ADD = { reason: option('<text>', 'why, for those who read the list') };

/** Adds the commands on recipients who get no messages. */
export function addSuppressionCommands(program: Command): void {
  const group = program.command('suppression').description('recipients who get no messages');
  addAccountCommand(
    group,
    'list',
    'list them, the newest first',
    LIST,
    async ({ operator, out, accountId, options }) => {
      const { nodes } = await operator.run(OPERATIONS.suppressions, { first: options.limit }, accountId);
      out.list(nodes, SUPPRESSIONS, 'Nobody is suppressed.');
    },
  );
  const add = 'send a recipient nothing more but passcodes';
  addAccountCommand(group, 'add <number>', add, ADD, async ({ operator, out, accountId, options }, to: string) => {
    const input = { to, reason: options.reason };
    out.show(await operator.run(OPERATIONS.suppress, { input }, accountId), SUPPRESSIONS.one);
  });
  const remove = 'send a recipient messages again';
  addAccountCommand(group, 'remove <number>', remove, {}, async ({ operator, out, accountId }, to: string) => {
    out.show(await operator.run(OPERATIONS.unsuppress, { to }, accountId), SUPPRESSIONS.one);
    out.say(`${to} gets messages again.`);
  });
}
