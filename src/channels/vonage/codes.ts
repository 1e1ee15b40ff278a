/** What Vonage's statuses mean for an attempt (its SMS API: the errors of a message, and the statuses of delivery receipts). */
import type { Report } from '../contract.ts';
import type { Refusal } from '../http/answer.ts';

/**
 * Statuses that are not the connection's. All others are: credentials (4, 14, 32), an account that is barred, has no credit or no rights (8, 9, 11,
 * 29), a sender that may not be used (15, 22), an address of receipts that is not liked (23), and whatever nobody here knows: the next connection is asked.
 */
const CLASSES: Readonly<Record<string, Refusal>> = {
  // Too many messages, and too many connections.
  1: 'throttled',
  10: 'throttled',
  // A parameter is missing or invalid; no such number; a barred one; too long a text; a number that is no more.
  2: 'recipient',
  3: 'recipient',
  6: 'recipient',
  7: 'recipient',
  12: 'recipient',
  33: 'recipient',
  // "An error has occurred in the platform whilst processing this message": it is refused, and another one may be asked.
  5: 'down',
};

/** What the status of a message that was refused means. */
export function classOf(status: string): Refusal {
  return Object.hasOwn(CLASSES, status) ? (CLASSES[status] ?? 'own') : 'own';
}

const STATUSES: ReadonlyMap<string, Report['status']> = new Map([
  ['accepted', 'sent'],
  ['buffered', 'sent'],
  ['delivered', 'delivered'],
  ['failed', 'failed'],
  ['rejected', 'failed'],
  ['expired', 'expired'],
]);

/** What the status of a receipt is here; null for one that says nothing, such as `unknown`. */
export function statusOf(status: string): Report['status'] | null {
  return STATUSES.get(status) ?? null;
}
