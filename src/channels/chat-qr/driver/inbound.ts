/** Texts that people write, as the library brings them. */
import { dialled } from '../../dialled.ts';
import type { ChatMessage, Content, Library, MessageKey } from './library.ts';
import type { ChatInbound, ChatRecipient } from './protocol.ts';

/** The end of an address that is a number; of one that is an id of the chat. */
const [NUMBER, ID] = ['@s.whatsapp.net', '@lid'];

/** The address of a person without the device. One that a business has hosted elsewhere is the same person. */
function plain(jid: string): string {
  return jid
    .replace(/:\d+@/, '@')
    .replace(/@hosted\.lid$/, ID)
    .replace(/@hosted$/, NUMBER);
}

/** The digits of the number that an address is, as it is dialled; null: the address is none. */
export function numberOf(jid: string | null | undefined): string | null {
  const digits = jid?.endsWith(NUMBER) ? /^\d+/.exec(jid)?.[0] : undefined;
  return digits === undefined ? null : dialled(digits);
}

/** The address by which a person is written to. */
export function addressOf({ number, userId }: ChatRecipient): string | null {
  return number ? `${number}${NUMBER}` : userId;
}

/** Whether an address is of many: a group, the status, a list, a channel. */
export function isCrowd(jid: string): boolean {
  return /@(g\.us|broadcast|newsletter)$/.test(jid);
}

/** Reads the person of a chat. The digits of an id are no number. @param findNumber looks up the stored address of an id */
export async function personOf(
  key: MessageKey,
  findNumber: (jid: string) => Promise<string | null>,
): Promise<ChatRecipient> {
  const addresses = [key.remoteJid, key.remoteJidAlt].flatMap(jid => (jid ? [plain(jid)] : []));
  const userId = addresses.find(jid => jid.endsWith(ID)) ?? null;
  const number = addresses.map(numberOf).find(digits => digits !== null) ?? null;
  return { userId, number: number ?? (userId && numberOf(await findNumber(userId))) };
}

/** A part of a message that is an object; empty: there is none. */
function part(content: Content, name: string): Content {
  const value = content[name];
  return typeof value === 'object' && value !== null ? (value as Content) : {};
}

function word(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The kinds whose names differ from those of the library. */
const KINDS: Readonly<Record<string, string>> = {
  conversation: 'text',
  extendedTextMessage: 'text',
  buttonsResponseMessage: 'button',
  templateButtonReplyMessage: 'button',
  listResponseMessage: 'list',
  interactiveResponseMessage: 'interactive',
  liveLocationMessage: 'location',
  contactMessage: 'contacts',
  contactsArrayMessage: 'contacts',
};

/** Reads a message without its person. Null: nobody wrote a text to us by it. */
export function readInbound(
  library: Library,
  { key, message, pushName }: ChatMessage,
): Omit<ChatInbound, keyof ChatRecipient> | null {
  if (key.fromMe || !key.id || !key.remoteJid || isCrowd(key.remoteJid)) return null;
  const content = library.normalizeMessageContent(message);
  const type = library.getContentType(content);
  if (!content || !type || type === 'protocolMessage') return null;
  const body = part(content, type);
  const quotes = word(part(body, 'contextInfo').stanzaId) ?? word(part(body, 'key').id);
  return {
    messageId: key.id,
    username: word(pushName),
    kind: KINDS[type] ?? type.replace(/Message(V\d)?$/, ''),
    text: word(content.conversation) ?? textOf(body),
    quotes,
  };
}

/** The text of a kind, its caption, or the label that was pressed. */
function textOf(body: Content): string | null {
  const labels = [body.text, body.caption, body.selectedDisplayText, body.title, part(body, 'body').text];
  return labels.map(word).find(label => label !== null) ?? word(body.name) ?? word(body.displayName);
}
