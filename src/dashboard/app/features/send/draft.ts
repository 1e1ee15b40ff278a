/** The draft of the send page, its link, and the inputs of the mutations that send it. */
import { CHANNEL_FACTS, CHANNELS } from '../../api/channels.generated.ts';
import { LISTED_CHANNELS } from '../../api/channels.ts';
import type { Channel, SendChoicesQuery, SendMessageInput, SendOtpInput } from '../../api/operations.generated.ts';
import { readComponents } from '../../frame/template/components.ts';

/** A sender of the account. */
export type Sender = SendChoicesQuery['senders'][number];

/** A message or a passcode. */
export type Kind = 'message' | 'otp';

/** The fields of the send page. An empty text counts as absent. */
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

/** The parts that a link says by their own names, and the tab alone keeps. */
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

/** The name of a sender where none is chosen: the default one, else the first that may be used. */
export function defaultSender(senders: readonly Sender[], channel: Channel): string {
  const usable = senders.filter(sender => sender.channel === channel && sender.approved);
  return (usable.find(({ isDefault }) => isDefault) ?? usable[0])?.name ?? '';
}

/** Whether a link says anything that must not stay in the URL. */
export function tellsTexts(params: URLSearchParams): boolean {
  return TEXTS.some(name => params.has(name));
}

/**
 * The draft of a link. A link with texts begins a new draft, with the default senders of the account. Any other link changes the draft
 * that the tab kept (null: none).
 */
export function readDraft(params: URLSearchParams, senders: readonly Sender[], kept: Draft | null): Draft {
  const before = tellsTexts(params) ? null : kept;
  const has = (channel: Channel): boolean => defaultSender(senders, channel) !== '';
  const asked = (params.get('channels') ?? '').toUpperCase().split(',');
  const channels = CHANNELS.filter(channel => asked.includes(channel)).sort(
    (one, other) => asked.indexOf(one) - asked.indexOf(other),
  );
  const first = LISTED_CHANNELS.find(has);
  const usual = sendersOf(CHANNELS, channel => defaultSender(senders, channel));
  const empty = { ...textsOf(() => ''), ...usual, cloudLanguage: 'en_US' };
  const isRouted = params.has('channels') || before === null;
  return {
    ...textsOf(name => params.get(name) ?? before?.[name] ?? empty[name]),
    kind: params.has('kind') || isRouted ? (params.get('kind') === 'otp' ? 'otp' : 'message') : before.kind,
    channels: isRouted ? (channels.length > 0 ? channels : first ? [first] : []) : before.channels,
    isAll: isRouted ? params.get('deliveryMode')?.toUpperCase() === 'ALL' : before.isAll,
  };
}

/** The link to a draft: its kind, channels and delivery mode, but no numbers and no texts. */
export function linkOf({ kind, channels, isAll }: Draft): URLSearchParams {
  return new URLSearchParams({
    ...(kind === 'otp' && { kind }),
    channels: channels.join(',').toLowerCase(),
    ...(isAll && { deliveryMode: 'all' }),
  });
}

/** The draft that a tab kept, as JSON; null: none, or none that this version understands. */
export function keptDraft(json: string | null): Draft | null {
  const kept: unknown = json === null ? null : JSON.parse(json);
  return isDraft(kept) ? kept : null;
}

function isDraft(kept: unknown): kept is Draft {
  if (typeof kept !== 'object' || kept === null) return false;
  const { kind, channels, isAll, ...texts } = kept as Readonly<Record<string, unknown>>;
  const areTexts = TEXTS.every(name => typeof texts[name] === 'string');
  return areTexts && typeof kind === 'string' && typeof isAll === 'boolean' && Array.isArray(channels);
}

function textsOf(read: (name: (typeof TEXTS)[number]) => string): Record<(typeof TEXTS)[number], string> {
  return Object.fromEntries(TEXTS.map(name => [name, read(name)])) as Record<(typeof TEXTS)[number], string>;
}

/** The channels with their own fields, as both inputs have them. */
function routeOf(draft: Draft) {
  const { channels, isAll } = draft;
  return {
    channels: [...channels],
    ...(isAll && channels.length > 1 && { deliveryMode: 'ALL' as const }),
    ...sendersOf(channels, (_channel, field) => draft[field]),
  };
}

/** A field of an input that names a sender. */
type SenderField = NonNullable<(typeof CHANNEL_FACTS)[Channel]['senderField']>;

/** The fields of these channels that name a sender, where there is one. */
function sendersOf(
  channels: readonly Channel[],
  senderOf: (channel: Channel, field: SenderField) => string,
): Partial<Record<SenderField, string>> {
  const named: Partial<Record<SenderField, string>> = {};
  for (const channel of CHANNELS.filter(one => channels.includes(one))) {
    const { senderField } = CHANNEL_FACTS[channel];
    const sender = senderField === null ? '' : senderOf(channel, senderField);
    if (senderField !== null && sender !== '') named[senderField] = sender;
  }
  return named;
}

/** Whether one of these channels takes a template. */
function takesTemplate(channels: readonly Channel[]): boolean {
  return channels.some(channel => CHANNEL_FACTS[channel].templateField !== null);
}

/** The template of a cloud number; null: none is asked for. */
function cloudTemplateOf({ channels, cloudName, cloudLanguage }: Draft) {
  return takesTemplate(channels) && cloudName !== '' ? { name: cloudName, language: cloudLanguage } : null;
}

/** The draft as `sendMessage` takes it. */
export function messageInput(draft: Draft): SendMessageInput {
  const { to, text, reference, kind, channels, cloudComponents } = draft;
  const template = cloudTemplateOf(draft);
  const components = kind === 'message' && takesTemplate(channels) ? readComponents(cloudComponents) : null;
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
