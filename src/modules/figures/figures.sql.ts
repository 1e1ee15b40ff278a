/** The statements that count the log: what is counted by hour, and the rest from the entries themselves, in one look. */
import { records } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import type { Channel } from '../../kernel/channel.ts';
import type { LogStatus } from '../../kernel/status.ts';
import type { LogType } from '../answers/log.data.ts';
import { countEntries, countLatencies, countOtps } from './counted.sql.ts';

const SPANS = records('bucket int, lo uuid, hi uuid, pre uuid, post uuid, is_hour boolean');

/** `spans`, those that are counted (`done`), and those that are not yet, or have changed since (`live`). */
const sources = (account: string, spans: string): string => `
  spans as materialized (
    select * from ${spans}
  ), marked as materialized (
    select s.*, not s.is_hour or s.lo >= r.until or exists (
      select from late_attempts t where t.account_id = ${account} and t.attempt_id >= s.lo and t.attempt_id < s.post) as is_live
    from spans s cross join log_roll_up r
  ), live as materialized (select * from marked where is_live), done as materialized (select * from marked where not is_live)`;

/** How many entries there are by bucket, and by all that they are apart by; each a row. */
export const COUNT_ENTRIES = statement('count entries', {
  takes: { account: 'uuid', spans: SPANS },
  gives: {
    bucket: 'int',
    type: typed<LogType>('text'),
    channel: typed<Channel | null>('text'),
    provider: 'text?',
    status: typed<LogStatus>('text'),
    errorCode: 'text?',
    country: 'text?',
    entries: 'int',
    credits: 'int',
  },
  sql: p => `
  with ${sources(p.account, p.spans('s'))}, counted as (
    select d.bucket, type, channel, provider, status, error_code, country, entries, credits
    from done d join log_counts c on c.account_id = ${p.account} and c.hour = d.lo
    union all
    select l.bucket, n.type, n.channel, n.provider, n.status, n.error_code, n.country, n.entries, n.credits
    from live l cross join lateral (${countEntries(`a.account_id = ${p.account} and a.id >= l.lo and a.id < l.hi`)}) n
  )
  select bucket, type, nullif(channel, '') as channel, nullif(provider, '') as provider, status, nullif(error_code, '') as "errorCode",
    nullif(country, '') as country, sum(entries)::int as entries, sum(credits)::int as credits
  from counted group by bucket, type, counted.channel, counted.provider, status, error_code, counted.country`,
});

/** How many attempts took about as long, by channel and provider. */
export const COUNT_LATENCIES = statement('count latencies', {
  takes: { account: 'uuid', spans: SPANS },
  gives: { channel: typed<Channel>('text'), provider: 'text', step: 'int', attempts: 'int' },
  sql: p => `
  with ${sources(p.account, p.spans('s'))}, counted as (
    select channel, provider, step, attempts from done d join log_latencies c on c.account_id = ${p.account} and c.hour = d.lo
    union all
    select n.channel, n.provider, n.step, n.attempts
    from live l cross join lateral (${countLatencies(`a.account_id = ${p.account} and a.id >= l.lo and a.id < l.hi`)}) n
  )
  select channel, provider, step, sum(attempts)::int as attempts from counted group by channel, provider, step
  order by channel, provider, step`,
});

/** How many OTPs were sent and verified, by the bucket of their first attempt. */
export const COUNT_OTPS = statement('count otps', {
  takes: { account: 'uuid', spans: SPANS },
  gives: { bucket: 'int', sent: 'int', verified: 'int' },
  sql: p => `
  with ${sources(p.account, p.spans('s'))}, counted as (
    select d.bucket, sent, verified from done d join log_otp_counts c on c.account_id = ${p.account} and c.hour = d.lo
    union all
    select l.bucket, n.sent, n.verified
    from live l cross join lateral (${countOtps(`a.account_id = ${p.account} and a.id >= l.pre and a.id < l.post`, 'l.lo', 'l.hi')}) n
  )
  select bucket, sum(sent)::int as sent, sum(verified)::int as verified from counted group by bucket`,
});
