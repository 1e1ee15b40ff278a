/** The log in GraphQL: `logs`, and `logAdded` as it grows. */

import { idTime } from '../../kernel/ids.ts';
import { logEntryData } from '../../modules/answers/log.data.ts';
import { countLogs, type LogCount, type LogHistogram } from '../../modules/logs/count-logs.ts';
import { findRecipients, findRecipientsInput } from '../../modules/logs/find-recipients.ts';
import { listLogs } from '../../modules/logs/list-logs.ts';
import { followLogs } from '../../modules/logs/log-feed.ts';
import { countLogsInput, listLogsInput } from '../../modules/logs/log-filter.input.ts';
import { type LogSend, listSends } from '../../modules/logs/sends/list-sends.ts';
import type { Attempt } from '../../modules/routing/attempt.entity.ts';
import { builder } from '../builder.ts';
import { connectionOf, SHORT_PAGES, toConnection } from '../connection.ts';
import { LogStatusEnum } from '../enums.ts';
import { argsFrom, byArgs, fieldsFrom } from '../from-zod.ts';
import { CONNECTION_FIELD, PRICING_FIELD } from './attempt-connection.ts';

function latencyMs({ startedAt, finishedAt }: Attempt): number | null {
  return finishedAt ? Math.max(0, finishedAt.getTime() - startedAt.getTime()) : null;
}

/** The time by which the log is sorted and filtered, so that a time range from it has the entry. */
function createdAt({ id }: Attempt): Date {
  return idTime(id);
}

const LogEntryRef = builder.objectRef<Attempt>('LogEntry').implement({
  description:
    'One entry of the log: an attempt over a channel, or what became of a passcode. It never holds the text of a passcode.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the entry; of an attempt, its `attemptId`.'),
    ...fieldsFrom(
      t,
      logEntryData.omit({ id: true }),
      { latencyMs, createdAt },
      `id accountId area resend country providerMessageId passedOver reportedAt deliveredAt endedAs pricing
      connectionId startedAt finishedAt sender reference`,
    ),
    connection: t.field(CONNECTION_FIELD),
    pricing: t.field(PRICING_FIELD),
    sender: t.nullable('sender', 'String', 'The sender name or number that it was sent from.'),
    reference: t.nullable('reference', 'String', 'The reference of the request; null where none was given.'),
  }),
});

const LogConnection = connectionOf(LogEntryRef, 'Log', 'the log', 'An entry');

const ownEntries = 'Tokens: unified and management (all of the account), sms and otp (their own).';

const LogSendRef = builder.objectRef<LogSend>('LogSend').implement({
  description:
    'A message or a passcode as the log tells of it; or a send of a passcode that the fraud guard stopped, which is of neither.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the entry where it stands in the list.'),
    messageId: t.nullable('messageId', 'String', 'The message; null: it is none.'),
    pinId: t.nullable('pinId', 'String', 'The passcode; null: it is none.'),
    status: t.member(
      'status',
      LogStatusEnum,
      'What became of it: of a passcode what its tries came to, else the attempt that got furthest.',
    ),
    entries: t.member(
      'entries',
      [LogEntryRef],
      'What it is told by, at most the first 50: attempts of a message by the route, then by time; all else by time.',
    ),
  }),
});

const LogSendConnection = connectionOf(LogSendRef, 'LogSend', 'messages and passcodes', 'A message or a passcode');

const LogBucketRef = builder.objectRef<LogCount>('LogBucket').implement({
  description: 'The entries of one bucket of a histogram with one status.',
  fields: t => ({
    from: t.member('from', 'DateTime', 'When the bucket begins; the first may begin before the time does.'),
    status: t.member('status', LogStatusEnum, 'Where the entries stand now.'),
    entries: t.member('entries', 'NonNegativeInt', 'How many there are.'),
  }),
});

const LogHistogramRef = builder.objectRef<LogHistogram>('LogHistogram').implement({
  description: 'How many entries of the log pass a filter, by time and status. Their sum is the length of the list.',
  fields: t => ({
    from: t.member('from', 'DateTime', 'When the time begins.'),
    to: t.member('to', 'DateTime', 'When it ends.'),
    bucketSeconds: t.member('bucketSeconds', 'NonNegativeInt', 'Seconds of a bucket.'),
    countedFrom: t.nullable(
      'countedFrom',
      'DateTime',
      'Entries before it were not counted, as there are too many; null: all were. Counted is everything by `channel`, `status`, `statuses`, `type`, `types`, `provider`, `errorCode` and `errorCodes` (with a code by `country` too) alone in buckets of hours, or by a recipient, a reference, a message or a passcode; else the newest 100,000 of the time.',
    ),
    buckets: t.member('buckets', [LogBucketRef], 'By bucket and status, oldest first; empty ones are left out.'),
  }),
});

builder.queryFields(t => ({
  logs: t.field({
    type: LogConnection,
    description: `The log of the account, newest first. ${SHORT_PAGES} ${ownEntries}`,
    policy: { opens: 'any', plan: 'tokens' },
    ...argsFrom(listLogsInput),
    resolve: async (_root, args, ctx) => toConnection(await listLogs(ctx, args)),
  }),
  sends: t.field({
    type: LogSendConnection,
    description: `The log by message and passcode, newest first: each once, where its first entry stands that passes. \`status\` and \`statuses\` are those of the message or the passcode as a whole, all else of its entries. Pages are as those of \`logs\`. ${ownEntries}`,
    policy: { opens: 'any', plan: 'tokens' },
    ...argsFrom(listLogsInput),
    resolve: async (_root, args, ctx) => toConnection(await listSends(ctx, args)),
  }),
  recipients: t.field({
    type: ['String'],
    // The field reads some hundred times the entries of a page.
    complexity: 50,
    description:
      'The numbers, in digits, that end with these digits, of the newest 20,000 entries of the log within 30 days; at most 10, the newest first. Tokens: unified, management. Viewers may not look for numbers.',
    policy: { opens: ['unified', 'management'], plan: 'tokens', right: 'numbers' },
    ...byArgs(findRecipientsInput, findRecipients),
  }),
  logHistogram: t.field({
    type: LogHistogramRef,
    // The histogram may read every entry of the time.
    complexity: 50,
    description:
      'How many entries of the log of the account pass a filter, by time, at most 92 days. The buckets are of round lengths, as short as their number allows. Tokens: unified, management.',
    policy: { opens: ['unified', 'management'], plan: 'tokens' },
    ...byArgs(countLogsInput, countLogs),
  }),
}));

builder.subscriptionField('logAdded', t =>
  t.field({
    type: LogEntryRef,
    description: `Each entry of the log as soon as its outcome is stored, whichever process stored it; and again, with the same \`id\`, as soon as a receipt has changed its status. The filter is asked each time: with \`status: FAILED\` a failure that a receipt reports comes too. ${ownEntries}`,
    policy: { opens: 'any', plan: 'tokens' },
    ...argsFrom(listLogsInput.pick({ filter: true })),
    subscribe: (_root, { filter }, ctx) => followLogs(ctx, filter ?? {}),
    resolve: (entry: Attempt) => entry,
  }),
);
