/** Numbers of a run, and how they are printed. */

/** What a variant did in its measured time. */
export interface Figures {
  readonly sendsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The figures of latencies that were measured over `seconds`. */
export function summarise(latenciesMs: readonly number[], seconds: number): Figures {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  return { sendsPerSecond: sorted.length / seconds, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The median of each figure over the runs of a variant. */
export function medianFigures(runs: readonly Figures[]): Figures {
  return {
    sendsPerSecond: median(runs.map(run => run.sendsPerSecond)),
    p50Ms: median(runs.map(run => run.p50Ms)),
    p99Ms: median(runs.map(run => run.p99Ms)),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** Lines of a table: the first column to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const cell = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map(row => row.map(cell).join('  ').trimEnd()).join('\n');
}
