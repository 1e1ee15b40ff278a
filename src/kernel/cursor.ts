/** Opaque cursors of keyset pages: a version byte and the key of the last row. A new sort order gets a new version. */
import { isUuid } from './ids.ts';

const VERSION = 1;
const ENCODED_PATTERN = /^[A-Za-z0-9_-]{23}$/;

/** Encodes the key of a row (a lower-case dashed uuid). Throws TypeError on any other text. */
export function encodeCursor(uuid: string): string {
  if (!isUuid(uuid)) throw new TypeError('not a uuid');
  const bytes = Buffer.allocUnsafe(17);
  bytes.writeUInt8(VERSION, 0);
  bytes.write(uuid.replaceAll('-', ''), 1, 'hex');
  return bytes.toString('base64url');
}

/** The uuid in a cursor; null for a text that `encodeCursor` cannot make. */
export function decodeCursor(value: string): string | null {
  if (!ENCODED_PATTERN.test(value)) return null;
  const bytes = Buffer.from(value, 'base64url');
  // 23 characters hold two bits more than 17 bytes: only one spelling is valid.
  if (bytes.readUInt8(0) !== VERSION || bytes.toString('base64url') !== value) return null;
  const hex = bytes.toString('hex', 1);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
