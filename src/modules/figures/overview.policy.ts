/** Sums up the counts of an account for its overview. Pure. */

import type { Answer } from '../../db/statements/statement.ts';
import type { Channel } from '../../kernel/channel.ts';
import type { LogStatus } from '../../kernel/status.ts';
import type { COUNT_ENTRIES, COUNT_LATENCIES } from './figures.sql.ts';

type Count = Answer<typeof COUNT_ENTRIES>;
type Latency = Answer<typeof COUNT_LATENCIES>;

/** The attempts of a bucket over one channel that stand alike. */
export interface OverviewCount {
  readonly from: Date;
  readonly channel: Channel;
  readonly status: LogStatus;
  readonly attempts: number;
}

/** The attempts of a time, by what became of them. */
export interface OverviewTotals {
  readonly attempts: number;
  readonly accepted: number;
  readonly delivered: number;
  readonly failed: number;
  readonly unknown: number;
  /** `accepted` as a part of `accepted` and `failed`; null where there are neither. */
  readonly successRate: number | null;
  readonly credits: number;
}

/** How fast a provider was. */
export interface OverviewLatency {
  readonly channel: Channel;
  readonly provider: string;
  readonly attempts: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** Attempts that failed alike. */
export interface OverviewFailure {
  readonly errorCode: string;
  readonly channel: Channel;
  readonly provider: string | null;
  readonly country: string | null;
  readonly attempts: number;
  readonly previousAttempts: number;
}

/** Whether what is counted are attempts over a channel, and not outcomes of OTPs. */
export function isOfAttempts(count: Count): count is Count & { channel: Channel } {
  return (count.type === 'message_attempt' || count.type === 'otp_attempt') && count.channel !== null;
}

/** Sums up attempts. */
export function totalsOf(counts: readonly Pick<Count, 'status' | 'entries' | 'credits'>[]): OverviewTotals {
  const sum = (...statuses: LogStatus[]): number =>
    counts.reduce((total, { status, entries }) => total + (statuses.includes(status) ? entries : 0), 0);
  const [accepted, failed] = [sum('sent', 'delivered', 'read'), sum('failed', 'expired')];
  return {
    attempts: counts.reduce((total, { entries }) => total + entries, 0),
    accepted,
    delivered: sum('delivered', 'read'),
    failed,
    unknown: sum('unknown'),
    successRate: accepted + failed === 0 ? null : accepted / (accepted + failed),
    credits: counts.reduce((total, { credits }) => total + credits, 0),
  };
}

/** The attempts by bucket, channel and status, oldest bucket first; buckets without any are left out. */
export function bucketsOf(
  counts: readonly (Count & { channel: Channel })[],
  fromOf: (bucket: number) => Date,
): OverviewCount[] {
  const groups = Map.groupBy(counts, ({ bucket, channel, status }) => `${bucket} ${channel} ${status}`);
  return [...groups.values()]
    .flatMap(group => {
      const [first] = group;
      return first ? [{ ...first, attempts: group.reduce((total, { entries }) => total + entries, 0) }] : [];
    })
    .sort((a, b) => a.bucket - b.bucket || a.channel.localeCompare(b.channel) || a.status.localeCompare(b.status))
    .map(({ bucket, channel, status, attempts }) => ({ from: fromOf(bucket), channel, status, attempts }));
}

/** The most groups of failures that are shown: the rest is in the log. */
const FAILURES_MAX = 50;

/** The failures by code, channel, provider and country, most first, beside the time before. */
export function failuresOf(
  now: readonly (Count & { channel: Channel })[],
  before: readonly (Count & { channel: Channel })[],
): OverviewFailure[] {
  const keyOf = ({ errorCode, channel, provider, country }: Count): string =>
    JSON.stringify([errorCode, channel, provider, country]);
  const earlier = new Map<string, number>();
  for (const count of before) earlier.set(keyOf(count), (earlier.get(keyOf(count)) ?? 0) + count.entries);
  const failed = Map.groupBy(
    now.filter(({ errorCode }) => errorCode !== null),
    keyOf,
  );
  return [...failed]
    .flatMap(([key, group]) => {
      const [first] = group;
      if (!first) return [];
      const { channel, provider, country } = first;
      const attempts = group.reduce((total, { entries }) => total + entries, 0);
      const previousAttempts = earlier.get(key) ?? 0;
      return [{ errorCode: first.errorCode ?? '', channel, provider, country, attempts, previousAttempts }];
    })
    .sort((a, b) => b.attempts - a.attempts || a.errorCode.localeCompare(b.errorCode))
    .slice(0, FAILURES_MAX);
}

/** How fast the providers were, from steps of 10 %: a figure is the middle of its step, so at most 5 % off. */
export function latenciesOf(rows: readonly Latency[]): OverviewLatency[] {
  const groups = Map.groupBy(rows, ({ channel, provider }) => `${channel} ${provider}`);
  return [...groups.values()].flatMap(steps => {
    const [first] = steps;
    if (!first) return [];
    const attempts = steps.reduce((total, step) => total + step.attempts, 0);
    const { channel, provider } = first;
    return [
      {
        channel,
        provider,
        attempts,
        medianMs: percentile(steps, attempts / 2),
        p95Ms: percentile(steps, attempts * 0.95),
      },
    ];
  });
}

function percentile(steps: readonly Latency[], rank: number): number {
  let passed = 0;
  for (const { step, attempts } of [...steps].sort((a, b) => a.step - b.step)) {
    passed += attempts;
    if (passed >= rank) return Math.round(1.1 ** step * Math.sqrt(1.1));
  }
  return 0;
}
