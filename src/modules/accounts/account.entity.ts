/** Accounts: one customer of the gateway each, with the plan, the limits and the credits that belong to it. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import type { OtpSettings } from '../../kernel/otp-settings.ts';

const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.type(new IdType('acc')).primary(),
    name: p.text(),
    /** Whether `/api/omni/*` and what serves it is open (contract §7). */
    unifiedApi: p.boolean().default(true),
    /** When the plan ends; null: never. */
    planExpiresAt: p.datetime().nullable(),
    /** SMS credits that can be spent; one credit pays one segment. */
    credits: p.integer().default(0).check('credits >= 0'),
    /** Requests a second for each token of the account; null: no limit. */
    rateLimit: p.integer().nullable().default(100).check('rate_limit > 0'),
    /** What was set of its OTP settings; null: nothing. Read it by `readOtpSettings`. */
    otpSettings: p.json<Partial<OtpSettings>>().nullable(),
    createdAt: p.datetime(),
  },
});

/** One customer of the gateway. */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account);
