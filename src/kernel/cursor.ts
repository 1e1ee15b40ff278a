/**
 * Cursors of keyset pages: the key of the last row that was shown, in a form that invites nobody to build one by hand.
 * The version byte lets a later order of the rows refuse the cursors of this one.
 */
import { isUuid } from './ids.ts';

const VERSION = 1;
const ENCODED_PATTERN = /^[A-Za-z0-9_-]{23}$/;

/** Makes the cursor after the row of this stored uuid (lower-case, dashed); throws TypeError on any other text. */
export function encodeCursor(uuid: string): string {
  if (!isUuid(uuid)) throw new TypeError('not a uuid');
  const bytes = Buffer.allocUnsafe(17);
  bytes.writeUInt8(VERSION, 0);
  bytes.write(uuid.replaceAll('-', ''), 1, 'hex');
  return bytes.toString('base64url');
}

/** The uuid inside a cursor, or null for any text that `encodeCursor` does not make. */
export function decodeCursor(value: string): string | null {
  if (!ENCODED_PATTERN.test(value)) return null;
  const bytes = Buffer.from(value, 'base64url');
  // 23 characters hold two bits more than 17 bytes do: only the spelling that we make is a cursor.
  if (bytes.readUInt8(0) !== VERSION || bytes.toString('base64url') !== value) return null;
  const hex = bytes.toString('hex', 1);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
