/** The verb *summarize OTPs*: how many were sent, failed and were verified, from the log. For dashboards. */
import type { Ctx } from '../../../context.ts';
import { readListInput } from '../../../db/page.ts';
import { runSql } from '../../../db/statements/sql.ts';
import type { Channel } from '../../../kernel/channel.ts';
import { invalidInput } from '../../../kernel/errors.ts';
import { toUuid, uuidFloor } from '../../../kernel/ids.ts';
import { readScope } from '../../accounts/read-scope.ts';
import { SUMMARY_KEYS, type SummarizeOtpsInput, summarizeOtpsInput } from './list-otps.input.ts';

/** A row of the summary. An OTP counts once: for the day of its first attempt, one channel, and the country of its number. */
export interface OtpSummary {
  /** The day in UTC, `2026-11-21`; null: the rows are not apart by day. */
  readonly day: string | null;
  /** The first that accepted it, else the first that may have, else the first that was tried; null also for what never went out. */
  readonly channel: Channel | null;
  /** ISO 3166-1 alpha-2; null also where the number tells none. */
  readonly country: string | null;
  /** OTPs that a provider accepted or may have, and those that were verified, whatever the provider said. */
  readonly sent: number;
  /** OTPs all of whose attempts failed, then or by a later report, and that were not verified. */
  readonly failed: number;
  /** OTPs whose code was given. */
  readonly verified: number;
  /** Verified among sent, 0 to 1; null: none were sent. */
  readonly conversionRate: number | null;
  /** Wrong codes. */
  readonly incorrect: number;
  /** OTPs that were tried after their time, or after a newer one. */
  readonly expired: number;
  /** OTPs of which a guess was turned down unseen. */
  readonly blocked: number;
  /** Sends that the fraud guard refused. */
  readonly refused: number;
  /** Sends that it would have refused. */
  readonly flagged: number;
  /** From the making of an OTP to its verification, the median in seconds; null: none were verified. */
  readonly medianSecondsToVerify: number | null;
}

const DAY_MS = 86_400_000;

/** Days of a summary that names no time. */
const DAYS_DEFAULT = 30;

/** The most days of one summary: a quarter. */
const DAYS_MAX = 92;

/** Attempts of an OTP are made within its hour; the rest is for clocks that differ. Who was sent again is not taken for new. */
const EARLIER_MS = 2 * 3_600_000;

/** What becomes of an OTP comes within its hour and the day that it is kept for after it, until the next purge. */
const LATER_MS = 26 * 3_600_000;

/**
 * Sums up the OTPs that the caller may see and whose first attempt was made in a time, with all that became of them later too;
 * a token of the area `sms` sees none. Newest day first, and no row where there were none.
 * @throws AppError `invalid_input` on `from` (after `to`, or more than 92 days before it), `to` and `by`; and as `readScope`.
 */
export async function summarizeOtps(ctx: Ctx, input: SummarizeOtpsInput): Promise<OtpSummary[]> {
  const scope = readScope(ctx);
  const { by, ...times } = readListInput(summarizeOtpsInput, input);
  const now = ctx.clock.now();
  const from = times.from ?? defaultFrom(times.to ?? now);
  const days = ((times.to ?? now).getTime() - from.getTime()) / DAY_MS;
  if (days < 0) throw invalidInput('from', 'must not be after to');
  if (days > DAYS_MAX) throw invalidInput('from', `must be at most ${DAYS_MAX} days before to`);
  if (scope.area === 'sms') return [];
  const keys: readonly string[] = by ?? SUMMARY_KEYS;
  return runSql<OtpSummary>(ctx.services.database.sql(ctx.signal), SUMMARIZE, [
    toUuid(scope.accountId),
    scope.area ?? null,
    uuidFloor(new Date(from.getTime() - EARLIER_MS)),
    uuidFloor(new Date((times.to ?? now).getTime() + LATER_MS)),
    from.getTime(),
    times.to?.getTime() ?? null,
    keys.includes('day'),
    keys.includes('channel'),
    keys.includes('country'),
  ]);
}

/** The beginning of the UTC day that makes 30 days with the last one. */
function defaultFrom(to: Date): Date {
  const lastDay = Math.floor((to.getTime() - 1) / DAY_MS);
  return new Date((lastDay - DAYS_DEFAULT + 1) * DAY_MS);
}

/** A provider that took an attempt gave it an id, whatever was reported later. */
const ACCEPTED = `(e.status in ('sent', 'delivered', 'read') or e.provider_message_id is not null)`;

/**
 * `entries` is a range of ids, `pins` the OTPs whose first attempt falls into the time, `guarded` what the fraud guard wrote, which
 * names no OTP. Parameters: account, area or null, lowest id, id that is too late, from and to (null: no end) in milliseconds, and
 * three that say what the rows are apart by.
 */
const SUMMARIZE = `
  with entries as materialized (
    select id, type, pin_id, channel, country, status, provider_message_id, started_at, finished_at
    from attempts
    where account_id = $1::uuid and ($2::text is null or area = $2) and id >= $3::uuid and id < $4::uuid
      and type <> 'message_attempt'
  ), span as materialized (
    select to_timestamp($5::float8 / 1000) as since, coalesce(to_timestamp($6::float8 / 1000), 'infinity') as until
  ), pins as (
    select min(e.started_at) filter (where e.type = 'otp_attempt') as at,
      (array_agg(e.channel order by case when ${ACCEPTED} then 0 when e.status = 'unknown' then 1 else 2 end, e.finished_at, e.id)
        filter (where e.type = 'otp_attempt'))[1] as channel,
      max(e.country) as country,
      coalesce(bool_or(${ACCEPTED} or e.status = 'unknown') filter (where e.type = 'otp_attempt'), false) as has_left,
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
    select case when $7::boolean then to_char(c.at at time zone 'UTC', 'YYYY-MM-DD') end as day,
      case when $8::boolean then c.channel end as channel, case when $9::boolean then c.country end as country,
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
  order by day desc, channel nulls last, country nulls last`;
