/** Messages that people write by WhatsApp, as Meta's callbacks bring them. */
import { z } from 'zod';
import type { Inbound } from '../contract.ts';
import { dialled } from '../dialled.ts';

const word = z.string().min(1).max(255);
const number = word.transform(dialled).nullish().catch(null);
const text = z.string().nullish().catch(null);
const titled = z.object({ title: text }).nullish().catch(null);

/** A message, as far as it is read; each kind has its content in a member of its own name. */
const message = z.looseObject({
  id: word,
  type: word.regex(/^[\w-]+$/),
  /** Seconds since 1970. */
  timestamp: z
    .string()
    .regex(/^[0-9]{1,11}$/)
    .nullish()
    .catch(null),
  from: number,
  from_user_id: word.nullish().catch(null),
  /** A message to a group is nobody's of one account. */
  group_id: word.nullish().catch(null),
  context: z
    .object({ id: word.nullish().catch(null) })
    .nullish()
    .catch(null),
});

/** The members in which the text of a kind stands: its label, its caption, its title. */
const content = z.object({
  body: text,
  caption: text,
  text,
  emoji: text,
  name: text,
  button_reply: titled,
  list_reply: titled,
  nfm_reply: z.object({ body: text }).nullish().catch(null),
  message_id: word.nullish().catch(null),
  /** Of a system message: the kind of change, the id that is the person's from now on, and the one before. */
  type: text,
  user_id: word.nullish().catch(null),
  previous_user_id: word.nullish().catch(null),
  /** The number that is the person's from now on. */
  wa_id: number,
});

const contact = z.object({
  wa_id: number,
  user_id: word.nullish().catch(null),
  profile: z.object({ name: text, username: text }).catch({ name: null, username: null }),
});

/** A person of a call: the addresses, and the name that they show. */
interface Contact {
  readonly number: string | null;
  readonly userId: string | null;
  readonly username: string | null;
}

/** The people of a call, by each of their addresses. */
export type Contacts = ReadonlyMap<string, Contact>;

/** Reads the `contacts` of a call. */
export function knownBy(contacts: readonly unknown[]): Contacts {
  const read = contacts.flatMap(value => contact.safeParse(value).data ?? []);
  return new Map(
    read.flatMap(({ wa_id, user_id, profile }) => {
      const username = profile.username || profile.name || null;
      const person = { number: wa_id ?? null, userId: user_id ?? null, username };
      return [wa_id, user_id].flatMap(address => (address ? [[address, person] as const] : []));
    }),
  );
}

/** News of a person's other number, with which comes another id too. */
const MOVE = 'user_changed_number';

/** News of a person's other id. */
const RENAMES: ReadonlySet<string> = new Set(['user_changed_user_id', MOVE]);

/** Reads one message. Null: it has no writer or no id, or is a group's. @param to the number that it came to, in digits */
export function inboundOf(value: unknown, to: string, contacts: Contacts): Inbound | null {
  const read = message.safeParse(value).data;
  if (!read || read.group_id) return null;
  const kind = content.safeParse(read[read.type]).data;
  const renamed = read.type === 'system' && RENAMES.has(kind?.type ?? '') ? kind : null;
  // News of another id come without a writer.
  const known = contacts.get(read.from ?? '') ?? contacts.get(read.from_user_id ?? '');
  const writer = read.from ?? known?.number ?? read.from_user_id ?? renamed?.user_id;
  // Whoever has another number is told of by the old one, which may be somebody else's soon.
  const from = (renamed?.type === MOVE && (renamed.wa_id ?? renamed.user_id)) || writer;
  if (!from) return null;
  // Whoever has a new id is told of by the former one, and is written to by the new one.
  const userId = renamed?.user_id ?? read.from_user_id ?? known?.userId;
  const quotes = read.context?.id ?? (read.type === 'reaction' ? kind?.message_id : null);
  return {
    providerMessageId: read.id,
    from,
    ...(userId && userId !== from && { userId }),
    ...(renamed?.previous_user_id && { formerId: renamed.previous_user_id }),
    ...(read.from && from !== writer && { formerNumber: read.from }),
    ...(known?.username && { username: known.username }),
    to,
    type: read.type,
    text: kind ? textOf(kind) : null,
    ...(read.timestamp && { sentAt: new Date(Number(read.timestamp) * 1_000) }),
    ...(quotes && { quotes }),
  };
}

/** The text of a message, or the label, caption or name that it has in its place. */
function textOf(kind: z.output<typeof content>): string | null {
  const { body, caption, text: label, emoji, name, button_reply, list_reply, nfm_reply } = kind;
  return (
    body ?? caption ?? label ?? emoji ?? button_reply?.title ?? list_reply?.title ?? nfm_reply?.body ?? name ?? null
  );
}
