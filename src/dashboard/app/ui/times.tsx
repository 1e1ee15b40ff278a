/** Times: relative within an hour, else local with the date; pointed at, both UTC and local. */
import { Tooltip } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
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

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

/** A moment of the past or the future. */
export function Time({ at }: { readonly at: string }): ReactNode {
  const current = useSyncExternalStore(subscribe, () => Math.max(now, 0));
  const date = new Date(at);
  return (
    <Tooltip
      label={
        <span className="numbers">
          {EXACT.format(date)}
          <br />
          {date.toISOString().replace('T', ' ').replace('Z', ' UTC')}
        </span>
      }
    >
      <time dateTime={at} className={styles.time}>
        {relative(date.getTime() - Math.max(current, Date.now() - 10_000)) ?? DATE.format(date)}
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

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** `12:04:31.208`, local. */
export function clockTime(at: string): string {
  return CLOCK.format(new Date(at)).replace(',', '.');
}

const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

/** `23 Nov`, local. */
export function dayOf(at: string): string {
  return DAY.format(new Date(at));
}

/** `412 ms`, `1.9 s`, `3 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return milliseconds < 3_600_000
    ? `${Math.round(milliseconds / 60_000)} min`
    : `${(milliseconds / 3_600_000).toFixed(1)} h`;
}
