/** How much of its pace a linked number has used, and why it writes to nobody new. */
import type { SessionPace } from '../../../channels/session.ts';
import type { Ctx } from '../../../context.ts';
import type { Database } from '../../../db/orm.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { READ_HOLD, READ_NEW_CHATS, READ_PACE } from './turn.sql.ts';
import { sentenceOf } from './turn-refusal.ts';

/** The pace of a number, and what is used of it. */
export interface Pace {
  /** Texts within the last minute, and how many those may be. */
  readonly sentLastMinute: number;
  readonly perMinute: number;
  /** People whom it wrote to first within the last 24 hours, and how many those may be at its age. */
  readonly newPeople: number;
  readonly newPeopleAllowed: number;
}

/** The pace of the number of a connection; null: its config cannot be used. */
export async function paceOf({ services }: Ctx, connectionId: string): Promise<Pace | null> {
  const face = services.providers.of(connectionId)?.session;
  if (!face) return null;
  const { perMinute, newPeoplePerDay: newPeople } = face;
  const used = await READ_PACE.first(services.database.sql(), { connection: toUuid(connectionId), newPeople });
  if (!used) return null;
  return {
    sentLastMinute: used.sent_last_minute,
    perMinute,
    newPeople: used.new_people,
    newPeopleAllowed: used.new_people_allowed,
  };
}

/** The new chats that the chat lets a number begin. */
export interface NewChats {
  /** How many there may be in the chat's period. */
  readonly allowed: number;
  /** How many of those it has begun. */
  readonly used: number;
  /** When the period ends; null: not told. */
  readonly until: Date | null;
}

/** The new chats of the number of a connection; null: the chat told of no bound, or its time is over. @throws errors of the database */
export async function newChatsOf({ services }: Ctx, connectionId: string): Promise<NewChats | null> {
  return (await READ_NEW_CHATS.first(services.database.sql(), { connection: toUuid(connectionId) })) ?? null;
}

/** Why a linked number may not write to a person now, in a sentence; null: it may. @throws errors of the database */
export async function readHold(
  database: Database,
  connectionId: string,
  { newPeoplePerDay: newPeople }: SessionPace,
  person: string,
): Promise<string | null> {
  const held = await READ_HOLD.first(database.sql(), { connection: toUuid(connectionId), person, newPeople });
  return held ? sentenceOf(held.hold, held.until) : null;
}
