/** The audit trail: who changed what, when and from where. Entries are never changed. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';

/** The kinds of callers: the operator, a token, a person who is signed in; a stranger whose sign-in was refused. */
export const AUDIT_ACTORS = ['operator', 'token', 'user', 'stranger'] as const;

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  properties: {
    id: p.type(new IdType('aud')).primary(),
    /** The changed account. */
    accountId: p.type(new IdType('acc')).nullable(),
    /** The action, such as `token.revoked`. */
    action: p.text(),
    /** The public id of what was changed. */
    subject: p.text().nullable(),
    actor: p.enum([...AUDIT_ACTORS]),
    /** The token of the caller; null: it was no token. */
    tokenId: p.type(new IdType('tok')).nullable(),
    /** The person; null: it was nobody who is signed in. */
    userId: p.type(new IdType('usr')).nullable(),
    /** The address of that person, which stays when the person is removed. */
    userEmail: p.text().nullable(),
    /** The address that the request came from. */
    clientAddress: p.text().nullable(),
    requestId: p.text(),
    /** The new values by name; never a secret. */
    details: p.json<Readonly<Record<string, unknown>>>(),
    /** By the database's clock. */
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'audit_entries_account_id_id_index', properties: ['accountId', 'id'] }],
});

/** One change by one caller. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
