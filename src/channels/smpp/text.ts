/** Texts as bytes of short messages: GSM 7 with its extension table, one septet an octet, or UCS-2 (3GPP TS 23.038; SMPP 3.4 §5.2.19). */
import { GSM7_BASIC, GSM7_ESCAPE, GSM7_EXTENSION } from '../../kernel/segments.ts';

/** The characters behind an escape, by their codes. */
const EXTENDED: ReadonlyMap<number, string> = new Map(
  Object.entries(GSM7_EXTENSION).map(([character, code]) => [code, character]),
);

const NOT_GSM = 0xffff;

/** The code of each UTF-16 unit, behind an escape in the upper byte for one of the extension; beyond the end: not GSM. */
const CODES = codeTable();

/** `data_coding` of the SMSC's default alphabet, which is GSM 7, and of UCS-2. */
const DATA_CODING = { gsm7: 0x00, ucs2: 0x08 } as const;

/** A text in bytes. */
export interface EncodedText {
  readonly encoding: 'gsm7' | 'ucs2';
  readonly dataCoding: number;
  readonly bytes: Buffer;
}

/** Encodes a text: GSM 7 where its alphabet has every character, else UCS-2 (UTF-16, big endian). */
export function encodeText(text: string): EncodedText {
  const septets = encodeGsm7(text);
  return septets
    ? { encoding: 'gsm7', dataCoding: DATA_CODING.gsm7, bytes: septets }
    : { encoding: 'ucs2', dataCoding: DATA_CODING.ucs2, bytes: Buffer.from(text, 'utf16le').swap16() };
}

function encodeGsm7(text: string): Buffer | null {
  const bytes = Buffer.allocUnsafe(text.length * 2);
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    const code = CODES[text.charCodeAt(index)] ?? NOT_GSM;
    if (code === NOT_GSM) return null;
    if (code > 0xff) bytes[at++] = code >> 8;
    bytes[at++] = code & 0xff;
  }
  return bytes.subarray(0, at);
}

/** The text of septets, each in an octet. An escape of nothing known is the character behind it, as phones show it (3GPP TS 23.038 §6.2.1). */
export function decodeGsm7(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at++) {
    const isEscape = bytes[at] === GSM7_ESCAPE && at + 1 < bytes.length;
    if (isEscape) at += 1;
    const code = (bytes[at] ?? 0) & 0x7f;
    text += (isEscape ? EXTENDED.get(code) : undefined) ?? GSM7_BASIC[code] ?? '';
  }
  return text;
}

/** Joins two parts of a text. An escape at the end of the first is that of the first character of the second. */
export function joinParts(before: string, after: string): string {
  if (before.charCodeAt(before.length - 1) !== GSM7_ESCAPE || after === '') return before + after;
  const character = after.charAt(0);
  return before.slice(0, -1) + (EXTENDED.get(GSM7_BASIC.indexOf(character)) ?? character) + after.slice(1);
}

/** Cuts a text into parts of at most `sizeMax` bytes (of UCS-2: an even number); none begins within an escape pair or a surrogate pair. */
export function cutText({ encoding, bytes }: EncodedText, sizeMax: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + sizeMax, bytes.length);
    if (end < bytes.length) end -= encoding === 'gsm7' ? escapeBefore(bytes, end) : pairBefore(bytes, end);
    parts.push(bytes.subarray(start, end));
    start = end;
  }
  return parts;
}

/** Bytes of an escape that ends here, whose character would come behind; an escape is never the character of one. */
function escapeBefore(bytes: Buffer, end: number): 0 | 1 {
  return bytes[end - 1] === GSM7_ESCAPE ? 1 : 0;
}

/** Bytes of the first half of a pair that ends here, whose second half would come behind. */
function pairBefore(bytes: Buffer, end: number): 0 | 2 {
  const isHigh = (bytes.readUInt8(end - 2) & 0xfc) === 0xd8;
  const isLow = (bytes.readUInt8(end) & 0xfc) === 0xdc;
  return isHigh && isLow ? 2 : 0;
}

function codeTable(): Uint16Array {
  const table = new Uint16Array('€'.charCodeAt(0) + 1).fill(NOT_GSM);
  for (const [code, character] of [...GSM7_BASIC].entries())
    if (code !== GSM7_ESCAPE) table[character.charCodeAt(0)] = code;
  for (const [character, code] of Object.entries(GSM7_EXTENSION))
    table[character.charCodeAt(0)] = (GSM7_ESCAPE << 8) | code;
  return table;
}
