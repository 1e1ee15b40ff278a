/** The limits of a recipient in words: why a send or a resend was refused, and for how long. */

import type { OtpSettings } from '../../../context.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import type { AppError } from '../../../kernel/errors.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { LimitError } from '../../../kernel/rate-limit.ts';
import { EXPLAIN } from '../send/issue.sql.ts';
import type { IssueItem } from '../send/issue-item.ts';

/** The recipient of a send, of one account. */
export function recipientOf({ otp }: IssueItem): string {
  return `${otp.accountId} ${otp.recipient}`;
}

/** The recipient of a send as a row of the statement, with its limits. */
export function recipientRow({ otp, settings, isExempt }: IssueItem) {
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

/** Why each of these sends was refused, all of them to recipients without room. */
export async function explainRefusals(sql: Sql, items: readonly IssueItem[]): Promise<Map<IssueItem, AppError>> {
  if (items.length === 0) return new Map();
  const rows = await EXPLAIN.run(sql, { recipients: items.map(recipientRow) });
  return new Map(
    items.map(item => {
      const { otp } = item;
      const row = rows.find(found => found.account_id === toUuid(otp.accountId) && found.recipient === otp.recipient);
      const [left, hour, day] = [row?.cooldown ?? 0, row?.hour ?? 0, row?.day ?? 0];
      // A cooldown may be over between the two statements, where there is one.
      const wasCooldown = left > 0 || (item.settings.cooldownSeconds > 0 && Math.max(hour, day) <= 0);
      if (wasCooldown) return [item, cooldown(item, Math.max(left, 1))];
      return [item, tooManySends(item.settings, hour, day)];
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
