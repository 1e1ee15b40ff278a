/** The counts behind the limits of OTPs: sends and wrong codes by recipient, address and account, and traffic by place for the fraud guard. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';

/** The sends and wrong codes of one recipient of one account. Every send and every verify locks the row, so that those of one recipient come in turn. */
export const OtpRecipient = defineEntity({
  name: 'OtpRecipient',
  tableName: 'otp_recipients',
  properties: {
    accountId: p.type(new IdType('acc')).primary(),
    recipient: p.text().primary(),
    /** When OTPs were sent to it, in the last 24 hours; at most as many as the limit of a day. */
    sends: p.array<string>().columnType('timestamptz[]'),
    /** When wrong codes were given for it, in the last 24 hours; at most as many as the limit. */
    wrongs: p.array<string>().columnType('timestamptz[]'),
    /** Until when each area waits before it may send the next: `{"unified": "2026-…"}`. */
    cooldowns: p.json<Record<string, string>>(),
    /** When it was last sent to. */
    updatedAt: p.datetime().index('otp_recipients_updated_at_index'),
  },
});

/** A budget of wrong codes. */
const budget = {
  /** When they were given, in the window of the budget; at most as many as its limit. */
  wrongs: p.array<string>().columnType('timestamptz[]'),
  /** How many of the last verify fitted into the limit. */
  admitted: p.integer(),
};

/** The wrong codes that were given from one address, to one account. */
export const OtpAddress = defineEntity({
  name: 'OtpAddress',
  tableName: 'otp_addresses',
  properties: {
    accountId: p.type(new IdType('acc')).primary(),
    /** An IPv4 address, or the /64 of an IPv6 one. */
    address: p.text().primary(),
    ...budget,
    updatedAt: p.datetime().index('otp_addresses_updated_at_index'),
  },
});

/** The sends of one account for one end user's address. Apart from the wrong codes, since a send locks it before the recipient and a verify after. */
export const OtpSendAddress = defineEntity({
  name: 'OtpSendAddress',
  tableName: 'otp_send_addresses',
  properties: {
    accountId: p.type(new IdType('acc')).primary(),
    /** An IPv4 address, or the /64 of an IPv6 one. */
    address: p.text().primary(),
    /** When OTPs were sent for it, in the last hour; at most as many as the limit. */
    sends: p.array<string>().columnType('timestamptz[]'),
    /** How many of the sends of the last group fitted into the limit. */
    admitted: p.integer(),
    updatedAt: p.datetime().index('otp_send_addresses_updated_at_index'),
  },
});

/** The wrong codes of one account, whichever its tokens, pins and addresses. One row an account, so none is ever purged. */
export const OtpAccount = defineEntity({
  name: 'OtpAccount',
  tableName: 'otp_accounts',
  properties: {
    accountId: p.type(new IdType('acc')).primary(),
    ...budget,
    /** When the operator was last told that the limit is reached; null: never. */
    alarmedAt: p.datetime().nullable(),
  },
});

/** How many OTPs of one hour went to one place, and how many of them were verified. */
export const OtpTraffic = defineEntity({
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
