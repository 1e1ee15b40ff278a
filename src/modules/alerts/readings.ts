/** Looks at the figures of the log: how long credits last, how many passcodes are verified, how many the fraud guard refused. */
import type { Sql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { fromUuid } from '../../kernel/ids.ts';
import { forecastCredits } from '../figures/credits/forecast.ts';
import { COUNT_ENTRIES, COUNT_OTPS } from '../figures/figures.sql.ts';
import { guardCounts } from '../figures/notices.policy.ts';
import { HOUR_MS, spansOf } from '../figures/spans.policy.ts';
import type { FAILING_ENDPOINTS, WATCHED_RULES } from './readings.sql.ts';

/** A rule to look at. */
export type WatchedRule = Answer<typeof WATCHED_RULES>;

/** Something that is ill, by a rule. */
type Ill = Answer<typeof FAILING_ENDPOINTS>;

/** The result of a look. */
export interface Reading {
  readonly ill: readonly Ill[];
  /** Rules with too little to judge by: their states stay as they are. */
  readonly unclear?: readonly string[];
}

/** Looks at the rules of a kind. */
export type Reader = (sql: Sql, rules: readonly WatchedRule[], nowMs: number) => Promise<Reading>;

/** A passcode is verified within minutes: the newest ones say nothing yet. */
const VERIFY_MS = 10 * 60_000;

/** The fewest passcodes whose share of verified ones means something. */
const SENT_MIN = 20;

function illOf({ rule }: WatchedRule, value: number): Ill {
  return { rule, subject: '', name: null, value, since: null };
}

/** Credits that last fewer days than a rule says, by the one forecast. */
export const readForecasts: Reader = async (sql, rules, nowMs) => {
  const ill: Ill[] = [];
  for (const rule of rules) {
    const account = { accountId: fromUuid('acc', rule.account), credits: rule.credits };
    const { lastsDays } = await forecastCredits(sql, account, nowMs);
    if (lastsDays !== null && lastsDays < (rule.threshold ?? 0)) ill.push(illOf(rule, lastsDays));
  }
  return { ill };
};

/** Accounts whose share of verified passcodes, within an hour, is below that of a rule. Too few passcodes leave a rule unclear: neither ill nor well. */
export const readConversions: Reader = async (sql, rules, nowMs) => {
  const ill: Ill[] = [];
  const unclear: string[] = [];
  const [fromMs, toMs] = [nowMs - VERIFY_MS - HOUR_MS, nowMs - VERIFY_MS];
  const spans = spansOf(fromMs, toMs, nowMs, () => ({ bucket: 0, endMs: toMs }));
  for (const rule of rules) {
    const [counted] = await COUNT_OTPS.run(sql, { account: rule.account, spans });
    const { sent, verified } = counted ?? { sent: 0, verified: 0 };
    const percent = (100 * verified) / sent;
    if (sent < SENT_MIN) unclear.push(rule.rule);
    else if (percent < (rule.threshold ?? 0)) ill.push(illOf(rule, percent));
  }
  return { ill, unclear };
};

/** Accounts of which the fraud guard refused as many passcodes within an hour as a rule says. */
export const readBlocked: Reader = async (sql, rules, nowMs) => {
  const ill: Ill[] = [];
  const spans = spansOf(nowMs - HOUR_MS, nowMs, nowMs, () => ({ bucket: 0, endMs: nowMs }));
  for (const rule of rules) {
    const counts = guardCounts(await COUNT_ENTRIES.run(sql, { account: rule.account, spans }));
    const refused = counts.find(({ kind }) => kind === 'guard_stopped')?.count ?? 0;
    if (refused >= (rule.threshold ?? 1)) ill.push(illOf(rule, refused));
  }
  return { ill };
};
