/** A message that came in, as its statement takes it. */
import type { Inbound } from '../../channels/contract.ts';
import type { Channel } from '../../kernel/channel.ts';
import { newUuid, toUuid } from '../../kernel/ids.ts';
import { countryOf, parsePhone } from '../../kernel/phone.ts';
import { storableText } from '../../kernel/storable.ts';
import { labelWordOf, wordOf } from '../suppressions/stop-words.policy.ts';

/** A connection that messages come by, or the phones of the sandbox. */
export interface Bringer {
  /** Null: the phones of the sandbox. */
  readonly id: string | null;
  /** The account whose senders it serves; null: it is shared, and the sender that a message came to says whose it is. */
  readonly accountId: string | null;
  /** The id of its provider. */
  readonly providerId: string;
  readonly channel: Channel;
}

/** The longest text, id or name that is kept of one message; more than any channel carries. */
const TEXT_MAX = 65_536;
const NAME_MAX = 255;

/** A number as providers write it. */
const NUMBER = /^\+?([0-9]{1,20})$/;

/** A message but for its text and its ids. */
export type InboundHead = ReturnType<typeof headOf>;

/** A message. */
export type InboundRow = ReturnType<typeof newRow>;

/** A message that was stored for an account. */
export type StoredRow = InboundRow & { readonly account_id: string };

/** Everything of a message but its text and its ids. */
export function headOf({ id, accountId, providerId: provider, channel }: Bringer, message: Inbound) {
  const from = personOf(message);
  return {
    account_id: accountId === null ? null : toUuid(accountId),
    connection_id: id === null ? null : toUuid(id),
    provider,
    channel,
    type: storableText(message.type.slice(0, NAME_MAX)),
    ...from,
    former_id: shortText(message.formerId ?? null),
    former_number: digitsOf(message.formerNumber ?? '') ?? null,
    username: shortText(message.username ?? null),
    to_address: addressOf(message.to),
    quotes: shortText(message.quotes ?? null),
    sent_at: message.sentAt?.toISOString() ?? null,
    is_answered: message.isAnswered ?? false,
    taken_for: message.takenFor ?? null,
    country: from.from_number === null ? null : countryOf(from.from_number),
  };
}

/** A message with ids of its own. @param seenId as `seenIdOf` */
export function newRow(head: InboundHead, told: string | null, seenId: string | null) {
  const text = told === null ? null : storableText(told);
  const read = head.type === 'text' ? wordOf : labelWordOf;
  const word = head.taken_for ?? (text === null ? null : read(text));
  return { ...head, id: newUuid(), entry_id: newUuid(), seen_id: seenId, text, word };
}

/** The id by which repeats of a message are known; null: it has none, as of the sandbox, which repeats none. */
export function seenIdOf({ id }: Bringer, { providerMessageId }: Inbound): string | null {
  return id === null ? null : shortText(providerMessageId);
}

/** The text of a message, as far as it is kept. */
export function textOf({ text }: Inbound): string | null {
  return text === null ? null : text.slice(0, TEXT_MAX);
}

/** The person who wrote: by number where it is one, and by what the channel has beside it or in its place. */
function personOf({ from, userId = '' }: Inbound) {
  const digits = digitsOf(from);
  return digits === undefined
    ? { from_number: null, from_user_id: shortText(from.trim()) }
    : { from_number: digits, from_user_id: shortText(userId.trim()) };
}

/** The digits of a number. A short code is no international number, and is kept as it is written. */
function digitsOf(text: string): string | undefined {
  return parsePhone(text.trim())?.digits ?? NUMBER.exec(text.trim())?.[1];
}

/** A sender as senders are stored: a number in digits, however the provider writes it, and a short code or a name as it is. */
function addressOf(to: string): string {
  const trimmed = to.trim();
  const [, digits] = NUMBER.exec(trimmed) ?? [];
  if (digits !== undefined && !digits.startsWith('00')) return digits;
  return parsePhone(trimmed)?.digits ?? digits ?? storableText(trimmed.slice(0, NAME_MAX));
}

/** Null for nothing, and for an empty text. */
function shortText(text: string | null): string | null {
  return text === null || text === '' ? null : storableText(text.slice(0, NAME_MAX));
}
