/** The entries of a timeline. */
import type { Verdict } from '../../channels/providers.ts';
import type { Answer } from '../../db/statements/statement.ts';
import type { LogStatus } from '../../kernel/status.ts';
import type { Attempt } from '../routing/attempt.entity.ts';
import type { FIND_WEBHOOKS } from './timeline-webhooks.sql.ts';

/** Every kind of entry: something that can happen to a message or a passcode. */
export const TIMELINE_KINDS = [
  'accepted',
  'resent',
  'attempt_started',
  'attempt_ended',
  'receipt',
  'waiting',
  'channel_skipped',
  'wrong_code',
  'verified',
  'expired',
  'blocked',
  'flagged',
  'webhook',
] as const;

/** One of them. */
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** A connection that was not asked, and why. */
export interface SkippedConnection {
  readonly connectionId: string;
  readonly name: string;
  readonly verdict: Verdict;
  /** Why it was sick, a sentence; null: it was not. */
  readonly reason: string | null;
}

/** A delivery that a message or a passcode caused. */
export type TimelineWebhook = Answer<typeof FIND_WEBHOOKS> & {
  /** Of the endpoint's URL. */
  readonly urlHost: string;
};

/** The facts of an attempt that an entry may tell. */
type OfAttempt = Pick<
  Attempt,
  'channel' | 'provider' | 'connectionId' | 'sender' | 'errorCode' | 'errorMessage' | 'providerMessageId'
>;

/** One thing that happened to a message or a passcode. Members that do not belong to its kind are absent. */
export interface TimelineEntry extends Readonly<Partial<OfAttempt>> {
  readonly at: Date;
  /** Milliseconds since it was accepted. */
  readonly sinceMs: number;
  readonly kind: TimelineKind;
  /** In plain English. */
  readonly reason: string;
  readonly skipped: readonly SkippedConnection[];
  readonly attemptId?: string;
  readonly status?: LogStatus;
  readonly durationMs?: number | null;
  readonly segments?: number;
  readonly credits?: number;
  readonly webhook?: TimelineWebhook;
}
