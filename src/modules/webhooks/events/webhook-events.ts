/** The events of webhooks (interface, "Events", and one of ours), and the body in which one is told. */

/** Every event, those of the interface first, in its order. */
export const WEBHOOK_EVENTS = [
  'message.sent',
  'message.failed',
  'message.routed',
  'sms.sent',
  'sms.failed',
  'otp.sent',
  'otp.verified',
  'otp.failed',
  'otp.expired',
  'balance.low',
] as const;

/** The name of an event. */
export type WebhookEventName = (typeof WEBHOOK_EVENTS)[number];

/** An event as it is kept. */
export interface ToldEvent {
  readonly id: string;
  readonly accountId: string;
  readonly event: WebhookEventName;
  /** When the state changed, ISO 8601 in UTC with microseconds: it grows with the changes of one message or OTP. */
  readonly createdAt: string;
  /** The message, attempt or OTP as it was then, as REST shows it; or the balance. */
  readonly data: unknown;
}

/** The body of a delivery (contract §7). The same bytes at every try, so that they can be compared. */
export function webhookBody({ id, event, createdAt, accountId, data }: ToldEvent): string {
  return JSON.stringify({ id, event, createdAt, accountId, data });
}
