/** The people who may sign in to the pages of an account. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';
import { ROLES } from '../../../kernel/role.ts';
import { ownerIn } from '../account.entity.ts';

const DashboardUserSchema = defineEntity({
  name: 'DashboardUser',
  tableName: 'dashboard_users',
  properties: {
    id: p.type(new IdType('usr')).primary(),
    accountId: () => ownerIn('dashboard_users').index('dashboard_users_account_id_index'),
    /** In lower case: one person signs in to one account. */
    email: p.text().unique('dashboard_users_email_unique'),
    name: p.text().nullable(),
    role: p.enum([...ROLES]),
    /** Argon2id as a PHC string; null: the person signs in by the OIDC provider. */
    passwordHash: p.text().nullable().hidden(),
    /** Issuer and subject that the OIDC provider knows the person by; null: the person has a password. */
    oidcSubject: p.text().nullable().unique('dashboard_users_oidc_subject_unique').hidden(),
    /** When the password was last changed; null: it is the first one. */
    passwordChangedAt: p.datetime().nullable(),
    /** SHA-256 of the token in the link for a new password, lower-case hex; null: there is none. */
    resetHash: p.string().length(64).nullable().unique('dashboard_users_reset_hash_unique').hidden(),
    /** When that link ends. */
    resetExpiresAt: p.datetime().nullable().hidden(),
    /** The sealed secret of the second factor, perhaps not confirmed yet; null: none, blank: its key is lost. */
    secondFactor: p.text().nullable().hidden(),
    /** The id of the secret key that sealed it. */
    secondFactorKeyId: p.string().length(8).nullable().hidden(),
    /** When the second factor was confirmed, and is asked for since; null: it is off. */
    secondFactorSince: p.datetime().nullable(),
    /** The time step (RFC 6238) of the last code that was used: no code of it or of one before is right again. */
    secondFactorStep: p.integer().nullable().hidden(),
    /** SHA-256 of each recovery code that is left, lower-case hex. */
    recoveryCodes: p.array().default([]).hidden(),
    createdAt: p.datetime(),
  },
});

/** One person who may sign in. */
export class DashboardUser extends DashboardUserSchema.class {}
DashboardUserSchema.setClass(DashboardUser);
