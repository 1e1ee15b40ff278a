/** Numbers of a run, and how they are printed. */
import type { Cost } from './costs.ts';

/** How long something took, in milliseconds. */
export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The rate and the latencies of a variant in its measured time. */
export interface Figures extends Latency {
  readonly sendsPerSecond: number;
}

/** The rate and the latencies of OTP pairs (a send, and the verify of its code) in the measured time. */
export interface PairFigures {
  readonly pairsPerSecond: number;
  readonly send: Latency;
  readonly verify: Latency;
}

/** The figures of latencies that were measured over `seconds`. */
export function summarise(latenciesMs: readonly number[], seconds: number): Figures {
  return { sendsPerSecond: latenciesMs.length / seconds, ...latencyOf(latenciesMs) };
}

/** The figures of pairs that were measured over `seconds`; a pair has the latencies of its send and of its verify. */
export function summarisePairs(pairs: readonly (readonly number[])[], seconds: number): PairFigures {
  const part = (index: number): number[] => pairs.map(pair => pair[index] ?? Number.NaN);
  return { pairsPerSecond: pairs.length / seconds, send: latencyOf(part(0)), verify: latencyOf(part(1)) };
}

/** The figures of latencies. */
export function latencyOf(latenciesMs: readonly number[]): Latency {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}

/** The value below which a share of some values lies; NaN of none. */
export function quantileOf(values: readonly number[], share: number): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    share,
  );
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The median of each figure over the runs of a variant. */
export function medianFigures(runs: readonly Figures[]): Figures {
  return { sendsPerSecond: median(runs.map(run => run.sendsPerSecond)), ...medianLatency(runs) };
}

/** The median of each figure over the runs of OTP pairs. */
export function medianPairFigures(runs: readonly PairFigures[]): PairFigures {
  return {
    pairsPerSecond: median(runs.map(run => run.pairsPerSecond)),
    send: medianLatency(runs.map(run => run.send)),
    verify: medianLatency(runs.map(run => run.verify)),
  };
}

function medianLatency(runs: readonly Latency[]): Latency {
  return { p50Ms: median(runs.map(run => run.p50Ms)), p99Ms: median(runs.map(run => run.p99Ms)) };
}

/** The median of each cost over some runs. */
export function medianCost(costs: readonly Cost[]): Cost {
  const of = (key: keyof Cost): number => median(costs.map(cost => cost[key]));
  return {
    gatewayUs: of('gatewayUs'),
    postgresUs: of('postgresUs'),
    walBytes: of('walBytes'),
    walBytesWithoutPages: of('walBytesWithoutPages'),
  };
}

/** The middle of some values, or of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** A share as people read it. */
export function percent(share: number, digits = 0): string {
  return `${(share * 100).toFixed(digits)} %`;
}

/** Lines of a table: the first column to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const cell = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map(row => row.map(cell).join('  ').trimEnd()).join('\n');
}
