/** The times that one can choose by a click. Days and weeks are those of the zone that times are shown in. */
import { zoneName } from '../../../ui/region/region.ts';
import { midnightAt, mondayAt } from '../../../ui/region/zone-clock.ts';

const DAY_MS = 86_400_000;

/** Each by its name in the URL: of a length up to now, or of days that begin at midnight. */
export const SPANS = {
  '15m': { name: 'Last 15 minutes', ms: 15 * 60_000 },
  '1h': { name: 'Last hour', ms: 3_600_000 },
  '24h': { name: 'Last 24 hours', ms: DAY_MS },
  today: { name: 'Today', days: [0, null] },
  yesterday: { name: 'Yesterday', days: [-1, 0] },
  '7d': { name: 'Last 7 days', ms: 7 * DAY_MS },
  week: { name: 'Last week', weeks: [-1, 0] },
  '30d': { name: 'Last 30 days', ms: 30 * DAY_MS },
} as const satisfies Record<string, { readonly name: string } & Shape>;

type Shape =
  | { readonly ms: number }
  | { readonly days: readonly [from: number, to: number | null] }
  | { readonly weeks: readonly [from: number, to: number] };

/** The name of a span in the URL. */
export type Span = keyof typeof SPANS;

/** Reads the name of a span; a day where it is none. */
export function spanNamed(name: string | null): Span {
  return name !== null && Object.hasOwn(SPANS, name) ? (name as Span) : '24h';
}

/** Whether a span is of days or weeks, which midnight moves. */
export function isOfDays(span: Span): boolean {
  return !('ms' in SPANS[span]);
}

/** When a span begins and ends; `to` null: it has no end, and what comes later is in it. */
export function timesOfSpan(
  span: Span,
  nowMs: number,
  zone = zoneName(),
): { readonly from: Date; readonly to: Date | null } {
  const shape: Shape = SPANS[span];
  if ('ms' in shape) return { from: new Date(nowMs - shape.ms), to: null };
  if ('weeks' in shape)
    return { from: mondayAt(nowMs, shape.weeks[0], zone), to: mondayAt(nowMs, shape.weeks[1], zone) };
  const [from, to] = shape.days;
  return { from: midnightAt(nowMs, from, zone), to: to === null ? null : midnightAt(nowMs, to, zone) };
}
