/** `logs`. */
import { type Command, Option } from 'commander';
import { CHANNELS, type Channel } from '../../kernel/channel.ts';
import { STATUSES, type Status } from '../../kernel/status.ts';
import { chooseAccount } from '../choose-account.ts';
import { addCommand, inSession, type Session } from '../gateway/session.ts';
import { endOfFollowing } from '../interrupt.ts';
import { type LogEntryData, OPERATIONS } from '../operations/operations.generated.ts';
import { orDash, row, table } from '../output.ts';
import { enumName, readWhole } from '../values.ts';

interface LogsOptions {
  readonly follow?: true;
  readonly limit?: number;
  readonly status?: Status;
  readonly channel?: Channel;
  readonly recipient?: string;
  readonly account?: string;
}

const HEADINGS = ['TIME', 'STATUS', 'CHANNEL', 'RECIPIENT', 'SENDER', 'MS', 'ERROR', 'ENTRY'];

/** Adds the command that reads the log. */
export function addLogsCommand(program: Command): void {
  addCommand(program, 'logs', 'read the log, newest first')
    .option(
      '--follow',
      'print each entry as soon as it is stored, until interrupted; with --limit, after that many older ones',
    )
    .option('--limit <n>', 'how many entries, 1 to 200', readWhole(1, 200))
    .addOption(new Option('--status <status>', 'entries that stand there').choices(STATUSES))
    .addOption(new Option('--channel <channel>', 'entries of this channel').choices(CHANNELS))
    .option('--recipient <number>', 'entries for this phone number')
    .option('--account <accountId>', 'the account; the only one or the demo account where it is not given')
    .action((options: LogsOptions, command: Command) =>
      inSession(command, async session => {
        const accountId = await chooseAccount(session.operator, options.account);
        await (options.follow ? follow(session, options, accountId) : list(session, options, accountId));
      }),
    );
}

function filterOf({ status, channel, recipient }: LogsOptions) {
  return {
    status: enumName(status),
    channel: enumName(channel),
    recipient,
  };
}

async function readEntries(
  { operator }: Session,
  options: LogsOptions,
  accountId: string,
): Promise<readonly LogEntryData[]> {
  const variables = { first: options.limit, filter: filterOf(options) };
  const { edges } = await operator.run(OPERATIONS.logs, variables, accountId);
  return edges.map(({ node }) => node);
}

async function list(session: Session, options: LogsOptions, accountId: string): Promise<void> {
  const entries = await readEntries(session, options, accountId);
  session.out.show(entries, rows => table(HEADINGS, rows.map(cells)));
  if (entries.length === 0) session.out.say('The log has no such entry.');
}

/** Follows first and lists then, so that nothing falls between; what came both ways is shown once. */
async function follow(session: Session, options: LogsOptions, accountId: string): Promise<void> {
  const { operator, out } = session;
  const signal = endOfFollowing();
  const added = await operator.follow(OPERATIONS.logAdded, { filter: filterOf(options) }, accountId, signal);
  out.say(`Following the log of ${accountId}; Ctrl+C ends it.`);
  if (operator.place === 'process')
    out.say('No gateway runs: only what others write to the same database will be seen.');
  const shown = new Set<string>();
  if (options.limit !== undefined) {
    for (const entry of (await readEntries(session, options, accountId)).toReversed()) {
      shown.add(`${entry.id} ${entry.status}`);
      out.show(entry, line);
    }
  }
  for await (const entry of added) {
    if (!shown.delete(`${entry.id} ${entry.status}`)) out.show(entry, line);
  }
}

function line(entry: LogEntryData): string {
  return row(cells(entry));
}

function cells(entry: LogEntryData): string[] {
  return [
    entry.createdAt,
    entry.status,
    orDash(entry.channel),
    entry.recipient,
    orDash(entry.sender),
    orDash(entry.latencyMs),
    orDash(entry.errorCode),
    entry.id,
  ];
}
