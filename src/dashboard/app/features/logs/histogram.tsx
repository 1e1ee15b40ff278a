/** How many entries there were in each part of the time, by outcome. */
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { type LogFilter, LogHistogramDocument, type LogHistogramQuery } from '../../api/operations.generated.ts';
import type { Bar } from '../../ui/bars/bar.ts';
import { Bars } from '../../ui/bars/bars.tsx';
import { LOG_LAYERS, layerOf } from '../../ui/bars/outcomes.ts';
import { Time } from '../../ui/times.tsx';
import { ATTEMPT_TYPES, type FilterState, timesOf } from './filter/filter-state.ts';
import styles from './logs.module.css';

const MINUTE_MS = 60_000;

const HOUR_MS = 60 * MINUTE_MS;

/** The bars above the list, counted up to the end of the present minute; `zoom` is told of a range that was dragged over. */
export function Histogram({
  filter,
  state,
  minute,
  zoom,
}: {
  readonly filter: LogFilter;
  readonly state: FilterState;
  /** When it began, in milliseconds since 1970. */
  readonly minute: number;
  readonly zoom: (from: string, to: string) => void;
}): ReactNode {
  const times = timesOf(state, minute + MINUTE_MS);
  const { from: _from, to: _to, statuses, ...others } = filter;
  // Bars count attempts: one that failed may be of a message that arrived.
  const isOfMessages = state.view === 'messages';
  const countsAttempts = filter.type == null || ATTEMPT_TYPES.includes(filter.type);
  const counted = isOfMessages
    ? { ...(filter.type == null && { types: ATTEMPT_TYPES }), ...others }
    : { ...others, ...(statuses && { statuses }) };
  const { data, error } = useCounts(counted, times);
  // The list says why, if it fails as well; the bars are beside it.
  if (error) return null;
  // Nor are there bars where there is nothing, which the list says; its place is kept for what comes while live.
  if (!data || (data.buckets.length === 0 && data.countedFrom === null)) return <div className={styles.bars} />;
  const { countedFrom } = data;
  return (
    <div className={styles.bars}>
      <Bars label="Log entries by outcome" bars={barsOf(data)} layers={LOG_LAYERS} zoom={zoom} />
      {isOfMessages && countsAttempts && (
        <p className="quiet">Bars count attempts{statuses && ', whatever became of them'}.</p>
      )}
      {countedFrom && (
        <p className="quiet">
          Counted from <Time at={countedFrom} isMoment /> on: before it there are too many to count.
        </p>
      )}
    </div>
  );
}

type Counts = LogHistogramQuery['logHistogram'];

/** As fine as the bars can be drawn. */
const BARS_MAX = 90;

/** From this length on, bars of an hour say more than finer ones that stop part of the way. */
const HOURS_FROM_MS = 6 * HOUR_MS;

/** Fields by which the counts of whole hours are kept apart. A filter by another field counts the entries themselves. */
const COUNTED_BY: ReadonlySet<string> = new Set<keyof LogFilter>([
  'channel',
  'statuses',
  'type',
  'types',
  'provider',
  'errorCode',
  'errorCodes',
]);

/** Failures are counted by country as well. */
function isCounted(filter: LogFilter): boolean {
  const isOfFailures = filter.errorCode != null || filter.errorCodes != null;
  return Object.keys(filter).every(name => COUNTED_BY.has(name) || (name === 'country' && isOfFailures));
}

/** The counts of a time. Bars of hours that the gateway has counted stand in where entries are too many for fine ones. */
function useCounts(filter: LogFilter, times: { readonly from: string; readonly to: string }) {
  const fine = useAnswer(LogHistogramDocument, { filter, ...times, buckets: BARS_MAX });
  const lengthMs = Date.parse(times.to) - Date.parse(times.from);
  const isCut = fine.data?.logHistogram.countedFrom != null;
  // A time that does not begin with an hour lies in one more of them.
  const hours = Math.ceil(lengthMs / HOUR_MS) + 1;
  const enabled = isCut && lengthMs >= HOURS_FROM_MS && hours <= BARS_MAX && isCounted(filter);
  const whole = useAnswer(LogHistogramDocument, { filter, ...times, buckets: hours }, { enabled });
  const data: Counts | undefined = (enabled ? whole.data : undefined)?.logHistogram ?? fine.data?.logHistogram;
  return { data, error: fine.error };
}

function barsOf({ from, to, bucketSeconds, buckets }: Counts): Bar[] {
  const stepMs = bucketSeconds * 1_000;
  const first = Math.floor(Date.parse(from) / stepMs) * stepMs;
  const counts = new Map<number, Record<string, number>>();
  for (const { from: at, status, entries } of buckets) {
    const of = counts.get(Date.parse(at)) ?? {};
    const layer = layerOf(status);
    of[layer] = (of[layer] ?? 0) + entries;
    counts.set(Date.parse(at), of);
  }
  const bars: Bar[] = [];
  for (let at = first; at < Date.parse(to); at += stepMs)
    bars.push({
      from: new Date(at).toISOString(),
      to: new Date(at + stepMs).toISOString(),
      counts: counts.get(at) ?? {},
    });
  return bars;
}
