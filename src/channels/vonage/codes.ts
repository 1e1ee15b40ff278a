/** The meaning of Vonage's statuses for an attempt (its SMS API: the errors of a message, and the statuses of delivery receipts). */
import type { Report } from '../contract.ts';
import type { Refusal } from '../http/answer.ts';

/**
 * Statuses that are not the connection's fault. After all others, unknown ones too, the next connection is asked. Such are credentials (4, 14, 32), and
 * an account that is barred or lacks credit or rights (8, 9, 11, 29). A sender that may not be used (15, 22) and a refused address of receipts (23) are, too.
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

/** The codes of attempts that say nothing about the connection: its load, the recipient and the text. */
export const OTHERS_CODES: readonly string[] = Object.entries(CLASSES).flatMap(([status, refusal]) =>
  refusal === 'down' ? [] : [`vonage_${status}`],
);

/** The kind of refusal that the status of a message means. */
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

/** The status that a receipt's own one means; null: it says nothing, as `unknown` does. */
export function statusOf(status: string): Report['status'] | null {
  return STATUSES.get(status) ?? null;
}
