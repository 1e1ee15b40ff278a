/** Ids are UUIDv7 in the database (RFC 9562), so keys grow with time. Callers see `<prefix>_<32 lower-case hex>`. */
import { randomUUID } from 'node:crypto';
import { gatewayTime } from './process/gateway-time.ts';

/** The prefix says what an id names. */
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
  | 'aud'
  | 'con'
  | 'rul'
  | 'ses'
  | 'inv'
  | 'rql'
  | 'alr'
  | 'alt'
  | 'sup'
  | 'prs'
  | 'not'
  | 'tpl';

const ID_PATTERN = /^[a-z]{3}_[0-9a-f]{32}$/;
const BODY_PATTERN = /^[0-9a-f]{32}$/i;
const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The length of `msg_`: every prefix has three letters. */
const BODY_START = 4;

/** A UUIDv7 keeps the time in 48 bits: 12 hex digits, up to the year 10889. */
const TIME_HEX_LENGTH = 12;

/** The hex digits of a uuid. */
const UUID_HEX_LENGTH = 32;

/** The end of the digit of the version in a dashed uuid. */
const VERSION_END = 15;
const TIME_MS_MAX = 2 ** 48 - 1;

/** The uuid before all others, dashed. */
export const LEAST_UUID = '00000000-0000-0000-0000-000000000000';

/** Makes a new id, such as `msg_0199a0b1c2d37e4f8a0b1c2d3e4f5a6b`. Ids of one millisecond have no order. */
export function newId(prefix: IdPrefix): string {
  return fromUuid(prefix, newUuid());
}

/** Makes a new UUIDv7, dashed and lower-case, dated by the time of the gateway: Node's own goes by the machine's clock. */
export function newUuid(): string {
  // A UUIDv4 has its random bits at the same places, behind the version.
  return `${timeBits(gatewayTime())}-7${randomUUID().slice(VERSION_END)}`;
}

/** The stored form of an id, a dashed uuid. Throws TypeError on other texts; use `parseId` for outside input. */
export function toUuid(id: string): string {
  if (!ID_PATTERN.test(id)) throw new TypeError('not an id');
  return dashed(id.slice(BODY_START));
}

function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Whether a text is a uuid as PostgreSQL prints it: lower-case and dashed. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** The public form of a stored uuid. The inverse of `toUuid`. */
export function fromUuid(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${uuid.replaceAll('-', '')}`;
}

/** Reads an id from outside, in either case. Null if it is no id of this prefix: answer it like an unknown id. */
export function parseId(prefix: IdPrefix, value: string): string | null {
  if (!value.startsWith(`${prefix}_`)) return null;
  const body = value.slice(BODY_START);
  return BODY_PATTERN.test(body) ? `${prefix}_${body.toLowerCase()}` : null;
}

/** When an id was made, to the millisecond. Throws TypeError on any other text. */
export function idTime(id: string): Date {
  if (!ID_PATTERN.test(id)) throw new TypeError('not an id');
  return new Date(Number.parseInt(id.slice(BODY_START, BODY_START + TIME_HEX_LENGTH), 16));
}

/** The lowest uuid of a millisecond: ids made then or later sort at or above it. @throws RangeError on an invalid Date */
export function uuidFloor(date: Date): string {
  return `${timeBits(date)}-0000-0000-000000000000`;
}

/** How far the clocks of two processes may be apart. */
const CLOCK_SKEW_MS = 86_400_000;

/** The lowest uuid that can be made after one of these times, whichever process makes it: older partitions need no look. */
export function uuidFloorAfter(times: readonly Date[]): string {
  return uuidFloor(new Date(Math.min(...times.map(Number)) - CLOCK_SKEW_MS));
}

/** The lowest uuid above another one; null: that is the highest of all. */
export function uuidAfter(uuid: string): string | null {
  const next = (BigInt(`0x${uuid.replaceAll('-', '')}`) + 1n).toString(16).padStart(UUID_HEX_LENGTH, '0');
  return next.length > UUID_HEX_LENGTH ? null : dashed(next);
}

/** The first two groups of a UUIDv7: its time. @throws RangeError on an invalid Date */
function timeBits(date: Date): string {
  const ms = date.getTime();
  if (Number.isNaN(ms)) throw new RangeError('not a date');
  const hex = Math.min(Math.max(ms, 0), TIME_MS_MAX).toString(16).padStart(TIME_HEX_LENGTH, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
