/** An account is one customer of the gateway, with its plan, limits and credits. */
import { defineEntity, p } from '@mikro-orm/core';
import type { OtpSettings } from '../../context.ts';
import { IdType } from '../../db/id-type.ts';
import { SUCCESS_STATUSES } from '../../kernel/status.ts';

/** An account's handling of the stop and start words that people send. Its own words, in upper case, count beside those of every account. */
export interface OptOutSettings {
  readonly stopWords: readonly string[];
  readonly startWords: readonly string[];
  /** Whether a stop holds for OTPs too. */
  readonly stopsOtps: boolean;
  /** Confirms a stop; null: nothing does. */
  readonly stopText: string | null;
  /** Answers HELP and INFO; null: nothing does. */
  readonly helpText: string | null;
}

const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.type(new IdType('acc')).primary(),
    name: p.text(),
    /** Whether `/api/omni/*` and its operations are open (contract §7). */
    unifiedApi: p.boolean().default(true),
    /** When the plan ends; null: never. */
    planExpiresAt: p.datetime().nullable(),
    /** SMS credits that can be spent; one credit pays one segment. With those held they are the sum of the ledger. */
    credits: p.integer().default(0).check('credits >= 0'),
    /** Credits that sends under way hold. */
    held: p.integer().default(0).check('held >= 0'),
    /** The balance is low below so many credits; null: never. */
    lowBalanceThreshold: p.integer().nullable().check('low_balance_threshold > 0'),
    /** Since when the balance is low; null: it is not. A database trigger sets it. */
    lowBalanceSince: p.datetime().nullable(),
    /** Whether the low balance is not announced yet. */
    lowBalanceUntold: p.boolean().default(false),
    /** The most credits that sends may cost in one day (UTC); null: no limit. */
    dailySpendCap: p.integer().nullable().check('daily_spend_cap >= 0'),
    /** The day (UTC) of `spent`. */
    spendDay: p.date().nullable(),
    /** The credits that sends of that day cost or hold. */
    spent: p.integer().default(0),
    /** Requests a second for each token of the account; null: no limit. */
    rateLimit: p.integer().nullable().default(100).check('rate_limit > 0'),
    /** Whether the SMS of its messages go out with their typographic characters as GSM ones. OTPs have a setting of their own. */
    smartEncoding: p.boolean().default(false),
    /** Seconds that an accepted channel has to deliver before the next one follows, where a send names none; null: no channel follows it. */
    fallbackAfter: p.integer().nullable().check('fallback_after >= 15 and fallback_after <= 3600'),
    /** The status that it has to reach by then. */
    successStatus: p.enum([...SUCCESS_STATUSES]).default('delivered'),
    /** Whether the request log keeps accepted requests of its tokens too. */
    logsAccepted: p.boolean().default(false),
    /** Whether everybody who signs in by password must have a second factor. */
    secondFactorRequired: p.boolean().default(false),
    /** The changed OTP settings; null: none. Read them by `readOtpSettings`. */
    otpSettings: p.json<Partial<OtpSettings>>().nullable(),
    /** The changed settings of stops and starts; null: none. Read them by `readOptOutSettings`. */
    optOutSettings: p.json<Partial<OptOutSettings>>().nullable(),
    /** The zone of its people, an IANA name: pages may show times in it. */
    timeZone: p.text().default('UTC'),
    /** The country that pages read national numbers by, ISO 3166-1 alpha-2; null: they ask. */
    country: p.text().nullable(),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'accounts_low_balance_untold_index', properties: ['id'], where: 'low_balance_untold' }],
});

/** One customer of the gateway. */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account);

/** The column of a table that says whose a row is. */
export const ownerIn = (table: string) =>
  p.manyToOne(Account).mapToPk().fieldNames('account_id').foreignKeyName(`${table}_account_id_foreign`);
