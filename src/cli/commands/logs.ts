/** `logs`. */
import type { Command } from 'commander';
import { CHANNELS } from '../../kernel/channel.ts';
import { LOG_STATUSES } from '../../kernel/status.ts';
import { LOG_TYPES } from '../../modules/answers/log.data.ts';
import { type AccountSession, addAccountCommand } from '../command.ts';
import { endOfFollowing } from '../interrupt.ts';
import { type LogEntryData, OPERATIONS } from '../operations/operations.generated.ts';
import { flag, option, type ValuesOf } from '../options.ts';
import { columnsOf } from '../output.ts';
import { enumName, readTime, readWhole } from '../values.ts';

const ENTRIES = columnsOf<LogEntryData>({
  TIME: 'createdAt',
  STATUS: 'status',
  CHANNEL: 'channel',
  RECIPIENT: 'recipient',
  SENDER: 'sender',
  MS: 'latencyMs',
  ERROR: 'errorCode',
  MESSAGE: row => row.messageId ?? row.pinId,
  ENTRY: 'id',
});

const LOGS = {
  follow: flag('print each entry as soon as it is stored, until interrupted; with --limit, after that many older ones'),
  limit: option('<n>', 'how many entries, 1 to 200', readWhole(1, 200)),
  status: option('<status>', 'entries that stand there', LOG_STATUSES),
  type: option('<type>', 'entries that tell of this', LOG_TYPES),
  channel: option('<channel>', 'entries of this channel', CHANNELS),
  recipient: option('<number>', 'entries for this phone number'),
  sender: option('<name>', 'entries from this sender: an SMS sender name, or a chat number'),
  reference: option('<reference>', 'entries of the send with this reference'),
  messageId: option('<id>', 'entries of this message'),
  pinId: option('<id>', 'entries of this passcode'),
  from: option('<time>', 'entries made then or later, like 2026-11-21T18:00:00Z or 2026-11-21', readTime),
  to: option('<time>', 'entries made before it', readTime),
  errorCode: option('<code>', 'entries that failed with this code: recipient_refused'),
};

type Options = ValuesOf<typeof LOGS>;

/** Adds the command that reads the log. */
export function addLogsCommand(program: Command): void {
  addAccountCommand(program, 'logs', 'read the log, newest first', LOGS, async (session, options) => {
    if (options.follow) return follow(session, options);
    session.out.list(await readEntries(session, options), ENTRIES, 'The log has no such entry.');
  });
}

function filterOf({
  status,
  channel,
  type,
  recipient,
  sender,
  reference,
  messageId,
  pinId,
  errorCode,
  from,
  to,
}: Options) {
  const texts = { recipient, sender, reference, messageId, pinId, errorCode, from, to };
  return { ...texts, status: enumName(status), channel: enumName(channel), type: enumName(type) };
}

async function readEntries({ operator, accountId }: AccountSession, options: Options): Promise<LogEntryData[]> {
  const variables = { first: options.limit, filter: filterOf(options) };
  return (await operator.run(OPERATIONS.logs, variables, accountId)).nodes;
}

/** Follows first and lists then, so that nothing falls between; what came both ways is shown once. */
async function follow(session: AccountSession, options: Options): Promise<void> {
  const { operator, out, accountId } = session;
  const signal = endOfFollowing();
  const added = await operator.follow(OPERATIONS.logAdded, { filter: filterOf(options) }, accountId, signal);
  out.say(`Following the log of ${accountId}; Ctrl+C ends it.`);
  if (operator.place === 'process')
    out.say('No gateway runs: only what others write to the same database will be seen.');
  const older = options.limit === undefined ? [] : (await readEntries(session, options)).toReversed();
  for (const entry of older) out.show(entry, ENTRIES.line);
  const shown = new Set(older.map(({ id, status }) => `${id} ${status}`));
  for await (const entry of added) {
    if (!shown.delete(`${entry.id} ${entry.status}`)) out.show(entry, ENTRIES.line);
  }
}
