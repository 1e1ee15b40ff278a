/** The clock of the zone that is chosen: its days, and times as they are typed. */
import { TZDate } from '@date-fns/tz';
import { zoneName } from './region.ts';

/** Midnight of the day so many days from a time: a day of the calendar may have 23 hours, or 25. */
export function midnightAt(nowMs: number, days: number, zone: string): Date {
  const now = new TZDate(nowMs, zone);
  return new Date(+new TZDate(now.getFullYear(), now.getMonth(), now.getDate() + days, zone));
}

/** Midnight of the Monday so many weeks from a time. */
export function mondayAt(nowMs: number, weeks: number, zone: string): Date {
  const sinceMonday = (new TZDate(nowMs, zone).getDay() + 6) % 7;
  return midnightAt(nowMs, 7 * weeks - sinceMonday, zone);
}

/** A time as an input of the browser takes it, to the minute: `2026-11-24T08:12`; empty where it is none. */
export function typedTime(at: string | number, zone = zoneName()): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  return new TZDate(time, zone).toISOString().slice(0, 16);
}

/** The time that was typed; null where it is none. */
export function timeOfTyped(text: string, zone = zoneName()): Date | null {
  const [, ...parts] = /^(\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(text) ?? [];
  if (parts.length === 0) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = parts.map(Number);
  return new Date(+new TZDate(year, month - 1, day, hour, minute, zone));
}
