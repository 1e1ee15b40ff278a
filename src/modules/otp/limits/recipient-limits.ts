/** The limits of a recipient in words: why a send or a resend was refused, and for how long. */

import type { OtpSettings } from '../../../context.ts';
import { asJson, runSql, type Sql } from '../../../db/statements/sql.ts';
import type { AppError } from '../../../kernel/errors.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { LimitError } from '../../../kernel/rate-limit.ts';
import { ASKED } from '../send/issue.sql.ts';
import type { IssueItem } from '../send/issue-item.ts';

/** The recipient of a send, of one account. */
export function recipientOf({ otp }: IssueItem): string {
  return `${otp.accountId} ${otp.recipient}`;
}

/** The recipient of a send as a row of the statement, with its limits. */
export function recipientRow({ otp, settings, isExempt }: IssueItem): object {
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

/** The refusal of a send that comes so many seconds before its cooldown is over. */
export function cooldown({ settings }: IssueItem, seconds: number): AppError {
  const policy = { name: 'otp-cooldown', quota: 1, windowSeconds: settings.cooldownSeconds };
  const message = `A passcode was sent to this recipient a moment ago. Wait ${Math.ceil(seconds)} s.`;
  return new LimitError('otp_cooldown', message, policy, seconds);
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

/** Why each of these sends was refused, all of them to recipients without room. */
export async function explainRefusals(sql: Sql, items: readonly IssueItem[]): Promise<Map<IssueItem, AppError>> {
  if (items.length === 0) return new Map();
  const rows = await runSql<Waits>(sql, EXPLAIN, [asJson(items.map(recipientRow))]);
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
