/** The verb *read a conversation*: what was said with one person, over all channels, with the notes about them. */
import type { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { type Page, readPageAtOnce } from '../../db/page.ts';
import { CHANNEL_FACTS, CHANNELS, type Channel } from '../../kernel/channel.ts';
import { fromUuid, type IdPrefix, toUuid } from '../../kernel/ids.ts';
import { InboundMessage } from '../inbound/inbound-message.entity.ts';
import { Message } from '../messaging/message.entity.ts';
import { Otp } from '../otp/otp.entity.ts';
import { OPEN_WINDOWS } from '../people/chat-windows.sql.ts';
import { type EntryKind, READ_CONVERSATION } from './conversation.sql.ts';
import { findPerson } from './find-people.ts';
import type { readConversationInput } from './people.input.ts';
import { PersonNote } from './person-note.entity.ts';
import type { PersonView } from './person-view.ts';

/** An entry of a conversation. */
export type ConversationEntry = Message | InboundMessage | Otp | PersonNote;

interface PlacedEntry {
  readonly id: string;
  readonly position: string;
  readonly entry: ConversationEntry;
}

const PREFIXES: Readonly<Record<EntryKind, IdPrefix>> = {
  message_attempt: 'msg',
  inbound: 'msg',
  otp_attempt: 'pin',
  note: 'not',
};

/** The entries, newest first. One whose row is forgotten, as passcodes are after a day, is left out. @throws AppError `invalid_input`; as `findPerson` */
export async function readConversation(
  ctx: Ctx,
  { to, ...page }: z.infer<typeof readConversationInput>,
): Promise<Page<PlacedEntry>> {
  const person = await findPerson(ctx, to);
  const account = toUuid(person.accountId);
  const read = await readPageAtOnce(
    page,
    async (before, limit) => {
      const rows = await READ_CONVERSATION.run(ctx.services.database.sql(), {
        account,
        person: person.id === null ? null : toUuid(person.id),
        addresses: addressesOf(person),
        before,
        limit,
      });
      return rows.map(({ position, kind, id }) => ({ position, kind, id: fromUuid(PREFIXES[kind], id) }));
    },
    ({ position }) => position,
  );
  const entries = await loadEntries(
    ctx,
    person.accountId,
    read.rows.map(({ id }) => id),
  );
  return {
    ...read,
    rows: read.rows.flatMap(({ id, position }) => {
      const entry = entries.get(id);
      return entry ? [{ id, position, entry }] : [];
    }),
  };
}

async function loadEntries(
  ctx: Ctx,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ConversationEntry>> {
  const em = ctx.services.database.fork();
  const where = (prefix: IdPrefix) => ({ accountId, id: { $in: ids.filter(id => id.startsWith(prefix)) } });
  const found: ConversationEntry[][] = await Promise.all([
    em.find(Message, where('msg')),
    em.find(InboundMessage, where('msg')),
    em.find(Otp, where('pin')),
    em.find(PersonNote, where('not')),
  ]);
  return new Map(found.flat().map(entry => [entry.id, entry]));
}

/** All addresses of a person. */
function addressesOf({ to, addresses }: PersonView): string[] {
  return addresses.length === 0 ? [to] : addresses.map(({ value }) => value);
}

/** A chat that is open for free text, as its person wrote last within the hours of its channel. */
export interface ChatWindow {
  readonly channel: Channel;
  readonly sender: string;
  readonly closesAt: Date;
}

/** The open chats of a person, those that are open longest first. */
export async function openWindows(ctx: Ctx, person: PersonView): Promise<ChatWindow[]> {
  const windows = await Promise.all(
    CHANNELS.map(async channel => {
      const { freeTextHours: hours } = CHANNEL_FACTS[channel];
      if (hours === null) return [];
      const scope = { account: toUuid(person.accountId), addresses: addressesOf(person), channel, hours };
      const rows = await OPEN_WINDOWS.run(ctx.services.database.sql(), scope);
      return rows.map(row => ({ channel, ...row }));
    }),
  );
  return windows.flat();
}
