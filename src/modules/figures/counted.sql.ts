/** How the log is counted: alike for the job, and for what is read at once. */
import { uuid7FloorOf, uuid7InstantOf } from '../../db/statements/uuid7.sql.ts';
import { HAS_LEFT } from '../routing/has-left.sql.ts';
import { rankOf } from '../routing/receipts/status-rank.sql.ts';

/** The hour of an id, as its lowest id. */
const hourOf = (id: string): string => uuid7FloorOf(`date_trunc('hour', ${uuid7InstantOf(id)}, 'UTC')`);

const ENTRY_KEY = `type, coalesce(channel, ''), coalesce(provider, ''), status, coalesce(error_code, ''),
      case when error_code is null then '' else coalesce(country, '') end`;

/** The columns of `countEntries` behind those of `keys`. */
export const ENTRY_COLUMNS = 'type, channel, provider, status, error_code, country, entries, credits';

/** Counts equal entries. @param from rows of `attempts` with a `sign`: 1 adds an entry, -1 takes one away @param keys more columns to group by, each with a comma */
export const countEntries = (from: string, keys = ''): string => `
    select ${keys} type, coalesce(channel, '') as channel, coalesce(provider, '') as provider, status, coalesce(error_code, '') as error_code,
      case when error_code is null then '' else coalesce(country, '') end as country,
      sum(sign)::int as entries, sum(sign * credits)::int as credits
    from ${from} group by ${keys} ${ENTRY_KEY}`;

/** How long providers took, in powers of 1.1 of milliseconds. Parameters as of `countEntries`. */
export const countLatencies = (from: string, keys = ''): string => `
    select ${keys} channel, provider,
      floor(ln(greatest(extract(epoch from finished_at - started_at)::float8 * 1000, 1)) / ln(1.1::float8))::int as step,
      sum(sign)::int as attempts
    from ${from}
    where type in ('message_attempt', 'otp_attempt') and provider is not null and finished_at is not null
    group by ${keys} channel, provider, step`;

/** OTPs that were first tried from `lo` to before `hi`. @param within a condition on `a` that all entries of these OTPs meet */
export const countOtps = (within: string, lo: string, hi: string): string => `
    select (count(*) filter (where has_left or is_verified))::int as sent, (count(*) filter (where is_verified))::int as verified
    from (
      select min(a.id::text collate "C") filter (where a.type = 'otp_attempt') as first_id,
        coalesce(bool_or(${HAS_LEFT('a')}) filter (where a.type = 'otp_attempt'), false) as has_left,
        bool_or(a.type = 'otp_verified') as is_verified
      from attempts a where ${within} and a.type <> 'message_attempt' and a.pin_id is not null
      group by a.pin_id
    ) pins where first_id >= ${lo}::text collate "C" and first_id < ${hi}::text collate "C"`;

/** Of the late changes in `marks`, the first one of each attempt: it says as what the attempt is counted. Ranks only rise, and `unknown` goes before its equals. */
export const countedLateCte = (marks: string): string => `late as materialized (
    select distinct on (attempt_id) * from ${marks} m
    order by attempt_id, ${rankOf('was_status')}, was_status = 'unknown' desc
  )`;

/** The attempts of `late` as they are now (`sign` 1), and as they were counted (`sign` -1). */
export const revisedCte = `revised as materialized (
    select ${hourOf('a.id')} as hour, v.sign, a.account_id, a.type, a.channel, a.provider, v.status, v.error_code, a.country, v.credits,
      a.started_at, v.finished_at
    from late t join attempts a on a.id = t.attempt_id cross join lateral (values
      (1, a.status, a.error_code, a.credits, a.finished_at),
      (-1, t.was_status, t.was_error_code, t.was_credits, t.was_finished_at)) v(sign, status, error_code, credits, finished_at)
  )`;

/**
 * How far the counted OTPs of each hour are off. Counted anew is each OTP with an entry that is not counted, or with one in `late`. Its present
 * figures are added, and its counted ones taken away. Entries are found by the id of their OTP, as it may be verified an hour after its hour.
 * @param until the id from which on nothing is counted @param since the id from which on entries that are not counted are looked for
 * @param within a condition on `a` that the entries meet @param end the id from which on OTPs that were first tried are left out
 */
export const otpChangeCtes = (
  until: string,
  since: string,
  within: string,
  end: string,
): string => `touched as materialized (
    select a.pin_id from attempts a where a.id >= ${since} and ${within} and a.type <> 'message_attempt' and a.pin_id is not null
    union
    select a.pin_id from late t join attempts a on a.id = t.attempt_id where a.pin_id is not null
  ), pins as materialized (
    select e.* from touched t cross join lateral (
      select max(a.account_id::text)::uuid as account_id,
        min(a.id::text collate "C") filter (where a.type = 'otp_attempt') as first_id,
        coalesce(bool_or(${HAS_LEFT('a')}) filter (where a.type = 'otp_attempt'), false) as has_left,
        coalesce(bool_or(a.type = 'otp_verified'), false) as is_verified,
        min(a.id::text collate "C") filter (where a.type = 'otp_attempt' and a.id < ${until}) as was_first_id,
        coalesce(bool_or(coalesce(l.was_left, ${HAS_LEFT('a')})) filter (where a.type = 'otp_attempt' and a.id < ${until}), false) as had_left,
        coalesce(bool_or(a.type = 'otp_verified' and a.id < ${until}), false) as was_verified
      from attempts a left join late l on l.attempt_id = a.id
      where a.pin_id = t.pin_id and ${within} and a.id >= (
        select ${uuid7FloorOf(`greatest(to_timestamp(0), ${uuid7InstantOf(`least(${since}, (select attempt_id from late order by 1 limit 1))`)} - interval '3 hours')`)})
    ) e
  ), otps_changed as (
    select account_id, ${hourOf('first_id')} as hour, sum(sent)::int as sent, sum(verified)::int as verified
    from (
      select account_id, first_id, (has_left or is_verified)::int as sent, is_verified::int as verified from pins
      union all
      select account_id, was_first_id, -((had_left or was_verified)::int), -(was_verified::int) from pins
    ) signed where first_id < (${end})::text collate "C" group by 1, 2 having sum(sent) <> 0 or sum(verified) <> 0
  )`;
