/** `logs`. */
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { CHANNELS } from '../../kernel/channel.ts';
import { LOG_STATUSES } from '../../kernel/status.ts';
import { LOG_TYPES } from '../../modules/answers/log.data.ts';
import { type AccountSession, type Asker, addAccountCommand } from '../command.ts';
import { type Operator, readRows } from '../gateway/operator.ts';
import { reachWriter, stay } from '../gateway/stay.ts';
import { endOfFollowing } from '../interrupt.ts';
import { type LogEntryData, OPERATIONS } from '../operations/operations.generated.ts';
import { fieldOf, flag, option, type ValuesOf } from '../options.ts';
import { columnsOf } from '../output.ts';
import { enumName, MOMENT, readMoment, readSome, readWhole } from '../values.ts';

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

/** Statuses separated by commas. */
const readStatuses = Object.assign((value: string) => readSome(value, LOG_STATUSES, 'separated by commas'), {
  words: LOG_STATUSES,
});

/** The code of a country in either case, or `none`. */
function readCountry(value: string): string {
  return value === 'none' ? value : value.toUpperCase();
}

/** The most entries of one answer. */
const ENTRIES_MAX = 200;

const LOGS = {
  follow: flag(
    'print each entry as soon as it is stored, and each report on one, until interrupted; with --limit, after that many older ones (--since says how old)',
    'until',
  ),
  limit: option('<n>', 'how many entries, 1 to 200; 50 where it is not given', readWhole(1, ENTRIES_MAX)),
  status: fieldOf(
    'statuses',
    option('<statuses>', 'entries that stand there, or at one of several: failed,expired', readStatuses),
  ),
  type: option('<type>', 'entries that tell of this', LOG_TYPES),
  channel: option('<channel>', 'entries of this channel', CHANNELS),
  to: fieldOf(
    'recipient',
    option('<number>', 'entries for this person: a phone number, or the id that a channel has in its place'),
  ),
  sender: option('<name>', 'entries from this sender: an SMS sender name, or a chat number'),
  reference: option('<reference>', 'entries of the send with this reference'),
  messageId: option('<id>', 'entries of this message'),
  pinId: option('<id>', 'entries of this passcode'),
  since: fieldOf('from', option('<when>', `entries made then or later: ${MOMENT}`, readMoment)),
  until: fieldOf('to', option('<when>', 'entries made before it', readMoment)),
  errorCode: option('<code>', 'entries that failed with this code: recipient_refused'),
  provider: option('<id>', 'entries that went through this provider, or none'),
  connection: fieldOf('connectionId', option('<connectionId>', 'entries that went by this connection')),
  country: option('<code>', 'entries for this country, two letters like US, or none', readCountry),
};

/** The options that choose the entries of a listing. */
export type LogOptions = Partial<ValuesOf<typeof LOGS>>;

/** Adds the command that reads the log. */
export function addLogsCommand(program: Command): void {
  addAccountCommand(program, 'logs', 'read the log, newest first', LOGS, async session => {
    const { options } = session;
    if (options.follow) return follow(session, options);
    session.out.list(await readEntries(session, options), ENTRIES, 'The log has no such entry.');
  });
}

function filterOf({
  status,
  channel,
  type,
  to,
  sender,
  reference,
  messageId,
  pinId,
  errorCode,
  provider,
  connection,
  country,
  since,
  until,
}: LogOptions) {
  const texts = { recipient: to, sender, reference, messageId, pinId, errorCode, provider, country };
  const words = { statuses: status?.map(one => enumName(one)), channel: enumName(channel), type: enumName(type) };
  return { ...texts, ...words, connectionId: connection, from: since, to: until };
}

/** As many entries as are asked for. */
export function readEntries({ operator, accountId }: Asker, options: LogOptions): Promise<LogEntryData[]> {
  const filter = filterOf(options);
  return readRows(options.limit, page => operator.run(OPERATIONS.logs, { ...page, filter }, accountId));
}

/** The widest cells to be expected, by heading. */
const WIDEST = {
  TIME: '2026-11-21T18:00:00.000Z',
  STATUS: 'delivered',
  CHANNEL: CHANNELS.reduce((longest, channel) => (channel.length > longest.length ? channel : longest)),
  RECIPIENT: '491701234567890',
  SENDER: 'ELEVENCHARS',
  MS: '3600000',
  ERROR: 'recipient_suppressed',
  MESSAGE: `msg_${'0'.repeat(32)}`,
  ENTRY: `att_${'0'.repeat(32)}`,
};

/** How many entries are kept in mind as shown. */
const KNOWN_MAX = 10_000;

/** Follows first and lists then, so that nothing falls between, nor in a restart; what came both ways is shown once. */
async function follow(given: AccountSession, options: LogOptions): Promise<void> {
  const { out, accountId } = given;
  const [config, signal] = [readConfig(), endOfFollowing()];
  const operator = await reachWriter(given, config, signal);
  if (!operator) return;
  const session = { ...given, operator };
  const print = out.roll(ENTRIES, WIDEST);
  const shown = new Set<string>();
  const keyOf = ({ id, status }: LogEntryData): string => `${id} ${status}`;
  // The clock of this machine may be another than that which dates entries.
  const [last] = await readEntries(session, { ...options, limit: 1 });
  let newest = last?.createdAt ?? '';
  if (last && options.limit === undefined) shown.add(keyOf(last));
  const show = (entry: LogEntryData, time: string): void => {
    const key = keyOf(entry);
    if (shown.has(key)) return;
    if (shown.size >= KNOWN_MAX) shown.clear();
    shown.add(key);
    if (entry.createdAt > newest) newest = entry.createdAt;
    print(entry, { ...entry, createdAt: time });
  };
  const list = async (operator: Operator, given: LogOptions): Promise<void> => {
    const entries = await readEntries({ ...session, operator }, given);
    // Before the first is shown, since a long list makes older ones forgotten.
    const news = entries.toReversed().filter(entry => !shown.has(keyOf(entry)));
    for (const entry of news) show(entry, entry.createdAt);
  };
  await stay({
    config,
    operator,
    signal,
    say: out.say,
    begin: operator =>
      operator.follow(OPERATIONS.logAdded, { filter: filterOf(options) }, accountId, {
        signal,
        leftOut: count =>
          out.say(
            `${count === 1 ? '1 entry is' : `${count} entries are`} left out: they came too fast. "logs" without --follow lists them.`,
          ),
      }),
    async begun(operator, isAgain) {
      if (isAgain) {
        out.say(
          'Following again. What was stored in between comes now; what was reported of older entries is not told.',
        );
        return list(operator, { ...options, since: newest || options.since, limit: Number.POSITIVE_INFINITY });
      }
      out.say(`Following the log of ${accountId}; Ctrl+C ends it.`);
      if (operator.place === 'process')
        out.say('No gateway runs: only what others write to the same database will be seen.');
      if (options.limit !== undefined) await list(operator, options);
    },
    // A receipt tells of an entry once more: what it says happened now.
    // biome-ignore lint/plugin: Shown to who sits at this machine.
    each: entry => show(entry, new Date().toISOString()),
  });
}
