/** The sessions of numbers that one process connects at a time (QR-linked chats), each of one connection. */
import { defineEntity, p } from '@mikro-orm/core';
import { ENDED_STATES } from '../../channels/session.ts';
import { IdType } from '../../db/id-type.ts';

/** How a session is: never linked, linked, or over until a person does something. */
export const SESSION_STATES = ['unlinked', 'linked', ...ENDED_STATES] as const;

const ChatSessionSchema = defineEntity({
  name: 'ChatSession',
  tableName: 'chat_sessions',
  properties: {
    connectionId: p.type(new IdType('con')).primary(),
    state: p.enum([...SESSION_STATES]).default('unlinked'),
    /** Since when it is so. */
    stateSince: p.datetime(),
    /** Whether its socket is open. */
    isOpen: p.boolean().default(false),
    /** Why it is not; null: it is. */
    error: p.text().nullable(),
    /** The number that is linked, in digits; null: none is. */
    number: p.text().nullable(),
    /** The credentials, sealed under the key of `credsKeyId`; null: it is not linked. */
    creds: p.text().nullable(),
    credsKeyId: p.string().length(8).nullable(),
    /** The process that owns it, by a name for this time alone, and until when; null: none. */
    owner: p.uuid().nullable(),
    leaseUntil: p.datetime().nullable(),
    /** When it was linked: it may do more by its age. */
    linkedAt: p.datetime().nullable(),
    /** When the server last acknowledged a text. */
    lastAckAt: p.datetime().nullable(),
    /** When it sent its last texts, the newest at the end. */
    turns: p.array<Date>().columnType('timestamptz[]').defaultRaw(`'{}'`),
    /** Since when the server lets it write to nobody new, and until when; null: it does, or no time is told. */
    lockedSince: p.datetime().nullable(),
    lockedUntil: p.datetime().nullable(),
    /** How many chats the server lets it begin, and how many it has begun; null: not told. */
    newChats: p.integer().nullable(),
    newChatsUsed: p.integer().nullable(),
    /** When the period of that ends; null: not told. */
    newChatsUntil: p.datetime().nullable(),
    limitsAt: p.datetime().nullable(),
    /** The person who accepted the risks of such a number, and when; null: nobody did. */
    risksAcceptedBy: p.text().nullable(),
    risksAcceptedAt: p.datetime().nullable(),
  },
  // Two sockets of a number would fight, and have twice its pace.
  uniques: [{ name: 'chat_sessions_linked_number_unique', properties: ['number'], where: "state = 'linked'" }],
});

/** The session of a connection. */
export class ChatSession extends ChatSessionSchema.class {}
ChatSessionSchema.setClass(ChatSession);
