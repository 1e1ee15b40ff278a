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
    /** Argon2id as a PHC string. */
    passwordHash: p.text().hidden(),
    /** When the password was last changed; null: it is the first one. */
    passwordChangedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

/** One person who may sign in. */
export class DashboardUser extends DashboardUserSchema.class {}
DashboardUserSchema.setClass(DashboardUser);
