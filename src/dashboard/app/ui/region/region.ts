/** The zone of times and the grouping of numbers, the same for all pages. A change draws the page anew (`useRegion`). */
import { useSyncExternalStore } from 'react';

/** The zones to choose from: that of this machine, UTC, or that of the account. */
export const ZONE_CHOICES = ['local', 'utc', 'account'] as const;

/** One of them. */
export type ZoneChoice = (typeof ZONE_CHOICES)[number];

/** The key of the choice in localStorage. */
const KEY = 'heliograph:zone';

let choice: ZoneChoice | null = null;
let zoneOfAccount = 'UTC';
let groupDigits: ((digits: string) => string) | null = null;

const listeners = new Set<() => void>();
let version = 0;

function changed(): void {
  version += 1;
  for (const tell of listeners) tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Draws a component anew when zone or grouping change. Each page is drawn so. */
export function useRegion(): void {
  useSyncExternalStore(subscribe, () => version);
}

function keptChoice(): ZoneChoice {
  const kept = localStorage.getItem(KEY);
  return ZONE_CHOICES.find(one => one === kept) ?? 'local';
}

/** The chosen zone. */
export function zoneChoice(): ZoneChoice {
  choice ??= keptChoice();
  return choice;
}

/** Chooses a zone for this browser. */
export function chooseZone(chosen: ZoneChoice): void {
  choice = chosen;
  localStorage.setItem(KEY, chosen);
  changed();
}

/** Tells the zone of the account that is looked at. */
export function setAccountZone(zone: string): void {
  if (zone === zoneOfAccount) return;
  zoneOfAccount = zone;
  changed();
}

/** The IANA name of a choice, or of the one that holds. */
export function zoneName(of: ZoneChoice = zoneChoice()): string {
  if (of === 'utc') return 'UTC';
  return of === 'account' ? zoneOfAccount : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Loads how countries group their numbers: more than the first page may weigh. */
export async function loadGrouping(): Promise<void> {
  // If it does not load, numbers stay ungrouped.
  const book = groupDigits ? null : await import('./phone-book.ts').catch(() => null);
  if (!book) return;
  groupDigits = book.groupedNumber;
  changed();
}

/** Whether a recipient or a sender is a number: others are names and ids of chats. */
export function isNumber(recipient: string): boolean {
  return /^\d{7,15}$/.test(recipient);
}

/** `12025550100` as `+1 202 555 0100`, and each number as its country writes it; a name and what is masked stay. */
export function phoneWord(number: string): string {
  if (!isNumber(number)) return number;
  return groupDigits?.(number) ?? `+${number}`;
}
