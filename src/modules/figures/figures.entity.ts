/**
 * Figures of the log by hour, counted after the fact by a job, so that no send pays for them. An hour is the lowest uuid of it, as ids hold
 * their time. Empty texts stand for what an attempt has not.
 */
import { defineEntity, p } from '@mikro-orm/core';

const LogCountSchema = defineEntity({
  name: 'LogCount',
  tableName: 'log_counts',
  properties: {
    accountId: p.uuid().primary(),
    hour: p.uuid().primary(),
    type: p.text().primary(),
    channel: p.text().primary(),
    provider: p.text().primary(),
    status: p.text().primary(),
    errorCode: p.text().primary(),
    /** Of failures alone: of all it would make many rows. */
    country: p.text().primary(),
    entries: p.integer(),
    credits: p.integer(),
  },
});

/** How many entries of one hour are alike. */
export class LogCount extends LogCountSchema.class {}
LogCountSchema.setClass(LogCount);

/** How many attempts of one hour took about as long. */
export const LogLatency = defineEntity({
  name: 'LogLatency',
  tableName: 'log_latencies',
  properties: {
    accountId: p.uuid().primary(),
    hour: p.uuid().primary(),
    channel: p.text().primary(),
    provider: p.text().primary(),
    /** The power of 1.1 that the milliseconds begin with. */
    step: p.integer().primary(),
    attempts: p.integer(),
  },
});

/** The OTPs that were first tried in one hour, with what became of them. */
export const LogOtpCount = defineEntity({
  name: 'LogOtpCount',
  tableName: 'log_otp_counts',
  properties: {
    accountId: p.uuid().primary(),
    hour: p.uuid().primary(),
    sent: p.integer(),
    verified: p.integer(),
  },
});

/** How far the hours are counted: one row. */
export const LogRollUp = defineEntity({
  name: 'LogRollUp',
  tableName: 'log_roll_up',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** The first hour that is not counted; those before it are. */
    until: p.uuid(),
  },
});
