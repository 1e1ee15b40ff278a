/** What is being written on the page, how the URL says it, and what it asks of the gateway. */
import type { Channel, SendChoicesQuery, SendMessageInput, SendOtpInput } from '../../api/operations.generated.ts';

/** A sender of the account. */
export type Sender = SendChoicesQuery['senders'][number];

/** A message or a passcode. */
export type Kind = 'message' | 'otp';

/** What is being written. Texts that are empty are as absent. */
export interface Draft {
  readonly kind: Kind;
  readonly to: string;
  readonly text: string;
  /** The text of a passcode. */
  readonly template: string;
  /** In order of preference. */
  readonly channels: readonly Channel[];
  /** All at once rather than one after another. */
  readonly isAll: boolean;
  /** The SMS sender name. */
  readonly sender: string;
  /** The QR number. */
  readonly chatFrom: string;
  /** The template of the cloud number. */
  readonly cloudName: string;
  readonly cloudLanguage: string;
  /** Its components, as JSON. */
  readonly cloudComponents: string;
  readonly reference: string;
  /** Digits of a code. */
  readonly length: string;
  /** Seconds to the end of a code. */
  readonly expiresIn: string;
}

/** The parts that the URL says by their own names. */
const TEXTS = [
  'to',
  'text',
  'template',
  'sender',
  'chatFrom',
  'cloudName',
  'cloudLanguage',
  'cloudComponents',
  'reference',
  'length',
  'expiresIn',
] as const satisfies readonly (keyof Draft)[];

/** The channels that there are, in the order of the documented request. */
export const CHANNELS: readonly Channel[] = ['CHAT_QR', 'CHAT_CLOUD', 'SMS'];

/** The name of a sender where none is chosen: the default one, else the first that may be used. */
export function defaultSender(senders: readonly Sender[], channel: Channel): string {
  const usable = senders.filter(sender => sender.channel === channel && sender.approved);
  return (usable.find(({ isDefault }) => isDefault) ?? usable[0])?.name ?? '';
}

/** The draft that a URL says; what it does not say begins with the senders that the account has. */
export function readDraft(params: URLSearchParams, senders: readonly Sender[]): Draft {
  const has = (channel: Channel): boolean => defaultSender(senders, channel) !== '';
  const asked = (params.get('channels') ?? '').toUpperCase().split(',');
  const channels = CHANNELS.filter(channel => asked.includes(channel)).sort(
    (one, other) => asked.indexOf(one) - asked.indexOf(other),
  );
  const [first] = (['SMS', 'CHAT_QR', 'CHAT_CLOUD'] as const).filter(has);
  const texts = Object.fromEntries(TEXTS.map(name => [name, params.get(name) ?? '']));
  return {
    ...(texts as Record<(typeof TEXTS)[number], string>),
    kind: params.get('kind') === 'otp' ? 'otp' : 'message',
    channels: channels.length > 0 ? channels : first ? [first] : [],
    isAll: params.get('deliveryMode')?.toUpperCase() === 'ALL',
    sender: params.get('sender') ?? defaultSender(senders, 'SMS'),
    chatFrom: params.get('chatFrom') ?? defaultSender(senders, 'CHAT_QR'),
    cloudLanguage: params.get('cloudLanguage') ?? 'en_US',
  };
}

/** The draft as a URL says it: what is empty is left out. */
export function writeDraft(draft: Draft): URLSearchParams {
  const params = new URLSearchParams();
  if (draft.kind === 'otp') params.set('kind', 'otp');
  params.set('channels', draft.channels.join(',').toLowerCase());
  if (draft.isAll) params.set('deliveryMode', 'all');
  for (const name of TEXTS) if (draft[name] !== '' && isShown(draft, name)) params.set(name, draft[name]);
  return params;
}

/** Whether a part is of use for the kind and the channels of a draft. */
function isShown({ kind, channels }: Draft, name: (typeof TEXTS)[number]): boolean {
  if (name === 'sender') return channels.includes('SMS');
  if (name === 'chatFrom') return channels.includes('CHAT_QR');
  if (name === 'cloudComponents') return channels.includes('CHAT_CLOUD') && kind === 'message';
  if (name.startsWith('cloud')) return channels.includes('CHAT_CLOUD');
  return name === 'to' || (kind === 'message') === (name === 'text' || name === 'reference');
}

/** The channels with their own fields, as both inputs have them. */
function routeOf({ channels, isAll, sender, chatFrom }: Draft) {
  return {
    channels: [...channels],
    ...(isAll && channels.length > 1 && { deliveryMode: 'ALL' as const }),
    ...(channels.includes('CHAT_QR') && chatFrom !== '' && { chatFrom }),
    ...(channels.includes('SMS') && sender !== '' && { sender }),
  };
}

/** The template of a cloud number; null: none is asked for. */
function cloudTemplateOf({ channels, cloudName, cloudLanguage }: Draft) {
  return channels.includes('CHAT_CLOUD') && cloudName !== '' ? { name: cloudName, language: cloudLanguage } : null;
}

/** What is wrong with the JSON of components; null: nothing is. */
export function componentsFault(json: string): string | null {
  if (json.trim() === '') return null;
  try {
    return Array.isArray(JSON.parse(json)) ? null : 'must be a JSON array of components';
  } catch (error) {
    return `is no JSON: ${error instanceof Error ? error.message : error}`;
  }
}

/** The draft as `sendMessage` takes it. */
export function messageInput(draft: Draft): SendMessageInput {
  const { to, text, reference, kind, channels, cloudComponents } = draft;
  const template = cloudTemplateOf(draft);
  const isWithComponents = kind === 'message' && channels.includes('CHAT_CLOUD') && cloudComponents.trim() !== '';
  const components = isWithComponents && componentsFault(cloudComponents) === null ? JSON.parse(cloudComponents) : null;
  return {
    to,
    text,
    ...routeOf(draft),
    ...(template && { cloudTemplate: { ...template, ...(components && { components }) } }),
    ...(reference !== '' && { reference }),
  };
}

/** The draft as `sendOtp` takes it. */
export function otpInput(draft: Draft): SendOtpInput {
  const { to, template, length, expiresIn } = draft;
  const cloudTemplate = cloudTemplateOf(draft);
  return {
    to,
    ...routeOf(draft),
    ...(cloudTemplate && { cloudTemplate }),
    ...(template !== '' && { template }),
    ...(length !== '' && { length: Number(length) }),
    ...(expiresIn !== '' && { expiresIn: Number(expiresIn) }),
  };
}
