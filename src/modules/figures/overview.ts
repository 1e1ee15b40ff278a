/** The verb *overview*: what an account sent in a time, how that went, and what it has left, beside the time before. For dashboards. */
import type { Ctx } from '../../context.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { toUuid } from '../../kernel/ids.ts';
import { readScope } from '../accounts/read-scope.ts';
import { readBalance } from '../billing/balance.ts';
import { reading } from '../reading/reading.ts';
import { forecastCredits } from './credits/forecast.ts';
import { COUNT_ENTRIES, COUNT_LATENCIES, COUNT_OTPS, HAS_VERIFIED } from './figures.sql.ts';
import { guardCounts, type OverviewNotice } from './notices.policy.ts';
import { readNotices } from './notices.ts';
import type { OverviewInput } from './overview.input.ts';
import {
  bucketsOf,
  failuresOf,
  isOfAttempts,
  latenciesOf,
  type OverviewCount,
  type OverviewFailure,
  type OverviewLatency,
  type OverviewTotals,
  totalsOf,
} from './overview.policy.ts';
import { HOUR_MS, type Span, spansOf } from './spans.policy.ts';

/** The hours of a bucket, and how many there are, of each time. */
const SHAPES = { day: [1, 24], week: [6, 28], month: [24, 30] } as const;

/** The bucket of the whole time before. */
const BEFORE = -1;

/** OTPs first tried in a time. */
export interface OverviewOtps {
  readonly sent: number;
  readonly verified: number;
  /** `verified` as a part of `sent`; null where none were sent. */
  readonly conversionRate: number | null;
}

/** The overview of an account. */
export interface Overview {
  readonly from: Date;
  readonly to: Date;
  readonly previousFrom: Date;
  readonly bucketMinutes: number;
  readonly buckets: readonly OverviewCount[];
  readonly totals: OverviewTotals;
  readonly previousTotals: OverviewTotals;
  readonly latencies: readonly OverviewLatency[];
  readonly otps: OverviewOtps;
  readonly previousOtps: OverviewOtps;
  /** Whether one was ever verified, before the time too. */
  readonly hasVerified: boolean;
  readonly failures: readonly OverviewFailure[];
  readonly creditsLeft: number;
  /** Days that the credits last at the pace of the last 7 days, whatever the time is; null: none were spent. */
  readonly creditsLastDays: number | null;
  readonly notices: readonly OverviewNotice[];
}

/** The overview of the caller's account up to now. @throws AppError as `readScope` */
export function overview(ctx: Ctx, input: OverviewInput): Promise<Overview> {
  return reading(ctx, on => readOverview(on, input));
}

async function readOverview(ctx: Ctx, input: OverviewInput): Promise<Overview> {
  const { accountId } = readScope(ctx);
  const range = input.range ?? 'day';
  const [hours, count] = SHAPES[range];
  const stepMs = hours * HOUR_MS;
  const toMs = ctx.clock.now().getTime();
  const fromMs = (Math.floor(toMs / stepMs) + 1 - count) * stepMs;
  const lengthMs = count * stepMs;
  const spans = spansOf(fromMs, toMs, toMs, ms => {
    const bucket = Math.floor((ms - fromMs) / stepMs);
    return { bucket, endMs: fromMs + (bucket + 1) * stepMs };
  });
  const before = spansOf(fromMs - lengthMs, toMs - lengthMs, toMs, () => ({ bucket: BEFORE, endMs: toMs - lengthMs }));
  const sql = ctx.services.database.sql(ctx.signal);
  const read = await readFigures(sql, toUuid(accountId), spans, before);
  const { credits: creditsLeft } = await readBalance(sql, accountId);
  const { lastsDays } = await forecastCredits(sql, { accountId, credits: creditsLeft }, toMs);
  const decisions = guardCounts(read.entries.filter(row => row.bucket !== BEFORE));
  const timeOf = (bucket: number) => [fromMs + bucket * stepMs, fromMs + (bucket + 1) * stepMs] as const;
  const attempts = read.entries.filter(isOfAttempts);
  const [now, earlier] = [attempts.filter(row => row.bucket !== BEFORE), attempts.filter(row => row.bucket === BEFORE)];
  const totals = totalsOf(now);
  return {
    from: new Date(fromMs),
    to: new Date(toMs),
    previousFrom: new Date(fromMs - lengthMs),
    bucketMinutes: stepMs / 60_000,
    buckets: bucketsOf(now, bucket => new Date(fromMs + bucket * stepMs)),
    totals,
    previousTotals: totalsOf(earlier),
    latencies: latenciesOf(read.latencies),
    otps: otpsOf(read.otps.filter(row => row.bucket !== BEFORE)),
    previousOtps: otpsOf(read.otps.filter(row => row.bucket === BEFORE)),
    hasVerified: read.hasVerified,
    failures: failuresOf(now, earlier),
    creditsLeft,
    creditsLastDays: lastsDays,
    notices: await readNotices(sql, toUuid(accountId), decisions, timeOf),
  };
}

async function readFigures(sql: Sql, account: string, spans: Span[], before: Span[]) {
  const both = [...before, ...spans];
  const [entries, latencies, otps, ever] = await Promise.all([
    COUNT_ENTRIES.run(sql, { account, spans: both }),
    COUNT_LATENCIES.run(sql, { account, spans }),
    COUNT_OTPS.run(sql, { account, spans: both }),
    HAS_VERIFIED.first(sql, { account }),
  ]);
  const hasVerified = ever?.yes === true || otps.some(({ verified }) => verified > 0);
  return { entries, latencies, otps, hasVerified };
}

function otpsOf(rows: readonly Omit<OverviewOtps, 'conversionRate'>[]): OverviewOtps {
  const sent = rows.reduce((total, row) => total + row.sent, 0);
  const verified = rows.reduce((total, row) => total + row.verified, 0);
  return { sent, verified, conversionRate: sent === 0 ? null : verified / sent };
}
