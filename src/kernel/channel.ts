/** The channels and delivery modes of a message (contract §1 and §4). */
import type { SuccessStatus } from './status.ts';

/** The facts of a channel: whatever is asked about it outside of its providers. */
export interface ChannelFacts {
  /** Its name in sentences for people, and on pages. */
  readonly label: string;
  /** Its meaning and its needs, for readers of the schema and of the documents. */
  readonly meaning: string;
  /** The kind of its senders: a phone `number`, or a `name` as SMS shows it, which may be a short code or a number too. */
  readonly senderIs: 'name' | 'number';
  /** The field of a request that names the sender, and is then needed; null: the account's own one sends, its default or else its first. */
  readonly senderField: 'chatFrom' | 'sender' | null;
  /** The field of a request with its template, which is needed where the sender takes templates only; null: it has no templates. */
  readonly templateField: 'cloudTemplate' | null;
  /** How many hours after the last message of a person free text may go to them; null: always, as far as templates are concerned. */
  readonly freeTextHours: number | null;
  /** Whether it costs credits: one for each segment of the text. */
  readonly isPaid: boolean;
  /** The most that its receipts tell: nobody knows whether an SMS was read. */
  readonly reports: SuccessStatus;
  /** The form of its texts. `sms`: in the alphabets of GSM 03.38, to any mobile phone, which may fill in a code. `plain`: as they are. */
  readonly text: 'sms' | 'plain';
  /** The events that tell what became of each of its attempts; null: none do. */
  readonly events: { readonly sent: string; readonly failed: string } | null;
  /** A sender, for examples and for the demo account. */
  readonly exampleSender: string;
}

/** The facts of every channel, in the order in which an unset `channels` tries them. */
export const CHANNEL_FACTS = {
  chat_qr: {
    label: 'QR chat',
    meaning: 'A chat sender linked by QR. Needs `chatFrom`.',
    senderIs: 'number',
    senderField: 'chatFrom',
    templateField: null,
    freeTextHours: null,
    isPaid: false,
    reports: 'read',
    text: 'plain',
    events: null,
    exampleSender: '15550000001',
  },
  chat_cloud: {
    label: 'Cloud chat',
    meaning: 'The cloud API of a chat. Needs `cloudTemplate` where the cloud number takes templates only.',
    senderIs: 'number',
    senderField: null,
    templateField: 'cloudTemplate',
    freeTextHours: 24,
    isPaid: false,
    reports: 'read',
    text: 'plain',
    events: null,
    exampleSender: '15550000002',
  },
  sms: {
    label: 'SMS',
    meaning: 'SMS. Needs `sender`, an approved sender name.',
    senderIs: 'name',
    senderField: 'sender',
    templateField: null,
    freeTextHours: null,
    isPaid: true,
    reports: 'delivered',
    text: 'sms',
    events: { sent: 'sms.sent', failed: 'sms.failed' },
    exampleSender: 'DEMO',
  },
} as const satisfies Readonly<Record<string, ChannelFacts>>;

/** One way to a recipient: a linked chat number, a cloud chat number, or SMS. */
export type Channel = keyof typeof CHANNEL_FACTS;

/** Every channel, in the order in which an unset `channels` tries them. */
export const CHANNELS: readonly Channel[] = Object.keys(CHANNEL_FACTS) as Channel[];

/** The channel where nothing names one: of tokens of the areas `sms` and `otp`, of passcodes, and of senders. */
export const DEFAULT_CHANNEL = 'sms' satisfies Channel;

/** The channels that cost credits. */
export const PAID_CHANNELS = CHANNELS.filter(isPaid);

/** The channels with templates. */
export const TEMPLATE_CHANNELS = CHANNELS.filter(channel => CHANNEL_FACTS[channel].templateField !== null);

/** Whether a channel costs credits. */
export function isPaid(channel: Channel): boolean {
  return CHANNEL_FACTS[channel].isPaid;
}

/** Whether a channel's texts go as SMS. */
export function isSms(channel: Channel): boolean {
  return CHANNEL_FACTS[channel].text === 'sms';
}

/** A channel as sentences for people name it; the pages call it the same. */
export function channelName(channel: Channel): string {
  return CHANNEL_FACTS[channel].label;
}

/** Every delivery mode, the default first. */
export const DELIVERY_MODES = ['fallback', 'all'] as const;

/** `fallback`: channel after channel until one is accepted. `all`: every channel at once. */
export type DeliveryMode = (typeof DELIVERY_MODES)[number];

/** The kinds of sends that a connection may be kept for (contract §12). */
export const PURPOSES = ['message', 'otp'] as const;

/** One of them. */
export type Purpose = (typeof PURPOSES)[number];

/** The fate of an SMS whose sender is a name: sent so; sent by a number instead; given to no provider. */
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
