/** The entries of a timeline. */
import type { Verdict } from '../../channels/providers.ts';
import type { Channel } from '../../kernel/channel.ts';
import type { LogStatus } from '../../kernel/status.ts';
import type { DeliveryStatus } from '../webhooks/deliveries/webhook-delivery.entity.ts';
import type { WebhookEventName } from '../webhooks/events/webhook-events.ts';

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
export interface TimelineWebhook {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly event: WebhookEventName;
  /** Of the endpoint's URL. */
  readonly urlHost: string;
  readonly status: DeliveryStatus;
  readonly tries: number;
  /** The status that the last try was answered with; null: no answer, or no try. */
  readonly httpStatus: number | null;
  /** How long the last try took; null: there was none. */
  readonly durationMs: number | null;
  readonly error: string | null;
}

/** One thing that happened to a message or a passcode. */
export interface TimelineEntry {
  readonly at: Date;
  /** Milliseconds since it was accepted. */
  readonly sinceMs: number;
  readonly kind: TimelineKind;
  /** In plain English. */
  readonly reason: string;
  readonly channel: Channel | null;
  readonly attemptId: string | null;
  readonly status: LogStatus | null;
  readonly provider: string | null;
  readonly connectionId: string | null;
  readonly skipped: readonly SkippedConnection[];
  readonly sender: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly providerMessageId: string | null;
  readonly durationMs: number | null;
  readonly segments: number | null;
  readonly credits: number | null;
  readonly webhook: TimelineWebhook | null;
}
