/** What the limits of OTPs count: sends and wrong codes by recipient and address, and traffic by place for the fraud guard. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';

const OtpRecipientSchema = defineEntity({
  name: 'OtpRecipient',
  tableName: 'otp_recipients',
  properties: {
    accountId: p.type(new IdType('acc')).primary(),
    recipient: p.text().primary(),
    /** When OTPs were sent to it, in the last 24 hours; at most as many as the limit of a day. */
    sends: p.array<string>().columnType('timestamptz[]'),
    /** Until when each area waits before it may send the next: `{"unified": "2026-…"}`. */
    cooldowns: p.json<Record<string, string>>(),
    updatedAt: p.datetime().index('otp_recipients_updated_at_index'),
  },
});

/** What was sent to one recipient of one account. Every send of an OTP locks it, so that sends to one recipient come in turn. */
export class OtpRecipient extends OtpRecipientSchema.class {}
OtpRecipientSchema.setClass(OtpRecipient);

const OtpBudgetSchema = defineEntity({
  name: 'OtpBudget',
  tableName: 'otp_budgets',
  properties: {
    accountId: p.type(new IdType('acc')).primary(),
    /** `r:` and the recipient's digits, or `a:` and an address (IPv6 by its /64). */
    subject: p.text().primary(),
    /** When wrong codes were given, within the window of the subject; at most as many as its limit. */
    times: p.array<string>().columnType('timestamptz[]'),
    /** How many of the wrong codes of the last verify fitted into the limit. */
    admitted: p.integer(),
    updatedAt: p.datetime().index('otp_budgets_updated_at_index'),
  },
});

/** The wrong codes that were given for one recipient, or from one address. */
export class OtpBudget extends OtpBudgetSchema.class {}
OtpBudgetSchema.setClass(OtpBudget);

const OtpTrafficSchema = defineEntity({
  name: 'OtpTraffic',
  tableName: 'otp_traffic',
  properties: {
    accountId: p.type(new IdType('acc')).primary(),
    /** A country (`US`), or a prefix: the recipient without its last four digits (`+1202555`). */
    place: p.text().primary(),
    /** The beginning of the hour in which the OTPs were made. */
    hour: p.datetime().primary().index('otp_traffic_hour_index'),
    sent: p.integer(),
    /** How many of those were verified, whenever that was. */
    verified: p.integer(),
  },
});

/** How many OTPs of one hour went to one place, and how many of them were verified. */
export class OtpTraffic extends OtpTrafficSchema.class {}
OtpTrafficSchema.setClass(OtpTraffic);
