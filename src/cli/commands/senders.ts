/** `sender add`, `sender approve` and `sender list`. */
import type { Command } from 'commander';
import { CHANNELS } from '../../kernel/channel.ts';
import { addCommand } from '../command.ts';
import { OPERATIONS, type SenderData } from '../operations/operations.generated.ts';
import { option } from '../options.ts';
import { columnsOf, yesNo } from '../output.ts';
import { enumName } from '../values.ts';

const SENDERS = columnsOf<SenderData>({
  SENDER: 'id',
  CHANNEL: 'channel',
  NAME: 'name',
  APPROVED: row => yesNo(row.approved),
  DEFAULT: row => yesNo(row.isDefault),
  CREATED: 'createdAt',
});

const CHANNEL = { channel: option('<channel>', 'the channel that it sends over; sms where it is not given', CHANNELS) };

/** Adds the commands on senders. */
export function addSenderCommands(program: Command): void {
  const group = program.command('sender').description('the sender names and numbers of an account');
  addChange(group, 'add', 'add a sender, not approved yet', OPERATIONS.addSender);
  addChange(group, 'approve', 'approve a sender', OPERATIONS.approveSender);
  const list = 'list the senders of an account, oldest first';
  addCommand(group, 'list <accountId>', list, {}, async ({ operator, out }, _options, accountId: string) => {
    out.list(await operator.run(OPERATIONS.senders, { accountId }), SENDERS, 'The account has no sender yet.');
  });
}

function addChange(group: Command, verb: string, description: string, operation: typeof OPERATIONS.addSender): void {
  addCommand(
    group,
    `${verb} <accountId> <name>`,
    description,
    CHANNEL,
    async ({ operator, out }, { channel = 'sms' }, accountId: string, name: string) => {
      const input = { accountId, name, channel: enumName(channel) };
      out.show(await operator.run(operation, { input }), SENDERS.one);
    },
  );
}
