/** `template list`, `template names`, `template sync` and `template create-otp`. */
import type { Command } from 'commander';
import { addCommand, type Session } from '../../command.ts';
import { readRows } from '../../gateway/operator.ts';
import { type CloudTemplateEntryData, OPERATIONS } from '../../operations/operations.generated.ts';
import { flag, option, required } from '../../options.ts';
import { columnsOf } from '../../output.ts';
import { Refusal } from '../../refusal.ts';
import { readWhole } from '../../values.ts';

const TEMPLATES = columnsOf<CloudTemplateEntryData>({
  NAME: 'name',
  LANGUAGE: 'language',
  CATEGORY: 'category',
  STATUS: 'status',
  REASON: 'reason',
  PARAMETERS: 'parameterCount',
  CONNECTION: row => row.connection?.name,
  TEXT: row => row.preview?.replaceAll(/\s+/g, ' '),
});

const LIST = {
  connection: option('<id>', 'those of this connection'),
  name: option('<text>', 'those whose names hold this'),
  language: option('<code>', 'those in this language, like en_US'),
  status: option('<status>', 'those with this status, like APPROVED'),
  category: option('<category>', 'those of this category, like AUTHENTICATION'),
  limit: option('<n>', 'how many, 1 to 200; 50 where it is not given', readWhole(1, 200)),
};

const CREATE = {
  name: required('<name>', 'its name: small letters, digits and _'),
  language: required('<code>', 'its language, like en_US'),
  codeExpirationMinutes: option('<n>', 'how long its text says that a code is good, 1 to 90', readWhole(1, 90)),
  withoutAdvice: flag('leave out the advice to tell the code to nobody'),
};

/** Adds the commands on templates of cloud chats. */
export function addTemplateCommands(program: Command): void {
  const group = program.command('template').description('the templates of cloud chats');
  addCommand(group, 'list', 'list them, by name', LIST, async ({ operator, out, options }) => {
    const { connection: connectionId, limit: first, name, language, status, category } = options;
    const filter = { connectionId, name, language, status, category };
    const { nodes } = await operator.run(OPERATIONS.cloudTemplates, { first, filter });
    out.list(nodes, TEMPLATES, 'No such template is known. `template sync` asks a provider for its own.');
  });
  const names = 'print the approved ones as --cloud-template takes them; shells complete by it';
  const printNames = async (session: Session) => {
    const words = await readNames(session);
    session.out.show(words, () => words.join('\n'));
  };
  addCommand(group, 'names', names, {}, printNames, { runningOnly: true });
  const sync = 'ask the provider of a connection for its templates; by itself that is done each hour';
  addCommand(group, 'sync <connectionId>', sync, {}, async ({ operator, out }, connectionId: string) => {
    const made = await operator.run(OPERATIONS.syncTemplates, { connectionId });
    if (made.result !== 'works') throw new Refusal(null, made.message);
    out.show(made, ({ message }) => message);
  });
  const create = 'let the provider of a connection make a template for codes';
  addCommand(
    group,
    'create-otp <connectionId>',
    create,
    CREATE,
    async ({ operator, out, options }, connectionId: string) => {
      const { name, language, codeExpirationMinutes, withoutAdvice } = options;
      const addSecurityRecommendation = withoutAdvice ? false : undefined;
      const input = { connectionId, name, language, codeExpirationMinutes, addSecurityRecommendation };
      const { template, message } = await operator.run(OPERATIONS.createOtpTemplate, { input });
      if (!template) throw new Refusal(null, message);
      out.show(template, TEMPLATES.one);
      out.say(message);
    },
  );
}

/** All that are approved, as `--cloud-template` takes them. */
async function readNames({ operator }: Session): Promise<readonly string[]> {
  const filter = { status: 'APPROVED' };
  const found = await readRows(Number.POSITIVE_INFINITY, page =>
    operator.run(OPERATIONS.templateNames, { ...page, filter }),
  );
  return [...new Set(found.map(({ name, language }) => `${name}:${language}`))];
}
