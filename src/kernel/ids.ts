/**
 * Ids. In the database an id is a UUIDv7 (RFC 9562), so that keys grow with time and time is in the key (partitions,
 * keyset pages). Callers see `<prefix>_<32 lower-case hex>`, which says what the id names and survives a copy by double click.
 */
import { randomUUIDv7 } from 'node:crypto';

// Node has it since 24.16; the type package does not know it yet.
declare module 'crypto' {
  /** A UUIDv7 (RFC 9562) in the dashed lower-case form; random, not counting, within one millisecond. */
  export function randomUUIDv7(): string;
}

/** What an id names. */
export type IdPrefix =
  | 'msg'
  | 'att'
  | 'pin'
  | 'evt'
  | 'dlv'
  | 'whk'
  | 'acc'
  | 'tok'
  | 'snd'
  | 'usr'
  | 'key'
  | 'log'
  | 'sbx'
  | 'try'
  | 'wls'
  | 'led'
  | 'aud';

const ID_PATTERN = /^[a-z]{3}_[0-9a-f]{32}$/;
const BODY_PATTERN = /^[0-9a-f]{32}$/i;
const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The length of `msg_`: every prefix has three letters. */
const BODY_START = 4;

/** UUIDv7 keeps the time in 48 bits: 12 hex digits, the year 10889 at most. */
const TIME_HEX_LENGTH = 12;
const TIME_MS_MAX = 2 ** 48 - 1;

/** Makes a new id, such as `msg_0199a0b1c2d37e4f8a0b1c2d3e4f5a6b`. Ids of one millisecond are in no order. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}`;
}

/**
 * The stored form of an id, a dashed uuid. For ids that this process made or has parsed: throws TypeError on any other
 * text (at the edge use `parseId`).
 */
export function toUuid(id: string): string {
  if (!ID_PATTERN.test(id)) throw new TypeError('not an id');
  return `${id.slice(4, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20, 24)}-${id.slice(24)}`;
}

/** Whether a text is a stored uuid: lower-case and dashed, as PostgreSQL prints it. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** The shown form of a stored uuid (lower-case, dashed, as PostgreSQL prints it). The inverse of `toUuid`. */
export function fromUuid(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${uuid.replaceAll('-', '')}`;
}

/**
 * Reads an id that came from outside. Hex digits in upper case are taken and lowered; anything else that is not an id
 * of this prefix gives null, which the caller answers like an id that names nothing.
 */
export function parseId(prefix: IdPrefix, value: string): string | null {
  if (!value.startsWith(`${prefix}_`)) return null;
  const body = value.slice(BODY_START);
  return BODY_PATTERN.test(body) ? `${prefix}_${body.toLowerCase()}` : null;
}

/** The moment at which an id was made, to the millisecond. Throws TypeError on what is not an id. */
export function idTime(id: string): Date {
  if (!ID_PATTERN.test(id)) throw new TypeError('not an id');
  return new Date(Number.parseInt(id.slice(BODY_START, BODY_START + TIME_HEX_LENGTH), 16));
}

/**
 * The lowest uuid of a millisecond, `0199a0b1-c2d3-0000-0000-000000000000`: every id made at that instant or later sorts
 * at or above it, every earlier one below. For partition bounds and time ranges over keys. Instants that UUIDv7 cannot
 * hold are moved to its nearest end; an invalid Date throws RangeError.
 */
export function uuidFloor(date: Date): string {
  const ms = date.getTime();
  if (Number.isNaN(ms)) throw new RangeError('not a date');
  const hex = Math.min(Math.max(ms, 0), TIME_MS_MAX).toString(16).padStart(TIME_HEX_LENGTH, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
