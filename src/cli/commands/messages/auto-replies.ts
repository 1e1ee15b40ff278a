/** `auto-reply list`, `set` and `remove`. */
import type { Command } from 'commander';
import { addAccountCommand } from '../../command.ts';
import { type AutoReplyData, OPERATIONS } from '../../operations/operations.generated.ts';
import { required } from '../../options.ts';
import { columnsOf } from '../../output.ts';
import { ROUTE } from '../../route.ts';

const REPLIES = columnsOf<AutoReplyData>({
  KEYWORD: 'keyword',
  TEXT: 'text',
  TEMPLATE: ({ cloudTemplate }) => cloudTemplate && `${cloudTemplate.name} (${cloudTemplate.language})`,
  SINCE: 'updatedAt',
});

const SET = {
  text: required('<text>', 'the answer'),
  cloudTemplate: ROUTE.cloudTemplate,
};

/** Adds the commands on the answers to keywords. */
export function addAutoReplyCommands(program: Command): void {
  const group = program.command('auto-reply').description('answers to keywords that people write');
  addAccountCommand(group, 'list', 'list them, by keyword', {}, async ({ operator, out, accountId }) => {
    const replies = await operator.run(OPERATIONS.autoReplies, {}, accountId);
    out.list(replies, REPLIES, 'The account answers no keyword.');
  });
  addAccountCommand(
    group,
    'set <keyword>',
    'answer a keyword, once an hour to each person; what it had is replaced',
    SET,
    async ({ operator, out, accountId, options: { text, cloudTemplate } }, keyword: string) => {
      const input = { keyword, text, cloudTemplate };
      out.show(await operator.run(OPERATIONS.setAutoReply, { input }, accountId), REPLIES.one);
    },
  );
  addAccountCommand(
    group,
    'remove <keyword>',
    'answer a keyword no more',
    {},
    async ({ operator, out, accountId }, keyword: string) => {
      const removed = await operator.run(OPERATIONS.removeAutoReply, { keyword }, accountId);
      out.show(removed, REPLIES.one);
      out.say(`${removed.keyword} is not answered any more.`);
    },
  );
}
