/** The log in GraphQL: `logs`, and `logAdded` as it grows. */

import { ORDINARY } from '../../kernel/field-policy.ts';
import { listLogs } from '../../modules/logs/list-logs.ts';
import { followLogs } from '../../modules/logs/log-feed.ts';
import { type Attempt, isChannelAttempt } from '../../modules/routing/attempt.entity.ts';
import { builder } from '../builder.ts';
import { toConnection } from '../connection.ts';
import { ChannelEnum, LogStatusEnum, LogTypeEnum } from '../enums.ts';

const LogEntryRef = builder.objectRef<Attempt>('LogEntry').implement({
  description:
    'One entry of the log: an attempt over a channel, or what became of a passcode. It never holds the text of a passcode.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the entry; of an attempt, its `attemptId`.' }),
    type: t.expose('type', { type: LogTypeEnum, description: 'What it tells about.' }),
    messageId: t.exposeString('messageId', { nullable: true, description: 'The message; null for a passcode.' }),
    pinId: t.exposeString('pinId', { nullable: true, description: 'The passcode; null for a message.' }),
    channel: t.expose('channel', { type: ChannelEnum, nullable: true, description: 'The channel that was tried.' }),
    provider: t.exposeString('provider', { nullable: true, description: 'The provider that it went through.' }),
    recipient: t.exposeString('recipient', { description: 'The recipient in digits-only form.' }),
    sender: t.exposeString('sender', {
      nullable: true,
      description: 'The sender name or number that it was sent from.',
    }),
    reference: t.exposeString('reference', {
      nullable: true,
      description: 'The reference of the request; null where none was given.',
    }),
    status: t.expose('status', { type: LogStatusEnum, description: 'Where it stands.' }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      description: 'Why it failed, in a word; null where it did not.',
    }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Why it failed, in a sentence; null where it did not.',
    }),
    segments: t.expose('segments', {
      type: 'NonNegativeInt',
      description: 'SMS segments of the text; 0 on chat channels.',
    }),
    credits: t.expose('credits', { type: 'NonNegativeInt', description: 'SMS credits that it costs.' }),
    latencyMs: t.field({
      type: 'NonNegativeInt',
      nullable: true,
      description:
        'Milliseconds until the provider had answered, null while it is under way; of an outcome of a passcode, since the passcode was made.',
      resolve: ({ startedAt, finishedAt }) =>
        finishedAt ? Math.max(0, finishedAt.getTime() - startedAt.getTime()) : null,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the entry was made.',
      resolve: entry => (isChannelAttempt(entry) ? entry.startedAt : (entry.finishedAt ?? entry.startedAt)),
    }),
  }),
});

const LogConnection = builder.connectionObject(
  { type: LogEntryRef, name: 'LogConnection', description: 'A page of the log.' },
  { name: 'LogEdge', description: 'An entry and its cursor.' },
);

const LogFilter = builder.inputType('LogFilter', {
  description: 'Which entries to list; what is absent does not narrow.',
  fields: t => ({
    channel: t.field({ type: ChannelEnum, description: 'Entries of this channel.' }),
    status: t.field({ type: LogStatusEnum, description: 'Entries that stand there.' }),
    type: t.field({ type: LogTypeEnum, description: 'Entries of this type.' }),
    types: t.field({ type: [LogTypeEnum], description: 'Entries of one of these types.' }),
    recipient: t.string({ description: 'Entries for this phone number.' }),
    sender: t.string({ description: 'Entries sent from this sender.' }),
    reference: t.string({ description: 'Entries of requests with this reference.' }),
    messageId: t.string({ description: 'Entries of this message.' }),
    pinId: t.string({ description: 'Entries of this passcode.' }),
    from: t.field({ type: 'DateTime', description: 'Entries made at this time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Entries made before this time.' }),
  }),
});

const ownEntries = 'Tokens: unified and management (all of the account), sms and otp (their own).';

builder.queryField('logs', t =>
  t.field({
    type: LogConnection,
    description: `The log of the account, newest first. ${ownEntries}`,
    policy: { ...ORDINARY, opens: 'any' },
    args: {
      first: t.arg.int({ description: 'How many, 1 to 200; 50 where absent.' }),
      after: t.arg.string({ description: 'The `endCursor` of the page before.' }),
      filter: t.arg({ type: LogFilter, description: 'Which entries.' }),
    },
    resolve: async (_root, args, ctx) => toConnection(await listLogs(ctx, args)),
  }),
);

builder.subscriptionField('logAdded', t =>
  t.field({
    type: LogEntryRef,
    description: `Each entry of the log as soon as its outcome is stored, whichever process stored it. ${ownEntries}`,
    policy: { ...ORDINARY, opens: 'any' },
    args: { filter: t.arg({ type: LogFilter, description: 'Which entries.' }) },
    subscribe: (_root, { filter }, ctx) => followLogs(ctx, filter ?? {}),
    resolve: (entry: Attempt) => entry,
  }),
);
