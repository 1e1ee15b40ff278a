/** The beginning of an answer, kept so that a customer sees what its endpoint said. */

/** How much is kept, in bytes of UTF-8. */
export const EXCERPT_BYTES = 1_024;

const encoder = new TextEncoder();
const room = new Uint8Array(EXCERPT_BYTES);

/** The first KiB of a body as text that a database can keep: well-formed, without NUL, cut between characters; bad bytes become U+FFFD. */
export function excerptOf(pieces: readonly Uint8Array[]): string {
  const [first] = pieces;
  if (first === undefined) return '';
  const bytes = pieces.length === 1 && first instanceof Buffer ? first : Buffer.concat(pieces);
  const text = bytes.toString('utf8', 0, endOfCharacters(bytes)).replaceAll('\0', '');
  // Each bad byte has become three.
  if (text.length * 3 <= EXCERPT_BYTES) return text;
  return text.slice(0, encoder.encodeInto(text, room).read);
}

/** The end of the last whole character within the limit. */
function endOfCharacters(bytes: Buffer): number {
  if (bytes.length <= EXCERPT_BYTES) return bytes.length;
  let end = EXCERPT_BYTES;
  while (end > EXCERPT_BYTES - 3 && isContinuation(bytes[end])) end -= 1;
  return isContinuation(bytes[end]) ? EXCERPT_BYTES : end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
