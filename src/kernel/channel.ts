/** The channels and delivery modes of a message (contract §1 and §4). */

/** Every channel, in the order in which an unset `channels` tries them. */
export const CHANNELS = ['chat_qr', 'chat_cloud', 'sms'] as const;

/** One way to a recipient: a linked chat number, a cloud chat number, or SMS. */
export type Channel = (typeof CHANNELS)[number];

const NAMES: Readonly<Record<Channel, string>> = { chat_qr: 'QR chat', chat_cloud: 'Cloud chat', sms: 'SMS' };

/** A channel as sentences for people name it; the pages call it the same. */
export function channelName(channel: Channel): string {
  return NAMES[channel];
}

/** Every delivery mode, the default first. */
export const DELIVERY_MODES = ['fallback', 'all'] as const;

/** `fallback`: channel after channel until one is accepted. `all`: every channel at once. */
export type DeliveryMode = (typeof DELIVERY_MODES)[number];

/** What is sent: what a connection may be kept for (contract §12). */
export const PURPOSES = ['message', 'otp'] as const;

/** One of them. */
export type Purpose = (typeof PURPOSES)[number];

/** What becomes of an SMS whose sender is a name: it is sent so; a number sends it instead; no provider is asked. */
export type AlphanumericRule = 'allowed' | 'replaced' | 'refused';

/** The rule of a country for SMS whose sender is a name. */
export interface SenderRule {
  /** The recipient's, ISO 3166-1 alpha-2 in upper case. */
  readonly country: string;
  /** The connection that it is for, before the rule of all; null: all. */
  readonly connectionId: string | null;
  readonly alphanumeric: AlphanumericRule;
  /** The number that sends instead, digits only; null unless `replaced`. */
  readonly numericSender: string | null;
}
