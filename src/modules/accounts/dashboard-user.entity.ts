/** The people who may sign in to the pages of an account. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { Account } from './account.entity.ts';

const DashboardUserSchema = defineEntity({
  name: 'DashboardUser',
  tableName: 'dashboard_users',
  properties: {
    id: p.type(new IdType('usr')).primary(),
    accountId: () =>
      p
        .manyToOne(Account)
        .mapToPk()
        .fieldNames('account_id')
        .index('dashboard_users_account_id_index')
        .foreignKeyName('dashboard_users_account_id_foreign'),
    email: p.text().unique('dashboard_users_email_unique'),
    /** Argon2id as a PHC string. */
    passwordHash: p.text().hidden(),
    createdAt: p.datetime(),
  },
});

/** One person who may sign in. */
export class DashboardUser extends DashboardUserSchema.class {}
DashboardUserSchema.setClass(DashboardUser);
