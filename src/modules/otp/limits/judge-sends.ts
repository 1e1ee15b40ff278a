/** The fraud guard's look at the sends of a group, with what was counted for their places. Part of the batch *issue*. */
import { asJson, runSql, type Sql } from '../../../db/statements/sql.ts';
import { AppError, invalidInput } from '../../../kernel/errors.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import type { IssueItem } from '../send/issue-item.ts';
import { rateFault, type Traffic } from './fraud.policy.ts';

/** Why a send was found suspicious, and the error that it is refused with; null where the account only observes. */
export interface Decision {
  /** `country_not_allowed`, `number_type_refused` or `too_many_unverified`. */
  readonly code: string;
  readonly message: string;
  readonly refusal: AppError | null;
}

/** How long a caller waits whose place has too many unverified OTPs: the shorter of the windows. */
const RETRY_AFTER_SECONDS = 3_600;

/** The decisions about those sends that are suspicious. The others, and those of accounts without a guard, are not among them. */
export async function judgeSends(sql: Sql, items: readonly IssueItem[]): Promise<Map<IssueItem, Decision>> {
  const guarded = items.filter(item => !item.isExempt && item.settings.fraudMode !== 'off');
  const traffic = await readTraffic(sql, guarded);
  const more = new Map<string, number>();
  const decisions = new Map<IssueItem, Decision>();
  for (const item of guarded) {
    const places = item.places.map(place => `${item.otp.accountId} ${place}`);
    const decision = judge(
      item,
      places.map(place => ({ traffic: traffic.get(place), more: more.get(place) ?? 0 })),
    );
    if (decision) decisions.set(item, decision);
    if (decision?.refusal) continue;
    for (const place of places) more.set(place, (more.get(place) ?? 0) + 1);
  }
  return decisions;
}

function judge(
  { numberFault, places, settings }: IssueItem,
  counted: readonly { readonly traffic: Traffic | undefined; readonly more: number }[],
): Decision | null {
  const blocks = settings.fraudMode === 'block';
  if (numberFault) return { ...numberFault, refusal: blocks ? invalidInput('to', numberFault.message) : null };
  for (const [index, { traffic, more }] of counted.entries()) {
    const message = rateFault(traffic ?? emptyTraffic(places[index] ?? ''), more);
    if (message === null) continue;
    const refusal = new AppError('rate_limited', `${message}.`, { retryAfter: RETRY_AFTER_SECONDS });
    return { code: 'too_many_unverified', message, refusal: blocks ? refusal : null };
  }
  return null;
}

function emptyTraffic(place: string): Traffic {
  return { place, sent1h: 0, verified1h: 0, sent24h: 0, verified24h: 0, maxVerifiedDay: 0 };
}

/**
 * One lock for each place of an account that blocks, held to the end of the transaction: whoever waits for it counts what the
 * others sent. In their order, so that nobody deadlocks.
 */
const LOCK = `
  select pg_advisory_xact_lock(hashtextextended(name, 4820260004))
  from (select distinct account_id::text || ' ' || place as name
        from json_to_recordset($1::json) as p(account_id uuid, place text) order by 1) names`;

/**
 * What was counted, by hours. The last hour is this one and the part of the one before that is not an hour ago: its OTPs are
 * taken to be spread evenly.
 */
const TRAFFIC = `
  with clock as materialized (
    select clock_timestamp() as at, date_trunc('hour', clock_timestamp()) as this_hour
  ), counted as materialized (
    select t.*, case when hour = this_hour then 1 when hour = this_hour - interval '1 hour'
        then 1 - extract(epoch from at - this_hour) / 3600 else 0 end as share,
      hour > at - interval '24 hours' as is_day
    from (select distinct account_id, place from json_to_recordset($1::json) as p(account_id uuid, place text)) p
    join otp_traffic t using (account_id, place) cross join clock
    where hour > at - interval '14 days'
  )
  select account_id, place, floor(sum(sent * share))::int as "sent1h", floor(sum(verified * share))::int as "verified1h",
    coalesce(sum(sent) filter (where is_day), 0)::int as "sent24h",
    coalesce(sum(verified) filter (where is_day), 0)::int as "verified24h",
    (select max(day.verified) from (
       select sum(d.verified)::int as verified from counted d
       where d.account_id = c.account_id and d.place = c.place group by date_trunc('day', d.hour)) day) as "maxVerifiedDay"
  from counted c group by account_id, place`;

async function readTraffic(sql: Sql, items: readonly IssueItem[]): Promise<Map<string, Traffic>> {
  if (items.length === 0) return new Map();
  const placesOf = (some: readonly IssueItem[]): string =>
    asJson(some.flatMap(({ otp, places }) => places.map(place => ({ account_id: toUuid(otp.accountId), place }))));
  const blocking = items.filter(item => item.settings.fraudMode === 'block');
  if (blocking.length > 0) await runSql(sql, LOCK, [placesOf(blocking)]);
  const rows = await runSql<Traffic & { account_id: string }>(sql, TRAFFIC, [placesOf(items)]);
  return new Map(rows.map(({ account_id, ...row }) => [`${fromUuid('acc', account_id)} ${row.place}`, row]));
}
