/** The statements of the verb *roll up the log*. They run in one transaction, which holds the row of `log_roll_up`. */
import { statement } from '../../db/statements/statement.ts';
import {
  countEntries,
  countedLateCte,
  countLatencies,
  ENTRY_COLUMNS,
  otpChangeCtes,
  revisedCte,
} from './counted.sql.ts';

/** Waits for another process that counts, and answers how far it has come. */
export const LOCK_ROLL_UP = statement('lock log roll-up', {
  gives: { until: 'uuid' },
  sql: () => 'select until from log_roll_up where id = 1 for update',
});

/** The time of the database, and the ids of the oldest message and OTP under way. Their attempts may still be stored, with ids of that time. */
export const OLDEST_UNDER_WAY = statement('oldest under way', {
  gives: { nowMs: 'float8', message: 'uuid?', otp: 'uuid?' },
  sql: () => `
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs",
    (select oldest from routing_marks order by oldest limit 1) as message,
    (select position from otps where lease_until is not null order by position limit 1) as otp`,
});

/** The oldest entry from an id on but `skipped`. */
export const ENTRY_FROM = statement('entry from', {
  takes: { from: 'uuid', skipped: 'int' },
  gives: { id: 'uuid' },
  sql: p => `select id from attempts where id >= ${p.from} order by id offset ${p.skipped} limit 1`,
});

/**
 * Counts the entries from `until` to before `next`, all of one hour, and the late changes of entries before. One statement sees one state of the log:
 * it counts a change and takes its mark, or does neither. A change made meanwhile leaves a new mark.
 */
export const COUNT_ON = statement('count log on', {
  takes: { until: 'uuid', next: 'uuid', hour: 'uuid' },
  sql: p => `
  with taken as (
    delete from late_attempts where attempt_id < ${p.next} returning *
  ), ${countedLateCte(`(select * from taken where attempt_id < ${p.until})`)}, ${revisedCte}, changed as materialized (
    select * from revised
    union all
    select ${p.hour}, 1, account_id, type, channel, provider, status, error_code, country, credits, started_at, finished_at
    from attempts where id >= ${p.until} and id < ${p.next}
  ), ${otpChangeCtes(p.until, p.until, `a.id < ${p.next}`, p.next)}, entries as (
    insert into log_counts as c (account_id, hour, ${ENTRY_COLUMNS})
    ${countEntries('changed', 'account_id, hour, ')} having sum(sign) <> 0 or sum(sign * credits) <> 0
    on conflict (account_id, hour, type, channel, provider, status, error_code, country)
    do update set entries = c.entries + excluded.entries, credits = c.credits + excluded.credits
  ), latencies as (
    insert into log_latencies as c (account_id, hour, channel, provider, step, attempts)
    ${countLatencies('changed', 'account_id, hour, ')} having sum(sign) <> 0
    on conflict (account_id, hour, channel, provider, step) do update set attempts = c.attempts + excluded.attempts
  ), otps_counted as (
    insert into log_otp_counts as c (account_id, hour, sent, verified)
    select account_id, hour, sent, verified from otps_changed
    on conflict (account_id, hour) do update set sent = c.sent + excluded.sent, verified = c.verified + excluded.verified
  )
  update log_roll_up set until = ${p.next} where id = 1`,
});
