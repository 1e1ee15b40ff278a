/** The lifecycles of messages, attempts and OTPs (contract §4, §5), whatever words a provider has for them. */

/** Every status of a message and an attempt, in the order of a message's life, the bad ends last. */
export const STATUSES = ['pending', 'sent', 'delivered', 'read', 'failed', 'expired', 'unknown'] as const;

/**
 * The status of a message or an attempt. `sent`: the provider accepted it; `unknown`: it may have, and it is never asked
 * again on that channel.
 */
export type Status = (typeof STATUSES)[number];

/** Every status of an OTP. */
export const OTP_STATUSES = ['pending', 'sent', 'verified', 'expired', 'blocked', 'failed', 'cancelled'] as const;

/** The status of an OTP. Only one that is `pending` (being handed over) or `sent` can be verified; the others are ends. */
export type OtpStatus = (typeof OTP_STATUSES)[number];

/** Every status of an entry of the log: those of attempts, and what became of an OTP. */
export const LOG_STATUSES = [...STATUSES, 'verified', 'blocked'] as const;

/** The status of an entry of the log. */
export type LogStatus = (typeof LOG_STATUSES)[number];

/**
 * How much a status tells. Receipts come late, twice and out of order, so the higher rank wins: a `delivered` corrects an
 * earlier `failed`, a `sent` after `delivered` says nothing new.
 */
export const STATUS_RANK = {
  pending: 2,
  sent: 3,
  unknown: 3,
  failed: 5,
  expired: 5,
  delivered: 6,
  read: 7,
} as const satisfies Record<Status, number>;

/** Whether a status may become another: only up the ranks. Of two statuses of one rank the first stays. */
export function canMove(from: Status, to: Status): boolean {
  return STATUS_RANK[to] > STATUS_RANK[from];
}
