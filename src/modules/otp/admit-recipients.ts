/** The limits of a recipient: the cooldown of an area, and the sends of an hour and a day. Part of the batch *issue*. */
import { asJson, runSql, type Sql } from '../../db/sql.ts';
import type { AppError } from '../../kernel/errors.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { OtpSettings } from '../../kernel/otp-settings.ts';
import { LimitError } from '../../kernel/rate-limit.ts';
import type { IssueItem } from './issue.ts';

/**
 * Counts the sends whose recipients have room, each by one conditional upsert of the recipient's row, which stays locked to the end
 * of the transaction; answers the refusals of the others. A refused send counts nowhere. Rows go in their order, so that two
 * processes wait for each other instead of deadlocking.
 */
export async function admitRecipients(sql: Sql, items: readonly IssueItem[]): Promise<Map<IssueItem, AppError>> {
  const refusals = new Map<IssueItem, AppError>();
  for (let waiting = items; waiting.length > 0; ) {
    const groups = [...Map.groupBy(waiting, recipientOf).values()];
    const admitted = await admit(sql, groups.flatMap(firstOf));
    const lost = groups.flatMap(firstOf).filter(item => !admitted.has(recipientOf(item)));
    for (const [item, refusal] of await explain(sql, lost)) refusals.set(item, refusal);
    waiting = groups.flatMap(group => leftOf(group, refusals));
  }
  return refusals;
}

function firstOf(group: readonly IssueItem[]): readonly IssueItem[] {
  return group.slice(0, 1);
}

/**
 * Those of a group, all to one recipient, that must ask by themselves. Whoever asks for the same again as the first one hears the
 * same, and after a send that its cooldown has begun; an exempt recipient is locked for all of them.
 */
function leftOf([first, ...others]: readonly IssueItem[], refusals: Map<IssueItem, AppError>): readonly IssueItem[] {
  if (!first || first.isExempt) return [];
  const { cooldownSeconds } = first.settings;
  const refusal = refusals.get(first);
  if (!refusal && cooldownSeconds === 0) return others;
  return others.filter(twin => {
    if (twin.otp.area !== first.otp.area) return true;
    refusals.set(twin, refusal ?? cooldown(first, cooldownSeconds));
    return false;
  });
}

function recipientOf({ otp }: IssueItem): string {
  return `${otp.accountId} ${otp.recipient}`;
}

function cooldown({ settings }: IssueItem, seconds: number): AppError {
  const policy = { name: 'otp-cooldown', quota: 1, windowSeconds: settings.cooldownSeconds };
  const message = `A passcode was sent to this recipient a moment ago. Wait ${Math.ceil(seconds)} s.`;
  return new LimitError('otp_cooldown', message, policy, seconds);
}

function rowOf({ otp, settings, isExempt }: IssueItem) {
  return {
    account_id: toUuid(otp.accountId),
    recipient: otp.recipient,
    area: otp.area,
    exempt: isExempt,
    cooldown: settings.cooldownSeconds,
    per_hour: settings.sendsPerHour,
    per_day: settings.sendsPerDay,
  };
}

const ASKED = `json_to_recordset($1::json)
  as i(account_id uuid, recipient text, area text, exempt boolean, cooldown int, per_hour int, per_day int)`;

/** Stamps of an array that are younger than an interval, as SQL. */
const younger = (interval: string): string =>
  `array(select s from unnest(r.sends) s where s > clock_timestamp() - interval '${interval}')`;

/** An exempt recipient's row is empty: it is there to be locked. `excluded` tells which one it is. */
const ADMIT = `
  with asked as materialized (
    select * from ${ASKED}
  ), limits as materialized (
    select distinct account_id, per_hour, per_day from asked
  )
  insert into otp_recipients as r (account_id, recipient, sends, wrongs, cooldowns, updated_at)
  select account_id, recipient, case when exempt then '{}' else array[clock_timestamp()] end, '{}',
    case when exempt then '{}' else jsonb_build_object(area, clock_timestamp() + make_interval(secs => cooldown)) end,
    clock_timestamp()
  from asked order by account_id, recipient
  on conflict (account_id, recipient) do update
    set sends = ${younger('1 day')} || excluded.sends, cooldowns = r.cooldowns || excluded.cooldowns,
        updated_at = clock_timestamp()
    where cardinality(excluded.sends) = 0 or (
      not exists (
        select from jsonb_object_keys(excluded.cooldowns) area where (r.cooldowns->>area)::timestamptz > clock_timestamp())
      and cardinality(${younger('1 hour')}) < (select per_hour from limits l where l.account_id = r.account_id limit 1)
      and cardinality(${younger('1 day')}) < (select per_day from limits l where l.account_id = r.account_id limit 1))
  returning account_id, recipient`;

async function admit(sql: Sql, items: readonly IssueItem[]): Promise<ReadonlySet<string>> {
  if (items.length === 0) return new Set();
  const rows = await runSql<{ account_id: string; recipient: string }>(sql, ADMIT, [asJson(items.map(rowOf))]);
  const names = new Map(items.map(item => [`${toUuid(item.otp.accountId)} ${item.otp.recipient}`, recipientOf(item)]));
  return new Set(rows.flatMap(row => names.get(`${row.account_id} ${row.recipient}`) ?? []));
}

/** How long, in seconds, until a window of the recipient `r` has room for one more send, as SQL; null: it has. */
export const windowWait = (limit: string, span: string): string =>
  `extract(epoch from (select s from unnest(r.sends) s order by s desc offset ${limit} - 1 limit 1)
    + interval '${span}' - clock_timestamp())::float8`;

/** How long each refused recipient waits: for its cooldown, else until the oldest send that is in the way leaves its window. */
const EXPLAIN = `
  select i.account_id, i.recipient,
    extract(epoch from (r.cooldowns->>i.area)::timestamptz - clock_timestamp())::float8 as cooldown,
    ${windowWait('i.per_hour', '1 hour')} as hour, ${windowWait('i.per_day', '1 day')} as day
  from ${ASKED} join otp_recipients r using (account_id, recipient)`;

/** How long a recipient waits for each limit, in seconds; null or negative: not for this one. */
interface Waits {
  readonly account_id: string;
  readonly recipient: string;
  readonly cooldown: number | null;
  readonly hour: number | null;
  readonly day: number | null;
}

async function explain(sql: Sql, items: readonly IssueItem[]): Promise<Map<IssueItem, AppError>> {
  if (items.length === 0) return new Map();
  const rows = await runSql<Waits>(sql, EXPLAIN, [asJson(items.map(rowOf))]);
  return new Map(
    items.map(item => {
      const { otp } = item;
      const row = rows.find(found => found.account_id === toUuid(otp.accountId) && found.recipient === otp.recipient);
      if ((row?.cooldown ?? 0) > 0) return [item, cooldown(item, row?.cooldown ?? 0)];
      return [item, tooManySends(item.settings, row?.hour ?? 0, row?.day ?? 0)];
    }),
  );
}

/** The refusal of a send whose recipient has had too many, with the seconds until each window has room. */
export function tooManySends(settings: OtpSettings, hour: number, day: number): AppError {
  const policy =
    day > hour
      ? { name: 'otp-sends-day', quota: settings.sendsPerDay, windowSeconds: 86_400 }
      : { name: 'otp-sends-hour', quota: settings.sendsPerHour, windowSeconds: 3_600 };
  const message = 'Too many passcodes were sent to this recipient. Try again later.';
  return new LimitError('rate_limited', message, policy, Math.max(hour, day));
}
