/** The audit trail in GraphQL: `auditEntries`. */
import { ORDINARY } from '../../kernel/field-policy.ts';
import { AUDIT_ACTIONS } from '../../modules/audit/audit-actions.ts';
import { AUDIT_ACTORS, AuditEntry } from '../../modules/audit/audit-entry.entity.ts';
import { listAuditEntries, shownAddress } from '../../modules/audit/list-audit.ts';
import { builder } from '../builder.ts';
import { toConnection } from '../connection.ts';

const [OPERATOR, TOKEN] = AUDIT_ACTORS;

const AuditActorEnum = builder.enumType('AuditActor', {
  description: 'Who changed something.',
  values: {
    OPERATOR: { value: OPERATOR, description: 'The operator of the gateway.' },
    TOKEN: { value: TOKEN, description: 'Who has a token of the account.' },
  } as const,
});

const AuditEntryRef = builder.objectType(AuditEntry, {
  name: 'AuditEntry',
  description: 'One change by one caller. Entries are never changed and never deleted.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the entry, `aud_…`.' }),
    accountId: t.field({
      type: 'String',
      nullable: true,
      description: 'The account that was changed; null: the change concerns none.',
      resolve: entry => entry.accountId ?? null,
    }),
    action: t.exposeString('action', {
      description: `What was done: ${AUDIT_ACTIONS.map(action => `\`${action}\``).join(', ')}.`,
    }),
    subject: t.field({
      type: 'String',
      nullable: true,
      description: 'The id of what was changed, such as `tok_…`.',
      resolve: entry => entry.subject ?? null,
    }),
    actor: t.expose('actor', { type: AuditActorEnum, description: 'Who did it.' }),
    tokenId: t.field({
      type: 'String',
      nullable: true,
      description: 'The token that it was done with, `tok_…`; null: by the operator.',
      resolve: entry => entry.tokenId ?? null,
    }),
    clientAddress: t.field({
      type: 'String',
      nullable: true,
      description: "The address that the request came from; the operator's is shown to the operator alone.",
      resolve: (entry, _args, ctx) => shownAddress(ctx, entry),
    }),
    requestId: t.exposeString('requestId', { description: 'The `X-Request-Id` of the request.' }),
    details: t.field({
      type: 'JSONObject',
      description: 'What was set, by name; what was changed as `{"from", "to"}`. Never a secret.',
      resolve: entry => ({ ...entry.details }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was done.' }),
  }),
});

const AuditEntryConnection = builder.connectionObject(
  { type: AuditEntryRef, name: 'AuditEntryConnection', description: 'A page of the audit trail.' },
  { name: 'AuditEntryEdge', description: 'An entry and its cursor.' },
);

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Which entries to list; what is absent does not narrow.',
  fields: t => ({
    action: t.string({ description: 'Entries of this action, such as `token.revoked`.' }),
    subject: t.string({ description: 'Entries about the thing with this id.' }),
    from: t.field({ type: 'DateTime', description: 'Entries made at this time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Entries made before this time.' }),
  }),
});

builder.queryField('auditEntries', t =>
  t.field({
    type: AuditEntryConnection,
    description:
      'Who changed what of accounts, tokens, senders, webhook endpoints and balances, newest first. Tokens: management (of its account); the operator: all.',
    policy: { ...ORDINARY, opens: ['management'] },
    args: {
      accountId: t.arg.string({
        description: 'Of this account; absent: of the account of the token, or for an operator of all.',
      }),
      first: t.arg.int({ description: 'How many, 1 to 200; 50 where absent.' }),
      after: t.arg.string({ description: 'The `endCursor` of the page before.' }),
      filter: t.arg({ type: AuditFilter, description: 'Which entries.' }),
    },
    resolve: async (_root, args, ctx) => toConnection(await listAuditEntries(ctx, args)),
  }),
);
