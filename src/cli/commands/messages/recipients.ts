/** `recipient export` and `recipient erase`. */
import type { Command } from 'commander';
import { type AccountSession, addAccountCommand } from '../../command.ts';
import { OPERATIONS, type RecipientExportData } from '../../operations/operations.generated.ts';
import { confirmed } from '../../terminal/confirm.ts';

/** How far a document for people is indented. */
const INDENT = 2;

/** Adds the commands on all that is held of a recipient. */
export function addRecipientCommands(program: Command): void {
  const group = program.command('recipient').description('all that is held of a recipient');
  addAccountCommand(
    group,
    'export <number>',
    'print it as one JSON document: sends, answers, notes, consent, webhooks',
    {},
    async (session, to: string) => {
      session.out.show(await exportAll(session, to), whole => JSON.stringify(whole, null, INDENT));
    },
  );
  const erase = addAccountCommand(
    group,
    'erase <number>',
    'blank the number, the ids and the texts of a person everywhere, for good',
    {},
    async ({ operator, out, accountId }, to: string) => {
      const erased = await operator.run(OPERATIONS.eraseRecipient, { to }, accountId);
      out.show(erased, () => '');
      const rows = Object.values(erased.rows).reduce((sum: number, count) => sum + Number(count), 0);
      out.say(
        `${rows} rows were blanked or deleted.${erased.isSuppressed ? ' The stop of the recipient holds on.' : ''}`,
      );
    },
  );
  confirmed(erase, { question: to => `Erase all that is held of ${to} for good` });
}

/** Everything, page after page, as one document. */
async function exportAll({ operator, accountId }: AccountSession, to: string) {
  const records: RecipientExportData['records'][number][] = [];
  for (let cursor: string | null = null; ; ) {
    const page: RecipientExportData = await operator.run(OPERATIONS.exportRecipient, { to, cursor }, accountId);
    records.push(...page.records);
    cursor = page.nextCursor;
    if (cursor === null) return { to: page.to, addresses: page.addresses, records };
  }
}
