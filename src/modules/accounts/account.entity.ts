/** Accounts: one customer of the gateway each, with the plan, the limits and the credits that belong to it. */
import { defineEntity, p } from '@mikro-orm/core';
import type { OtpSettings } from '../../context.ts';
import { IdType } from '../../db/id-type.ts';

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
    /** SMS credits that can be spent; one credit pays one segment. The ledger changes them, and nothing else can. */
    credits: p.integer().default(0).check('credits >= 0'),
    /** Below so many credits the balance is low; null: it never is. */
    lowBalanceThreshold: p.integer().nullable().check('low_balance_threshold > 0'),
    /** Since when the balance is low; null: it is not. The database sets it. */
    lowBalanceSince: p.datetime().nullable(),
    /** Whether nobody was told yet that it is. */
    lowBalanceUntold: p.boolean().default(false),
    /** The most credits that sends may cost in one day (UTC); null: as many as there are. */
    dailySpendCap: p.integer().nullable().check('daily_spend_cap >= 0'),
    /** The day (UTC) that `spent` is of. */
    spendDay: p.date().nullable(),
    /** What sends have cost or hold on that day. */
    spent: p.integer().default(0),
    /** Requests a second for each token of the account; null: no limit. */
    rateLimit: p.integer().nullable().default(100).check('rate_limit > 0'),
    /** What was set of its OTP settings; null: nothing. Read it by `readOtpSettings`. */
    otpSettings: p.json<Partial<OtpSettings>>().nullable(),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'accounts_low_balance_untold_index', properties: ['id'], where: 'low_balance_untold' }],
});

/** One customer of the gateway. */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account);
