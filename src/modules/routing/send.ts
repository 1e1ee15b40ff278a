/** A send, and how long it may take. */
import type { DeliveryMode } from '../../kernel/channel.ts';
import type { Area } from '../../kernel/crypto/secrets.ts';

/**
 * How long a process may take from one step of a routing to the next before the send is taken from it. Covers the deadline of a
 * provider call (10 s), and slack for the commits around it. Short, since the sends of a dead process wait for it. With the interval
 * of the recovery and the whole deadline of a next channel, an end within 35 s is kept (contract §4).
 */
export const LEASE_SECONDS = 15;

/** The longest that the attempts of one request may take together. */
export const REQUEST_DEADLINE_MS = 25_000;

/**
 * The longest that the channels left may take together in a recovery. The lease of a dead process (15 s) and the interval of the rounds
 * (2 s) come before it. Together they stay within 35 s of a restart (contract §4), however slow the providers are.
 */
export const RECOVERY_DEADLINE_MS = 15_000;

/** The fields that messages and OTPs share. */
export interface Send {
  readonly id: string;
  readonly accountId: string;
  readonly area: Area;
  /** The recipient in digits-only form. */
  readonly recipient: string;
  readonly deliveryMode: DeliveryMode;
  /** SMS segments of the text. */
  readonly segments: number;
}
