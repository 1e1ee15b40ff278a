/**
 * Times, in one form on all pages: the zone that is chosen, 24 hours, `24 Nov, 08:12 UTC`. Within an hour they are told by how long ago; pointed
 * at, to the millisecond, in UTC too.
 */
import { Tooltip } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
import { zoneName } from './region/region.ts';
import styles from './ui.module.css';

const MINUTE_MS = 60_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: number | undefined;

/** One clock for all relative times: it ticks only while one shows. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, 10_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** The parts of a time that are shown. */
const FORMS = {
  moment: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  dated: { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  exact: {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
  },
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
  day: { day: 'numeric', month: 'short' },
  year: { year: 'numeric' },
  zone: { timeZoneName: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const made = new Map<string, Intl.DateTimeFormat>();

/** Pages are in English: so are their times, whatever language the browser has. */
function formatOf(form: keyof typeof FORMS, zone: string): Intl.DateTimeFormat {
  const key = `${form} ${zone}`;
  const format = made.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...FORMS[form], timeZone: zone });
  made.set(key, format);
  return format;
}

/** The form of a moment: the year is shown where it is another one. */
function momentForm(dates: readonly Date[], zone: string): 'moment' | 'dated' {
  const yearOf = (date: Date): string => formatOf('year', zone).format(date);
  return dates.every(date => yearOf(date) === yearOf(new Date())) ? 'moment' : 'dated';
}

/** The zone by its short name, which summer time may change: `UTC`, `CET`, `GMT-5`. */
export function zoneWord(at: string | number = Date.now(), zone = zoneName()): string {
  const parts = formatOf('zone', zone).formatToParts(new Date(at));
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** `24 Nov, 08:12 UTC`; with the year where it is another one. */
export function momentWord(at: string): string {
  return `${momentPart(at)} ${zoneWord(at)}`;
}

/** `24 Nov, 08:12`, where the zone stands beside it already. */
export function momentPart(at: string): string {
  const date = new Date(at);
  return formatOf(momentForm([date], zoneName()), zoneName()).format(date);
}

/** `23 Nov, 09:00 – 24 Nov, 09:00 UTC`. */
export function rangeWord(from: string, to: string): string {
  const dates = [new Date(from), new Date(to)] as const;
  return `${formatOf(momentForm(dates, zoneName()), zoneName()).formatRange(...dates)} ${zoneWord(to)}`;
}

/** `24 Nov 2026, 08:12:31.208 UTC`. */
export function exactWord(at: string, zone = zoneName()): string {
  return `${formatOf('exact', zone).format(new Date(at))} ${zoneWord(at, zone)}`;
}

/** `12:04:31.208`. */
export function clockTime(at: string): string {
  return formatOf('clock', zoneName()).format(new Date(at));
}

/** `23 Nov`. */
export function dayOf(at: string, zone = zoneName()): string {
  return formatOf('day', zone).format(new Date(at));
}

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

/** The time by the clock that ticks. */
function useNow(): number {
  const current = useSyncExternalStore(subscribe, () => now);
  return Math.max(current, Date.now() - 10_000);
}

/** When something is tried again, in a sentence: a try whose time is past is due, and was not made yet. */
export function NextTry({ at }: { readonly at: string }): ReactNode {
  useNow();
  if (Date.parse(at) <= Date.now()) return 'The next try is due.';
  return (
    <>
      Next try: <Time at={at} />.
    </>
  );
}

/** Shows its children as long as a time lies ahead. */
export function WhileAhead({ at, children }: { readonly at: string; readonly children: ReactNode }): ReactNode {
  useNow();
  return Date.parse(at) > Date.now() && children;
}

/** A moment of the past or the future; after *since* and *until* it must be `isMoment`, for "since 4m ago" is no English. As it ticks, live regions do not tell it. */
export function Time({ at, isMoment = false }: { readonly at: string; readonly isMoment?: boolean }): ReactNode {
  const differenceMs = Date.parse(at) - useNow();
  return (
    <Tooltip
      label={
        <span className="numbers">
          {exactWord(at)}
          {zoneName() !== 'UTC' && (
            <>
              <br />
              {exactWord(at, 'UTC')}
            </>
          )}
        </span>
      }
    >
      <time dateTime={at} className={styles.time} aria-live="off">
        {(isMoment ? null : relative(differenceMs)) ?? momentWord(at)}
      </time>
    </Tooltip>
  );
}

/** `5 min. ago` within an hour; null beyond it. */
function relative(differenceMs: number): string | null {
  const distance = Math.abs(differenceMs);
  if (distance < 10_000) return 'now';
  if (distance < MINUTE_MS) return RELATIVE.format(Math.round(differenceMs / 1_000), 'second');
  return distance < 60 * MINUTE_MS ? RELATIVE.format(Math.round(differenceMs / MINUTE_MS), 'minute') : null;
}

/** `412 ms`, `1.9 s`, `3 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return milliseconds < 3_600_000
    ? `${Math.round(milliseconds / 60_000)} min`
    : `${(milliseconds / 3_600_000).toFixed(1)} h`;
}
