/** The meaning of Twilio's error codes and statuses for an attempt (its error dictionary and its messages API). */
import type { Report } from '../contract.ts';
import type { Refusal } from '../http/answer.ts';

/**
 * Codes that are not the connection's fault. After all others, unknown ones too, the next connection is asked. Such are credentials (20003), a sender
 * that may not send (21212, 21606, 21612), a country that is not permitted (21408), and a filter (30007).
 */
const CLASSES: ReadonlyMap<number, Refusal> = new Map([
  // Too many requests, and a queue that is full.
  [429, 'throttled'],
  [20429, 'throttled'],
  [30001, 'throttled'],
  // No number; one without a mobile phone; unknown; a landline.
  [21211, 'recipient'],
  [21614, 'recipient'],
  [30005, 'recipient'],
  [30006, 'recipient'],
  // The recipient has answered STOP.
  [21610, 'recipient'],
  // A text of more than 1,600 characters.
  [21617, 'recipient'],
]);

/** The codes of attempts that say nothing about the connection: its load, the recipient and the text. */
export const OTHERS_CODES: readonly string[] = [...CLASSES.keys()].map(code => `twilio_${code}`);

/** The kind of refusal that an error code means. */
export function classOf(code: number): Refusal {
  return CLASSES.get(code) ?? 'own';
}

/** The validity period was over before the message could go: of all failures this one is an end by time. */
const VALIDITY_OVER = '30036';

const STATUSES: ReadonlyMap<string, Report['status']> = new Map([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['partially_delivered', 'delivered'],
  ['read', 'read'],
  ['failed', 'failed'],
  ['undelivered', 'failed'],
  ['canceled', 'failed'],
]);

/** The status that a `MessageStatus` means; null: it says nothing new, as queued and sending do. @param errorCode `ErrorCode`, empty where there is none */
export function statusOf(status: string, errorCode: string): Report['status'] | null {
  const became = STATUSES.get(status) ?? null;
  return became === 'failed' && errorCode === VALIDITY_OVER ? 'expired' : became;
}
