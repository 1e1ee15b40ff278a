/** The statements of the fraud guard. */
import { records } from '../../../db/statements/records.ts';
import { statement } from '../../../db/statements/statement.ts';

/** Places of accounts. */
const PLACES = records('account_id uuid, place text');

/** Locks each place of an account that blocks until the transaction ends, in order. A send that waits for a lock counts those of the others. */
export const LOCK_PLACES = statement('lock places', {
  takes: { places: PLACES },
  gives: { count: 'int' },
  sql: p => `
  select count(pg_advisory_xact_lock(hashtextextended(name, 4820260004)))::int as count
  from (select distinct account_id::text || ' ' || place as name from ${p.places('p')} order by 1) names`,
});

/** Sums up the traffic of places. Of the hour before this one the part that is less than an hour ago counts, as if its OTPs were spread evenly. */
export const READ_TRAFFIC = statement('read traffic', {
  takes: { places: PLACES },
  gives: {
    account_id: 'uuid',
    place: 'text',
    sent1h: 'int',
    verified1h: 'int',
    sent24h: 'int',
    verified24h: 'int',
    maxVerifiedDay: 'int',
  },
  sql: p => `
  with clock as materialized (
    select clock_timestamp() as at, date_trunc('hour', clock_timestamp()) as this_hour
  ), counted as materialized (
    select t.*, case when hour = this_hour then 1 when hour = this_hour - interval '1 hour'
        then 1 - extract(epoch from at - this_hour) / 3600 else 0 end as share,
      hour > at - interval '24 hours' as is_day
    from (select distinct account_id, place from ${p.places('p')}) p
    join otp_traffic t using (account_id, place) cross join clock
    where hour > at - interval '14 days'
  )
  select account_id, place, floor(sum(sent * share))::int as "sent1h", floor(sum(verified * share))::int as "verified1h",
    coalesce(sum(sent) filter (where is_day), 0)::int as "sent24h",
    coalesce(sum(verified) filter (where is_day), 0)::int as "verified24h",
    (select max(day.verified) from (
       select sum(d.verified)::int as verified from counted d
       where d.account_id = c.account_id and d.place = c.place group by date_trunc('day', d.hour)) day) as "maxVerifiedDay"
  from counted c group by account_id, place`,
});
