/** `sender add`, `sender approve` and `sender list`. */
import { type Command, Option } from 'commander';
import { CHANNELS, type Channel } from '../../kernel/channel.ts';
import { addCommand, inSession } from '../gateway/session.ts';
import { OPERATIONS, type SenderData } from '../operations/operations.generated.ts';
import { table, yesNo } from '../output.ts';
import { enumName } from '../values.ts';

/** Adds the commands on senders. */
export function addSenderCommands(program: Command): void {
  const group = program.command('sender').description('the sender names and numbers of an account');
  addChange(group, 'add', 'add a sender, not approved yet', OPERATIONS.addSender);
  addChange(group, 'approve', 'approve a sender', OPERATIONS.approveSender);
  addCommand(group, 'list <accountId>', 'list the senders of an account, oldest first').action(
    (accountId: string, _options: object, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        const found = await operator.run(OPERATIONS.senders, { accountId });
        out.show(found, senders);
        if (found.length === 0) out.say('The account has no sender yet.');
      }),
  );
}

function addChange(group: Command, verb: string, description: string, operation: typeof OPERATIONS.addSender): void {
  addCommand(group, `${verb} <accountId> <name>`, description)
    .addOption(new Option('--channel <channel>', 'the channel that it sends over').choices(CHANNELS).default('sms'))
    .action((accountId: string, name: string, { channel }: { readonly channel: Channel }, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        const input = { accountId, name, channel: enumName(channel) };
        out.show(await operator.run(operation, { input }), sender => senders([sender]));
      }),
    );
}

function senders(rows: readonly SenderData[]): string {
  return table(
    ['SENDER', 'CHANNEL', 'NAME', 'APPROVED', 'DEFAULT', 'CREATED'],
    rows.map(row => [row.id, row.channel, row.name, yesNo(row.approved), yesNo(row.isDefault), row.createdAt]),
  );
}
