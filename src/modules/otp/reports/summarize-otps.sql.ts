/** The statement of the verb *summarize OTPs*. */

import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import type { Channel } from '../../../kernel/channel.ts';
import { ACCEPTED, HAS_LEFT } from '../../routing/has-left.sql.ts';

/** `entries` is a range of ids, `pins` the OTPs first tried in the time, `guarded` what the fraud guard wrote, which names no OTP. */
export const SUMMARIZE_OTPS = statement('summarize otps', {
  takes: {
    account: 'uuid',
    area: 'text?',
    lowestId: 'uuid',
    idEnd: 'uuid',
    fromMs: 'float8',
    toMs: 'float8?',
    byDay: 'boolean',
    byChannel: 'boolean',
    byCountry: 'boolean',
  },
  gives: {
    day: 'text?',
    channel: typed<Channel | null>('text'),
    country: 'text?',
    sent: 'int',
    failed: 'int',
    verified: 'int',
    conversionRate: 'float8?',
    incorrect: 'int',
    expired: 'int',
    blocked: 'int',
    refused: 'int',
    flagged: 'int',
    medianSecondsToVerify: 'float8?',
  },
  sql: p => `
  with entries as materialized (
    select id, type, pin_id, channel, country, status, provider_message_id, started_at, finished_at
    from attempts
    where account_id = ${p.account} and (${p.area} is null or area = ${p.area}) and id >= ${p.lowestId} and id < ${p.idEnd}
      and type not in ('message_attempt', 'inbound')
  ), span as materialized (
    select to_timestamp(${p.fromMs} / 1000) as since, coalesce(to_timestamp(${p.toMs} / 1000), 'infinity') as until
  ), pins as (
    select min(e.started_at) filter (where e.type = 'otp_attempt') as at,
      (array_agg(e.channel order by case when ${ACCEPTED('e')} then 0 when e.status = 'unknown' then 1 else 2 end, e.finished_at, e.id)
        filter (where e.type = 'otp_attempt'))[1] as channel,
      max(e.country) as country,
      coalesce(bool_or(${HAS_LEFT('e')}) filter (where e.type = 'otp_attempt'), false) as has_left,
      coalesce(bool_and(e.status in ('failed', 'expired')) filter (where e.type = 'otp_attempt'), false) as has_failed,
      bool_or(e.type = 'otp_verified') as is_verified,
      count(*) filter (where e.type = 'otp_incorrect') as incorrect,
      bool_or(e.type = 'otp_expired') as is_expired,
      bool_or(e.type = 'otp_blocked') as is_blocked,
      min(extract(epoch from e.finished_at - e.started_at)::float8) filter (where e.type = 'otp_verified') as seconds
    from entries e where e.pin_id is not null
    group by e.pin_id
  ), guarded as (
    select e.started_at as at, e.channel, e.country, e.type from entries e where e.pin_id is null
  ), counted as (
    select at, channel, country, has_left or is_verified as is_sent, has_failed and not is_verified as is_failed, is_verified,
      incorrect, is_expired, is_blocked, false as is_refused, false as is_flagged, seconds
    from pins
    union all
    select at, channel, country, false, false, false, 0, false, false, type = 'otp_blocked', type = 'otp_flagged', null
    from guarded
  ), grouped as (
    select case when ${p.byDay} then to_char(c.at at time zone 'UTC', 'YYYY-MM-DD') end as day,
      case when ${p.byChannel} then c.channel end as channel, case when ${p.byCountry} then c.country end as country,
      is_sent, is_failed, is_verified, incorrect, is_expired, is_blocked, is_refused, is_flagged, seconds
    from counted c cross join span where c.at >= since and c.at < until
  )
  select day, channel, country,
    count(*) filter (where is_sent)::int as sent,
    count(*) filter (where is_failed)::int as failed,
    count(*) filter (where is_verified)::int as verified,
    count(*) filter (where is_verified)::float8 / nullif(count(*) filter (where is_sent), 0) as "conversionRate",
    sum(incorrect)::int as incorrect,
    count(*) filter (where is_expired)::int as expired,
    count(*) filter (where is_blocked)::int as blocked,
    count(*) filter (where is_refused)::int as refused,
    count(*) filter (where is_flagged)::int as flagged,
    percentile_cont(0.5) within group (order by seconds) as "medianSecondsToVerify"
  from grouped group by day, channel, country
  order by day desc, channel nulls last, country nulls last`,
});
