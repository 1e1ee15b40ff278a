/** The verb *count logs*: how many entries of the log pass a filter, by time and status. The sum is the length of the list. */
import type { Ctx } from '../../context.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { toUuid, uuidFloor } from '../../kernel/ids.ts';
import type { LogStatus } from '../../kernel/status.ts';
import { readScope } from '../accounts/read-scope.ts';
import { COUNT_ENTRIES } from '../figures/figures.sql.ts';
import { DAY_MS, HOUR_MS, spansOf } from '../figures/spans.policy.ts';
import { reading } from '../reading/reading.ts';
import { entryTime, type FoundBy, filterValues } from './filtered.sql.ts';
import { type Grid, gridOf } from './grid.policy.ts';
import type { CountLogsInput } from './log-filter.input.ts';
import { type LogCriteria, readLogFilter } from './log-filter.policy.ts';
import { COUNT_FILTERED, LOOK_BY } from './look.sql.ts';
import { narrow, wayOf } from './narrow.ts';
import { namesSend } from './settled.ts';

/** The most days of one histogram: a quarter. */
const DAYS_MAX = 92;

/** Buckets where none are asked for. */
const BUCKETS_DEFAULT = 60;

/** The entries of one bucket with one status. */
export interface LogCount {
  readonly from: Date;
  readonly status: LogStatus;
  readonly entries: number;
}

/** The entries of a time. */
export interface LogHistogram {
  readonly from: Date;
  readonly to: Date;
  readonly bucketSeconds: number;
  /** Older ones were not counted; null: all were. */
  readonly countedFrom: Date | null;
  readonly buckets: readonly LogCount[];
}

/**
 * Counts the entries that `listLogs` would list. Buckets of whole hours come from the counts by hour, if these have all that
 * the filter names. They have channel, status, type, provider, error code, and the country beside a code. Otherwise the newest 100,000 entries of the
 * time are read. A filter by recipient, reference, message or passcode finds few entries, and all of them are read.
 * @throws AppError `invalid_input` on `from` (not before `to`, or more than 92 days); and as `readScope`
 */
export function countLogs(ctx: Ctx, input: CountLogsInput): Promise<LogHistogram> {
  return namesSend(input.filter) ? countEntries(ctx, input) : reading(ctx, on => countEntries(on, input));
}

async function countEntries(ctx: Ctx, input: CountLogsInput): Promise<LogHistogram> {
  const scope = readScope(ctx);
  const { filter, buckets, ...times } = input;
  const toMs = (times.to ?? ctx.clock.now()).getTime();
  const fromMs = times.from?.getTime() ?? toMs - DAY_MS;
  if (fromMs >= toMs) throw invalidInput('from', 'must be before to');
  if (toMs - fromMs > DAYS_MAX * DAY_MS) throw invalidInput('from', `must be at most ${DAYS_MAX} days before to`);
  const grid = gridOf(fromMs, toMs, buckets ?? BUCKETS_DEFAULT);
  const within = {
    from: new Date(Math.max(fromMs, filter?.from?.getTime() ?? fromMs)),
    to: new Date(Math.min(toMs, filter?.to?.getTime() ?? toMs)),
  };
  const criteria = within.from < within.to ? readLogFilter(scope, { ...filter, ...within }) : null;
  const counted = criteria ? await count(ctx, criteria, grid, within) : { countedFrom: null, rows: [] };
  return {
    from: new Date(fromMs),
    to: new Date(toMs),
    bucketSeconds: grid.stepMs / 1_000,
    countedFrom: counted.countedFrom,
    buckets: counted.rows
      .toSorted((a, b) => a.bucket - b.bucket || a.status.localeCompare(b.status))
      .map(({ bucket, status, entries }) => ({ from: new Date(grid.firstMs + bucket * grid.stepMs), status, entries })),
  };
}

interface Counted {
  readonly countedFrom: Date | null;
  readonly rows: readonly { readonly bucket: number; readonly status: LogStatus; readonly entries: number }[];
}

interface Within {
  readonly from: Date;
  readonly to: Date;
}

async function count(ctx: Ctx, criteria: LogCriteria, grid: Grid, within: Within): Promise<Counted> {
  const { accountId: _account, channel: _channel, status: _status, ...more } = criteria.equals;
  // The counts by hour know no other column.
  const { type: _type, provider: _provider, country, errorCode, ...others } = more;
  // They have the country of failures alone.
  const isOfFailures = errorCode !== undefined || criteria.errorCodes !== null;
  const isCounted =
    criteria.entry === null && Object.keys(others).length === 0 && (country === undefined || isOfFailures);
  const isOfHours = grid.stepMs % HOUR_MS === 0;
  return isCounted && isOfHours ? countHours(ctx, criteria, grid, within) : countBySight(ctx, criteria, grid);
}

/** Reads the counts by hour. */
async function countHours(ctx: Ctx, criteria: LogCriteria, grid: Grid, { from, to }: Within): Promise<Counted> {
  const { accountId, channel, status, type, errorCode, provider, country } = criteria.equals;
  const spans = spansOf(from.getTime(), to.getTime(), ctx.clock.now().getTime(), grid.bucketOf);
  const rows = await COUNT_ENTRIES.run(ctx.services.database.sql(ctx.signal), { account: toUuid(accountId), spans });
  const passing = rows.filter(
    row =>
      (channel === undefined || row.channel === channel) &&
      (status === undefined || row.status === status) &&
      (type === undefined || row.type === type) &&
      (errorCode === undefined || row.errorCode === errorCode) &&
      (provider === undefined || row.provider === provider) &&
      (country === undefined || row.country === country) &&
      (criteria.errorCodes?.includes(row.errorCode ?? '') ?? true) &&
      (criteria.statuses?.includes(row.status) ?? true) &&
      (criteria.types?.includes(row.type) ?? true),
  );
  const groups = Map.groupBy(passing, row => `${row.bucket} ${row.status}`);
  return {
    countedFrom: null,
    rows: [...groups.values()].flatMap(group => {
      const [first] = group;
      const entries = group.reduce((total, row) => total + row.entries, 0);
      return first ? [{ bucket: first.bucket, status: first.status, entries }] : [];
    }),
  };
}

/** The indexes that find few entries: all of them are read. */
const FEW: ReadonlySet<FoundBy> = new Set<FoundBy>(['message', 'pin', 'recipient']);

/** Counts the entries themselves. */
async function countBySight(ctx: Ctx, criteria: LogCriteria, grid: Grid): Promise<Counted> {
  const narrowed = await narrow(ctx, criteria);
  if (!narrowed) return { countedFrom: null, rows: [] };
  const { by } = wayOf(criteria, narrowed);
  const sql = ctx.services.database.sql(ctx.signal);
  const values = filterValues(criteria, narrowed);
  const end = FEW.has(by) ? undefined : await LOOK_BY[by].end.first(sql, values);
  // The whole of a millisecond, or nothing of it.
  const countedFrom = end ? new Date(entryTime(end.id).getTime() + 1) : null;
  const from = countedFrom ? uuidFloor(countedFrom) : values.from;
  return { countedFrom, rows: await COUNT_FILTERED[by].run(sql, { ...values, from, bounds: grid.bounds }) };
}
