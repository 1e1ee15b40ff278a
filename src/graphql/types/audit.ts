/** The audit trail in GraphQL: `auditEntries`. */
import { AUDIT_ACTORS, AuditEntry } from '../../modules/audit/audit-entry.entity.ts';
import { listAuditActions, listAuditEntries, listAuditInput, shownAddress } from '../../modules/audit/list-audit.ts';
import { builder } from '../builder.ts';
import { connectionOf, toConnection } from '../connection.ts';
import { argsFrom, defineEnum } from '../from-zod.ts';

const AuditActorEnum = defineEnum('AuditActor', AUDIT_ACTORS, 'Who changed something.', {
  operator: 'The operator of the gateway.',
  token: 'Who has a token of the account.',
  user: 'A person who is signed in to the account.',
  stranger: 'Somebody who is not signed in: a sign-in was refused.',
});

const AuditEntryRef = builder.objectType(AuditEntry, {
  name: 'AuditEntry',
  description: 'One change by one caller. Entries are never changed and never deleted.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the entry, `aud_…`.'),
    accountId: t.nullable('accountId', 'String', 'The account that was changed; null: the change concerns none.'),
    action: t.member('action', 'String', 'What was done, such as `token.revoked`; `auditActions` lists them.'),
    subject: t.nullable('subject', 'String', 'The id of what was changed, such as `tok_…`.'),
    actor: t.member('actor', AuditActorEnum, 'Who did it.'),
    tokenId: t.nullable('tokenId', 'String', 'The token that it was done with, `tok_…`; null: with none.'),
    userId: t.nullable('userId', 'String', 'The person who did it, `usr_…`; null: no person of the account.'),
    userEmail: t.nullable('userEmail', 'String', 'The e-mail address of that person then; null: no person.'),
    clientAddress: t.field({
      type: 'String',
      nullable: true,
      description: "The address that the request came from; the operator's is shown to the operator alone.",
      resolve: (entry, _args, ctx) => shownAddress(ctx, entry),
    }),
    requestId: t.member('requestId', 'String', 'The `X-Request-Id`, with `…` for numbers that the caller chose.'),
    details: t.field({
      type: 'JSONObject',
      description: 'What was set, by name; what was changed as `{"from", "to"}`. Never a secret.',
      resolve: entry => ({ ...entry.details }),
    }),
    createdAt: t.member('createdAt', 'DateTime', 'When it was done.'),
  }),
});

const AuditEntryConnection = connectionOf(AuditEntryRef, 'AuditEntry', 'the audit trail', 'An entry');

builder.queryField('auditEntries', t =>
  t.field({
    type: AuditEntryConnection,
    description:
      'Who changed what of accounts, tokens, senders, webhook endpoints and balances, newest first. Tokens: management (of its account); the operator: all.',
    policy: { opens: ['management'] },
    ...argsFrom(listAuditInput),
    resolve: async (_root, args, ctx) => toConnection(await listAuditEntries(ctx, args)),
  }),
);

builder.queryField('auditActions', t =>
  t.field({
    type: ['String'],
    description:
      'Every action that the audit trail can hold, as `AuditEntry.action` says it. Tokens: management; the operator.',
    policy: { opens: ['management'] },
    resolve: (_root, _args, ctx) => listAuditActions(ctx),
  }),
);
