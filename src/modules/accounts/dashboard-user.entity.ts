/** The people who may sign in to the pages of an account. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { ownerIn } from './account.entity.ts';

const DashboardUserSchema = defineEntity({
  name: 'DashboardUser',
  tableName: 'dashboard_users',
  properties: {
    id: p.type(new IdType('usr')).primary(),
    accountId: () => ownerIn('dashboard_users').index('dashboard_users_account_id_index'),
    email: p.text().unique('dashboard_users_email_unique'),
    /** Argon2id as a PHC string. */
    passwordHash: p.text().hidden(),
    createdAt: p.datetime(),
  },
});

/** One person who may sign in. */
export class DashboardUser extends DashboardUserSchema.class {}
DashboardUserSchema.setClass(DashboardUser);
