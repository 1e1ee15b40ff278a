/** The statements of the verb *roll up the log*. They run in one transaction, which holds the row of `log_roll_up`. */
import { statement } from '../../db/statements/statement.ts';
import { countEntries, countLatencies, countOtps } from './counted.sql.ts';

/** Waits for another process that counts, and answers how far it has come. */
export const LOCK_ROLL_UP = statement('lock log roll-up', {
  gives: { until: 'uuid', nowMs: 'float8' },
  sql: () =>
    'select until, (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs" from log_roll_up where id = 1 for update',
});

/** The oldest entry from an id on: hours without any are passed over. */
export const OLDEST_FROM = statement('oldest entry from', {
  takes: { from: 'uuid' },
  gives: { id: 'uuid' },
  sql: p => `select id from attempts where id >= ${p.from} order by id limit 1`,
});

/** Whether a send of this time is still under way: its attempt may be stored yet, with an id of this time. */
export const IS_UNDER_WAY = statement('is under way', {
  takes: { pre: 'uuid', hi: 'uuid' },
  gives: { yes: 'boolean' },
  sql: p => `
  select exists (select from messages where id >= ${p.pre} and id < ${p.hi} and lease_until is not null)
    or exists (select from otps where lease_until is not null and position >= ${p.pre} and position < ${p.hi}) as yes`,
});

/** Says how far the hours are counted. */
export const SET_ROLL_UP = statement('set log roll-up', {
  takes: { until: 'uuid' },
  sql: p => `update log_roll_up set until = ${p.until} where id = 1`,
});

/** Takes the late changes of some attempts, oldest first. What changes them again meanwhile leaves a mark of its own. */
export const TAKE_LATE = statement('take late attempts', {
  takes: { limit: 'int' },
  gives: { account: 'uuid', id: 'uuid' },
  sql: p => `
  delete from late_attempts where (attempt_id, status) in (
    select attempt_id, status from late_attempts order by attempt_id limit ${p.limit} for update)
  returning account_id as account, attempt_id as id`,
});

const HOUR = { account: 'uuid?', lo: 'uuid', hi: 'uuid' } as const;
const WIDE_HOUR = { ...HOUR, pre: 'uuid', post: 'uuid' } as const;

const clear = (table: string) =>
  statement(`clear ${table}`, {
    takes: { account: 'uuid?', lo: 'uuid' },
    sql: p => `delete from ${table} where hour = ${p.lo} and (${p.account} is null or account_id = ${p.account})`,
  });

/** Forgets what an hour was counted to, of one account or (null) all. */
export const CLEARS = [clear('log_counts'), clear('log_latencies'), clear('log_otp_counts')];

/** Stores the entries of an hour that are alike, of one account or (null) all. */
export const STORE_ENTRIES = statement('store log counts', {
  takes: HOUR,
  sql: p => `
  insert into log_counts (account_id, hour, type, channel, provider, status, error_code, country, entries, credits)
  select account_id, ${p.lo}, type, channel, provider, status, error_code, country, entries, credits from (${countEntries(
    `a.id >= ${p.lo} and a.id < ${p.hi} and (${p.account} is null or a.account_id = ${p.account})`,
    true,
  )}) n`,
});

/** Stores how long the providers took in an hour. */
export const STORE_LATENCIES = statement('store log latencies', {
  takes: HOUR,
  sql: p => `
  insert into log_latencies (account_id, hour, channel, provider, step, attempts)
  select account_id, ${p.lo}, channel, provider, step, attempts from (${countLatencies(
    `a.id >= ${p.lo} and a.id < ${p.hi} and (${p.account} is null or a.account_id = ${p.account})`,
    true,
  )}) n`,
});

/** Stores the OTPs that were first tried in an hour. */
export const STORE_OTPS = statement('store log otp counts', {
  takes: WIDE_HOUR,
  sql: p => `
  insert into log_otp_counts (account_id, hour, sent, verified)
  select account_id, ${p.lo}, sent, verified from (${countOtps(
    `a.id >= ${p.pre} and a.id < ${p.post} and (${p.account} is null or a.account_id = ${p.account})`,
    p.lo,
    p.hi,
    true,
  )}) n`,
});
