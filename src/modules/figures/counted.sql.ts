/** How the log is counted: alike for the job, and for what is read at once. `a` is a row of `attempts`. */
import { ACCEPTED } from '../otp/reports/accepted.sql.ts';

/** The numbers of the first columns, for `group by`. */
const firstColumns = (count: number): string => Array.from({ length: count }, (_, index) => index + 1).join(', ');

/** Entries that are alike. @param within a condition on `a`. @param byAccount whether those of each account are counted by themselves, in a column before the others */
export const countEntries = (within: string, byAccount = false): string => `
    select ${byAccount ? 'a.account_id, ' : ''}a.type, coalesce(a.channel, '') as channel, coalesce(a.provider, '') as provider, a.status,
      coalesce(a.error_code, '') as error_code, case when a.error_code is null then '' else coalesce(a.country, '') end as country,
      count(*)::int as entries, sum(a.credits)::int as credits
    from attempts a where ${within}
    group by ${firstColumns(byAccount ? 7 : 6)}`;

/** How long providers took, in powers of 1.1 of milliseconds. Parameters as of `countEntries`. */
export const countLatencies = (within: string, byAccount = false): string => `
    select ${byAccount ? 'a.account_id, ' : ''}a.channel, a.provider,
      floor(ln(greatest(extract(epoch from a.finished_at - a.started_at)::float8 * 1000, 1)) / ln(1.1::float8))::int as step,
      count(*)::int as attempts
    from attempts a
    where ${within} and a.type in ('message_attempt', 'otp_attempt') and a.provider is not null and a.finished_at is not null
    group by ${firstColumns(byAccount ? 4 : 3)}`;

/** OTPs that were first tried from `lo` to before `hi`. @param within a condition on `a` that all entries of these OTPs meet */
export const countOtps = (within: string, lo: string, hi: string, byAccount = false): string => `
    select ${byAccount ? 'account_id, ' : ''}(count(*) filter (where has_left or is_verified))::int as sent,
      (count(*) filter (where is_verified))::int as verified
    from (
      select a.account_id, min(a.id::text collate "C") filter (where a.type = 'otp_attempt') as first_id,
        coalesce(bool_or(${ACCEPTED('a')} or a.status = 'unknown') filter (where a.type = 'otp_attempt'), false) as has_left,
        bool_or(a.type = 'otp_verified') as is_verified
      from attempts a where ${within} and a.type <> 'message_attempt' and a.pin_id is not null
      group by a.account_id, a.pin_id
    ) pins where first_id >= ${lo}::text collate "C" and first_id < ${hi}::text collate "C"${byAccount ? ' group by account_id' : ''}`;
