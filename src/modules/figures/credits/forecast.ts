/** How long the credits of an account last: the one forecast, which the overview, the balance and the event `balance.low` tell. */
import type { Sql } from '../../../db/statements/sql.ts';
import { idTime, toUuid } from '../../../kernel/ids.ts';
import { COUNT_ENTRIES } from '../figures.sql.ts';
import { DAY_MS, HOUR_MS, spansOf } from '../spans.policy.ts';

/** Days whose spending makes the pace: a week, so that neither a quiet Sunday nor a busy hour decides. */
const PACE_DAYS = 7;

/** The spending of an account, and how long its credits last. */
export interface CreditForecast {
  /** Credits of a day, at the pace of the last 7 days. */
  readonly perDay: number;
  /** Days that the credits last at that pace; null: none were spent. */
  readonly lastsDays: number | null;
}

/** The forecast of an account that has so many credits to spend. */
export async function forecastCredits(
  sql: Sql,
  { accountId, credits }: { readonly accountId: string; readonly credits: number },
  nowMs: number,
): Promise<CreditForecast> {
  // Whole hours are counted already.
  const fromMs = Math.ceil(nowMs / HOUR_MS - PACE_DAYS * 24) * HOUR_MS;
  const spans = spansOf(fromMs, nowMs, nowMs, () => ({ bucket: 0, endMs: nowMs }));
  const rows = await COUNT_ENTRIES.run(sql, { account: toUuid(accountId), spans });
  const spent = rows.reduce((total, row) => total + row.credits, 0);
  // An account may be younger, but a pace is of a day at least.
  const days = Math.max(1, (nowMs - Math.max(fromMs, idTime(accountId).getTime())) / DAY_MS);
  return { perDay: spent / days, lastsDays: spent > 0 ? (credits * days) / spent : null };
}
