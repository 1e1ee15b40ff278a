/** `sender add`, `sender approve`, `sender template`, `sender list` and `sender rule …`. */
import type { Command } from 'commander';
import { CHANNELS, DEFAULT_CHANNEL } from '../../kernel/channel.ts';
import { ALPHANUMERIC_RULES } from '../../modules/sender-rules/sender-rule.policy.ts';
import { addCommand } from '../command.ts';
import { OPERATIONS, type SenderData, type SenderRuleData } from '../operations/operations.generated.ts';
import { fieldOf, option, required } from '../options.ts';
import { columnsOf, yesNo } from '../output.ts';
import { confirmed } from '../terminal/confirm.ts';
import { enumName } from '../values.ts';

const SENDERS = columnsOf<SenderData>({
  SENDER: 'id',
  CHANNEL: 'channel',
  NAME: 'name',
  APPROVED: row => yesNo(row.approved),
  DEFAULT: row => yesNo(row.isDefault),
  CREATED: 'createdAt',
});

const RULED = columnsOf<SenderData>({
  NUMBER: 'name',
  'NEEDS A TEMPLATE': ({ templateRequired }) => (templateRequired ? 'always' : 'outside of 24 hours'),
});

const CHANNEL = {
  channel: option('<channel>', `the channel that it sends over; ${DEFAULT_CHANNEL} where it is not given`, CHANNELS),
};

const RULES = columnsOf<SenderRuleData>({
  COUNTRY: 'country',
  CONNECTION: row => row.connectionId ?? 'all',
  'SENDER NAMES': 'alphanumeric',
  NUMBER: 'numericSender',
  SET: 'updatedAt',
});

const CONNECTION = {
  connection: fieldOf('connectionId', option('<connectionId>', 'for one connection, before the rule of all')),
};

const SET_RULE = {
  alphanumeric: required('<what>', 'what becomes of an SMS whose sender is a name', ALPHANUMERIC_RULES),
  number: fieldOf('numericSender', option('<number>', 'the number or short code that sends instead, for replaced')),
  ...CONNECTION,
};

/** Adds the commands on senders. */
export function addSenderCommands(program: Command): void {
  const group = program.command('sender').description('the sender names and numbers of accounts');
  addChange(group, 'add', 'add a sender, not approved yet', OPERATIONS.addSender);
  addChange(group, 'approve', 'approve a sender', OPERATIONS.approveSender);
  const list = 'list the senders of an account, oldest first';
  addCommand(group, 'list <accountId>', list, {}, async ({ operator, out }, accountId: string) => {
    out.list(await operator.run(OPERATIONS.senders, { accountId }), SENDERS, 'The account has no sender yet.');
  });
  addCommand(
    group,
    'template <accountId> <cloudNumber>',
    'set when a message by a cloud number needs a template',
    {
      needs: required('<when>', 'always, or outside of the 24 hours after the recipient wrote', ['always', 'outside']),
    },
    async ({ operator, out, options: { needs } }, accountId: string, address: string) => {
      const input = { accountId, address, isRequired: needs === 'always' };
      out.show(await operator.run(OPERATIONS.setTemplateRequired, { input }), RULED.one);
    },
  );
  addRuleCommands(group);
}

function addRuleCommands(senders: Command): void {
  const group = senders.command('rule').description('what becomes of sender names where only numbers can send');
  const set = 'set the rule of a country, like US';
  addCommand(group, 'set <country>', set, SET_RULE, async ({ operator, out, options }, country: string) => {
    const { alphanumeric, number: numericSender, connection: connectionId } = options;
    const input = { country, connectionId, alphanumeric: enumName(alphanumeric), numericSender };
    out.show(await operator.run(OPERATIONS.setSenderRule, { input }), RULES.one);
  });
  addCommand(group, 'list', 'list every rule, by country', {}, async ({ operator, out }) => {
    const none = 'There is no rule: every SMS goes out from the sender of its request.';
    out.list(await operator.run(OPERATIONS.senderRules, {}), RULES, none);
  });
  const remove = 'remove the rule of a country';
  const removing = addCommand(
    group,
    'remove <country>',
    remove,
    CONNECTION,
    async ({ operator, out, options }, country: string) => {
      const { connection: connectionId } = options;
      out.show(await operator.run(OPERATIONS.removeSenderRule, { country, connectionId }), RULES.one);
      out.say(`The rule of ${country.toUpperCase()} is removed.`);
    },
  );
  confirmed(removing, { question: country => `Remove the rule of ${country.toUpperCase()}` });
}

function addChange(group: Command, verb: string, description: string, operation: typeof OPERATIONS.addSender): void {
  addCommand(
    group,
    `${verb} <accountId> <name>`,
    description,
    CHANNEL,
    async ({ operator, out, options: { channel = DEFAULT_CHANNEL } }, accountId: string, name: string) => {
      const input = { accountId, name, channel: enumName(channel) };
      out.show(await operator.run(operation, { input }), SENDERS.one);
    },
  );
}
