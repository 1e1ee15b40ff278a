/** The limits of a recipient: the cooldown of an area, and the sends of an hour and a day. Part of the batch *issue*. */
import { asJson, runSql, type Sql } from '../../db/sql.ts';
import { AppError } from '../../kernel/errors.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { IssueItem } from './issue.ts';

/**
 * Counts the sends whose recipients have room, each by one conditional upsert of the recipient's row, which stays locked to the end
 * of the transaction; answers the refusals of the others. A refused send counts nowhere. Rows go in their order, so that two
 * processes wait for each other instead of deadlocking.
 */
export async function admitRecipients(sql: Sql, items: readonly IssueItem[]): Promise<Map<IssueItem, AppError>> {
  const refusals = new Map<IssueItem, AppError>();
  for (let waiting = [...items]; waiting.length > 0; ) {
    const round = [...new Map(waiting.toReversed().map(item => [recipientOf(item), item])).values()];
    const admitted = await admit(sql, round);
    const lost = round.filter(item => !admitted.has(recipientOf(item)));
    for (const [item, refusal] of await explain(sql, lost)) refusals.set(item, refusal);
    for (const item of round) refuseTwins(item, waiting, refusals);
    const done = new Set(round.flatMap(item => (item.isExempt ? twinsOf(item, waiting) : [item])));
    waiting = waiting.filter(item => !done.has(item) && !refusals.has(item));
  }
  return refusals;
}

/** Whoever asks for the same again hears the same, and after a send that its cooldown has begun: no need to ask. */
function refuseTwins(item: IssueItem, waiting: readonly IssueItem[], refusals: Map<IssueItem, AppError>): void {
  const { cooldownSeconds } = item.settings;
  const refusal = refusals.get(item) ?? (cooldownSeconds > 0 ? cooldown(cooldownSeconds) : null);
  if (item.isExempt || refusal === null) return;
  for (const twin of twinsOf(item, waiting)) {
    if (twin !== item && twin.otp.area === item.otp.area) refusals.set(twin, refusal);
  }
}

/** Those to the same recipient. For an exempt one, one lock is enough for all of them. */
function twinsOf(item: IssueItem, waiting: readonly IssueItem[]): IssueItem[] {
  return waiting.filter(twin => recipientOf(twin) === recipientOf(item));
}

function recipientOf({ otp }: IssueItem): string {
  return `${otp.accountId} ${otp.recipient}`;
}

function cooldown(seconds: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(seconds));
  return new AppError('otp_cooldown', `A passcode was sent to this recipient a moment ago. Wait ${retryAfter} s.`, {
    retryAfter,
  });
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

/** How long each refused recipient waits: for its cooldown, else until the oldest send that is in the way leaves its window. */
const EXPLAIN = `
  select i.account_id, i.recipient,
    extract(epoch from (r.cooldowns->>i.area)::timestamptz - clock_timestamp())::float8 as cooldown,
    extract(epoch from greatest(
      (select s from unnest(r.sends) s order by s desc offset i.per_hour - 1 limit 1) + interval '1 hour',
      (select s from unnest(r.sends) s order by s desc offset i.per_day - 1 limit 1) + interval '1 day') - clock_timestamp())::float8 as wait
  from ${ASKED} join otp_recipients r using (account_id, recipient)`;

async function explain(sql: Sql, items: readonly IssueItem[]): Promise<Map<IssueItem, AppError>> {
  if (items.length === 0) return new Map();
  const rows = await runSql<{ account_id: string; recipient: string; cooldown: number | null; wait: number | null }>(
    sql,
    EXPLAIN,
    [asJson(items.map(rowOf))],
  );
  return new Map(
    items.map(item => {
      const { otp } = item;
      const row = rows.find(found => found.account_id === toUuid(otp.accountId) && found.recipient === otp.recipient);
      if ((row?.cooldown ?? 0) > 0) return [item, cooldown(row?.cooldown ?? 0)];
      return [item, tooMany(row?.wait ?? 0)];
    }),
  );
}

function tooMany(seconds: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(seconds));
  return new AppError('rate_limited', 'Too many passcodes were sent to this recipient. Try again later.', {
    retryAfter,
  });
}
