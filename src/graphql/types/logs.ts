/** The log in GraphQL: `logs`, and `logAdded` as it grows. */

import { ORDINARY } from '../../kernel/field-policy.ts';
import { logEntryData } from '../../modules/answers/log.data.ts';
import { listLogs } from '../../modules/logs/list-logs.ts';
import { followLogs } from '../../modules/logs/log-feed.ts';
import { listLogsInput } from '../../modules/logs/log-filter.input.ts';
import { type Attempt, isChannelAttempt } from '../../modules/routing/attempt.entity.ts';
import { builder } from '../builder.ts';
import { connectionOf, toConnection } from '../connection.ts';
import { argsFrom, fieldsFrom } from '../from-zod.ts';
import { CONNECTION_FIELD } from './attempt-connection.ts';
import '../enums.ts';

function latencyMs({ startedAt, finishedAt }: Attempt): number | null {
  return finishedAt ? Math.max(0, finishedAt.getTime() - startedAt.getTime()) : null;
}

function createdAt(entry: Attempt): Date {
  return isChannelAttempt(entry) ? entry.startedAt : (entry.finishedAt ?? entry.startedAt);
}

const LogEntryRef = builder.objectRef<Attempt>('LogEntry').implement({
  description:
    'One entry of the log: an attempt over a channel, or what became of a passcode. It never holds the text of a passcode.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the entry; of an attempt, its `attemptId`.' }),
    ...fieldsFrom(t, logEntryData.omit({ id: true }), { latencyMs, createdAt }, [
      'id',
      'accountId',
      'area',
      'resend',
      'country',
      'providerMessageId',
      'connectionId',
      'startedAt',
      'finishedAt',
      'sender',
      'reference',
    ]),
    connection: t.field(CONNECTION_FIELD),
    sender: t.exposeString('sender', {
      nullable: true,
      description: 'The sender name or number that it was sent from.',
    }),
    reference: t.exposeString('reference', {
      nullable: true,
      description: 'The reference of the request; null where none was given.',
    }),
  }),
});

const LogConnection = connectionOf(LogEntryRef, 'Log', 'the log', 'An entry');

const ownEntries = 'Tokens: unified and management (all of the account), sms and otp (their own).';

builder.queryField('logs', t =>
  t.field({
    type: LogConnection,
    description: `The log of the account, newest first. ${ownEntries}`,
    policy: { ...ORDINARY, opens: 'any' },
    args: argsFrom(listLogsInput),
    resolve: async (_root, args, ctx) => toConnection(await listLogs(ctx, args)),
  }),
);

builder.subscriptionField('logAdded', t =>
  t.field({
    type: LogEntryRef,
    description: `Each entry of the log as soon as its outcome is stored, whichever process stored it. ${ownEntries}`,
    policy: { ...ORDINARY, opens: 'any' },
    args: argsFrom(listLogsInput.pick({ filter: true })),
    subscribe: (_root, { filter }, ctx) => followLogs(ctx, filter ?? {}),
    resolve: (entry: Attempt) => entry,
  }),
);
