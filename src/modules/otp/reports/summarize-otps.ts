/** The verb *summarize OTPs*: how many were sent, failed and were verified, from the log. For dashboards. */
import type { Ctx } from '../../../context.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import { invalidInput } from '../../../kernel/errors.ts';
import { toUuid, uuidFloor } from '../../../kernel/ids.ts';
import { readScope } from '../../accounts/read-scope.ts';
import { reading } from '../../reading/reading.ts';
import { SUMMARY_KEYS, type SummarizeOtpsInput } from './list-otps.input.ts';
import { SUMMARIZE_OTPS } from './summarize-otps.sql.ts';

/** A row of the summary. An OTP counts once: for the day of its first attempt, one channel, and the country of its number. */
export type OtpSummary = Answer<typeof SUMMARIZE_OTPS>;

const DAY_MS = 86_400_000;

/** Days of a summary that names no time. */
const DAYS_DEFAULT = 30;

/** The most days of one summary: a quarter. */
const DAYS_MAX = 92;

/** Attempts of an OTP are made within its hour; the rest is for clocks that differ. An OTP that was sent again is not taken for a new one. */
const EARLIER_MS = 2 * 3_600_000;

/** Log entries of an OTP are made within its hour and the day that it is kept for after it, until the next purge. */
const LATER_MS = 26 * 3_600_000;

/**
 * Sums up the OTPs that the caller may see and that were first tried in a time, newest day first. Later entries of these OTPs count too.
 * @throws AppError `invalid_input` on `from` (after `to`, or more than 92 days before it); and as `readScope`.
 */
export async function summarizeOtps(ctx: Ctx, input: SummarizeOtpsInput): Promise<OtpSummary[]> {
  const scope = readScope(ctx);
  const { by, ...times } = input;
  const now = ctx.clock.now();
  const from = times.from ?? defaultFrom(times.to ?? now);
  const days = ((times.to ?? now).getTime() - from.getTime()) / DAY_MS;
  if (days < 0) throw invalidInput('from', 'must not be after to');
  if (days > DAYS_MAX) throw invalidInput('from', `must be at most ${DAYS_MAX} days before to`);
  if (scope.area === 'sms') return [];
  const keys: readonly string[] = by ?? SUMMARY_KEYS;
  const values = {
    account: toUuid(scope.accountId),
    area: scope.area ?? null,
    lowestId: uuidFloor(new Date(from.getTime() - EARLIER_MS)),
    idEnd: uuidFloor(new Date((times.to ?? now).getTime() + LATER_MS)),
    fromMs: from.getTime(),
    toMs: times.to?.getTime() ?? null,
    byDay: keys.includes('day'),
    byChannel: keys.includes('channel'),
    byCountry: keys.includes('country'),
  };
  return reading(ctx, ({ services, signal }) => SUMMARIZE_OTPS.run(services.database.sql(signal), values));
}

/** The beginning of the UTC day that makes 30 days with the last one. */
function defaultFrom(to: Date): Date {
  const lastDay = Math.floor((to.getTime() - 1) / DAY_MS);
  return new Date((lastDay - DAYS_DEFAULT + 1) * DAY_MS);
}
