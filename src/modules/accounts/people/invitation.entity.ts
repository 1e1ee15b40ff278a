/** Invitations: who has the link of one may sign in to the account from then on. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';
import { ROLES } from '../../../kernel/role.ts';
import { ownerIn } from '../account.entity.ts';

const InvitationSchema = defineEntity({
  name: 'Invitation',
  tableName: 'dashboard_invitations',
  properties: {
    id: p.type(new IdType('inv')).primary(),
    accountId: () => ownerIn('dashboard_invitations').index('dashboard_invitations_account_id_index'),
    /** In lower case. */
    email: p.text(),
    role: p.enum([...ROLES]),
    /** SHA-256 of the token in the link, lower-case hex. */
    hash: p.string().length(64).unique('dashboard_invitations_hash_unique').hidden(),
    /** The e-mail address of the person who invited; null: the operator did. */
    invitedBy: p.text().nullable(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().index('dashboard_invitations_expires_at_index'),
    /** When it was used; null: it was not. */
    acceptedAt: p.datetime().nullable(),
  },
});

/** One invitation to an account. */
export class Invitation extends InvitationSchema.class {}
InvitationSchema.setClass(Invitation);
