/** The statuses of messages, attempts and OTPs (contract §4, §5). */

/** Every status of a message or an attempt, in the order of its life, the bad ends last. */
export const STATUSES = ['pending', 'sent', 'delivered', 'read', 'failed', 'expired', 'unknown'] as const;

/** The status of a message or an attempt. `sent`: the provider accepted it. `unknown`: the provider may have, so that channel does not send it again. */
export type Status = (typeof STATUSES)[number];

/** The statuses that a fallback in time may wait for, the default first (contract §14). */
export const SUCCESS_STATUSES = ['delivered', 'read'] as const satisfies readonly Status[];

/** The status that an accepted channel has to reach, or the next one follows. */
export type SuccessStatus = (typeof SUCCESS_STATUSES)[number];

/** Every status of an OTP. */
export const OTP_STATUSES = ['pending', 'sent', 'verified', 'expired', 'blocked', 'failed', 'cancelled'] as const;

/** The status of an OTP. Only a `pending` (being sent) or `sent` one can be verified; the others are final. */
export type OtpStatus = (typeof OTP_STATUSES)[number];

/** Every status of a log entry: those of attempts, the outcomes of OTPs, and `received` of what came in. */
export const LOG_STATUSES = [...STATUSES, 'verified', 'blocked', 'received'] as const;

/** The status of an entry of the log. */
export type LogStatus = (typeof LOG_STATUSES)[number];

/** The higher rank wins, since receipts come late, twice and out of order: a `sent` after `delivered` changes nothing. */
export const STATUS_RANK = {
  pending: 2,
  sent: 3,
  unknown: 3,
  failed: 5,
  expired: 5,
  delivered: 6,
  read: 7,
} as const satisfies Record<Status, number>;

/** Whether a status may change to another: only to a higher rank. Of two with the same rank the first stays. */
export function canMove(from: Status, to: Status): boolean {
  return STATUS_RANK[to] > STATUS_RANK[from];
}
