/** `message show`. */
import type { Command } from 'commander';
import { type Asker, addAccountCommand } from '../../command.ts';
import { type MessageStoryData, OPERATIONS } from '../../operations/operations.generated.ts';
import { columnsOf } from '../../output.ts';
import { Refusal } from '../../refusal.ts';
import { paintStanding, type Screen } from '../../table.ts';

const ATTEMPTS = columnsOf<MessageStoryData['attempts'][number]>({
  STARTED: 'startedAt',
  CHANNEL: 'channel',
  PROVIDER: row => row.connection?.name ?? row.provider,
  STATUS: 'status',
  MS: row => row.finishedAt && Date.parse(row.finishedAt) - Date.parse(row.startedAt),
  SEGMENTS: 'segments',
  CREDITS: 'credits',
  ERROR: row => (row.errorMessage === null ? row.errorCode : `${row.errorCode}: ${row.errorMessage}`),
  ATTEMPT: 'attemptId',
});

/** The timeline of a message: routing, attempts, reports of the provider, and webhooks. */
const STEPS = columnsOf<MessageStoryData['timeline'][number]>({
  AFTER: row => `${row.sinceMs} ms`,
  STEP: row => row.kind.replaceAll('_', ' '),
  CHANNEL: 'channel',
  WHAT: 'reason',
});

/** The prefix of ids of messages. */
const ID = /^msg_/;

/** Adds the commands on what was sent. */
export function addMessageCommands(program: Command): void {
  const group = program.command('message').description('what was sent');
  const show =
    'show a message with every attempt and what happened since, by its id, or the newest one with a reference';
  addAccountCommand(group, 'show <message>', show, {}, async (session, name: string) => {
    session.out.show(await storyOf(session, name), readable);
  });
}

const nameOf = (name: string): string => (ID.test(name) ? 'id' : 'reference');

/** The message with this id or reference. @throws Refusal where there is none */
export async function storyOf(asker: Asker, name: string): Promise<MessageStoryData> {
  const message = await findMessage(asker, name);
  if (message) return message;
  throw new Refusal('not_found', `There is no message with the ${nameOf(name)} ${name}.`);
}

/** The message with this id, or the newest one with this reference. */
export async function findMessage({ operator, accountId }: Asker, name: string): Promise<MessageStoryData | null> {
  if (ID.test(name)) return operator.run(OPERATIONS.messageById, { id: name }, accountId);
  const { nodes } = await operator.run(OPERATIONS.messagesByReference, { reference: name }, accountId);
  return nodes[0] ?? null;
}

function readable(message: MessageStoryData, screen: Screen): string {
  const { messageId, recipient, status, deliveryMode, channels, sender, chatFrom, reference, createdAt } = message;
  const facts: readonly (readonly [string, string | null])[] = [
    ['message', messageId],
    ['status', paintStanding(status, screen)],
    ['to', recipient],
    ['from', [sender, chatFrom].filter(from => from !== null).join(', ') || null],
    ['channels', `${channels.join(', ')} (${deliveryMode})`],
    ['reference', reference],
    ['created', createdAt],
  ];
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(9)}  ${value}`]));
  const tables = [ATTEMPTS.table(message.attempts, screen), STEPS.table(message.timeline, screen)];
  return [lines.join('\n'), ...tables.filter(shown => shown !== '')].join('\n\n');
}
