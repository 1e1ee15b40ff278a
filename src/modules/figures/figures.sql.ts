/** The statements that count the log: what is counted by hour, and the rest from the entries themselves, in one look. */
import { records } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import type { Channel } from '../../kernel/channel.ts';
import type { LogStatus } from '../../kernel/status.ts';
import type { LogType } from '../answers/log.data.ts';
import {
  countEntries,
  countedLateCte,
  countLatencies,
  countOtps,
  ENTRY_COLUMNS,
  otpChangeCtes,
  revisedCte,
} from './counted.sql.ts';

const SPANS = records('bucket int, lo uuid, hi uuid, pre uuid, post uuid, is_hour boolean');

/**
 * The CTEs that counts begin with. `hours`: the spans that are whole hours, for the tables of counts. `live`: the spans to be read from the log, from `since`
 * on: parts of hours, and hours that are not counted yet. `late` and `revised`: attempts that changed after they were counted.
 */
const sources = (account: string, spans: string): string => `
  spans as materialized (
    select s.*, r.until from ${spans} cross join log_roll_up r
  ), hours as materialized (select * from spans where is_hour), live as materialized (
    select *, case when is_hour then greatest(lo, until) else lo end as since from spans where not is_hour or hi > until
  ), ${countedLateCte(`(select t.* from late_attempts t where t.account_id = ${account} and t.attempt_id < (select until from log_roll_up))`)}, ${revisedCte}`;

/** The entries of a span of `live`. */
const liveEntries = (account: string): string =>
  `(select 1 as sign, a.* from attempts a where a.account_id = ${account} and a.id >= l.since and a.id < l.hi) n`;

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
    select h.bucket, ${ENTRY_COLUMNS} from hours h join log_counts c on c.account_id = ${p.account} and c.hour = h.lo
    union all
    select l.bucket, n.* from live l cross join lateral (${countEntries(liveEntries(p.account))}) n
    union all
    select h.bucket, ${ENTRY_COLUMNS} from hours h join (${countEntries('revised', 'hour, ')}) n on n.hour = h.lo
  )
  select bucket, type, nullif(channel, '') as channel, nullif(provider, '') as provider, status, nullif(error_code, '') as "errorCode",
    nullif(country, '') as country, sum(entries)::int as entries, sum(credits)::int as credits
  from counted group by bucket, type, counted.channel, counted.provider, status, error_code, counted.country
  having sum(entries) <> 0 or sum(credits) <> 0`,
});

/** How many attempts took about as long, by channel and provider. */
export const COUNT_LATENCIES = statement('count latencies', {
  takes: { account: 'uuid', spans: SPANS },
  gives: { channel: typed<Channel>('text'), provider: 'text', step: 'int', attempts: 'int' },
  sql: p => `
  with ${sources(p.account, p.spans('s'))}, counted as (
    select channel, provider, step, attempts from hours h join log_latencies c on c.account_id = ${p.account} and c.hour = h.lo
    union all
    select n.* from live l cross join lateral (${countLatencies(liveEntries(p.account))}) n
    union all
    select channel, provider, step, attempts from hours h join (${countLatencies('revised', 'hour, ')}) n on n.hour = h.lo
  )
  select channel, provider, step, sum(attempts)::int as attempts from counted group by channel, provider, step having sum(attempts) <> 0
  order by channel, provider, step`,
});

/** How many OTPs were sent and verified, by the bucket of their first attempt. */
export const COUNT_OTPS = statement('count otps', {
  takes: { account: 'uuid', spans: SPANS },
  gives: { bucket: 'int', sent: 'int', verified: 'int' },
  sql: p => `
  with ${sources(p.account, p.spans('s'))}, ${otpChangeCtes(
    '(select until from log_roll_up)',
    // Entries before the hours asked for are left out, should nothing be counted yet.
    '(select greatest(until, (select min(pre::text)::uuid from hours)) from log_roll_up)',
    `a.account_id = ${p.account}`,
    '(select max(hi::text) from hours)',
  )}, counted as (
    select h.bucket, sent, verified from hours h join log_otp_counts c on c.account_id = ${p.account} and c.hour = h.lo
    union all
    select l.bucket, n.sent, n.verified from live l cross join lateral (
      ${countOtps(`a.account_id = ${p.account} and a.id >= l.pre and a.id < l.post`, 'l.lo', 'l.hi')}) n
    where not l.is_hour
    union all
    select h.bucket, sent, verified from hours h join otps_changed n on n.hour = h.lo
  )
  select bucket, sum(sent)::int as sent, sum(verified)::int as verified from counted group by bucket`,
});

/** Whether an OTP was ever verified, of those that are counted. */
export const HAS_VERIFIED = statement('has verified', {
  takes: { account: 'uuid' },
  gives: { yes: 'boolean' },
  sql: p => `select exists (select from log_otp_counts where account_id = ${p.account} and verified > 0) as yes`,
});

const TOOK_MS = 'extract(epoch from finished_at - started_at)::float8 * 1000';

/** The newest attempts of an account since an id that a provider was asked for, by what they went by and where to. Their rows are visited one by one. */
export const COUNT_ROUTES = statement('count routes', {
  takes: { account: 'uuid', from: 'uuid', newest: 'int', most: 'int' },
  gives: {
    connectionId: 'uuid?',
    connectionName: 'text?',
    channel: typed<Channel>('text'),
    provider: 'text',
    country: 'text?',
    attempts: 'int',
    delivered: 'int',
    failed: 'int',
    p95Ms: 'float8?',
  },
  sql: p => `
  select r.connection_id as "connectionId", c.name as "connectionName", r.channel, r.provider, r.country, r.attempts, r.delivered, r.failed, r.p95_ms as "p95Ms"
  from (
    select connection_id, channel, provider, country, count(*)::int as attempts,
      count(*) filter (where status in ('delivered', 'read'))::int as delivered,
      count(*) filter (where status in ('failed', 'expired'))::int as failed,
      percentile_cont(0.95) within group (order by ${TOOK_MS}) as p95_ms
    from (
      select * from attempts
      where account_id = ${p.account} and id >= ${p.from} and type in ('message_attempt', 'otp_attempt')
      order by id desc limit ${p.newest}
    ) newest
    where provider is not null
    group by 1, 2, 3, 4
  ) r left join connections c on c.id = r.connection_id
  order by r.attempts desc, r.provider, r.country limit ${p.most}`,
});
