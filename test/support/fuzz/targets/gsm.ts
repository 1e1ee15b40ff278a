/** Texts of SMS: as bytes, in parts, and counted. */
import { cutText, decodeGsm7, encodeText, joinParts } from '../../../../src/channels/smpp/text.ts';
import { countSegments } from '../../../../src/kernel/segments.ts';
import { hold, same } from '../check.ts';
import type { FuzzTarget } from '../search.ts';

/** How many bytes of text a part has, behind its header of six. */
const PART_BYTES = { gsm7: 153, ucs2: 134 } as const;
const SINGLE_BYTES = { gsm7: 160, ucs2: 140 } as const;

const textOf = (bytes: Buffer, encoding: 'gsm7' | 'ucs2'): string =>
  encoding === 'gsm7' ? decodeGsm7(bytes) : Buffer.from(bytes).swap16().toString('utf16le');

/** A text, which is read back from its bytes and its parts, and costs as many parts as it has. */
export const gsmText: FuzzTarget = {
  name: 'gsm-text',
  tokens: ['\xe2\x82\xac', '{', '[', '\x1b', '\x0c', '\xf0\x9f\x98\x80', '\xc3\xa7', '\xc3\x87', '@', '\xe2\x80\x99'],
  seeds: [
    'Hello',
    `${'a'.repeat(152)}€${'b'.repeat(152)}€`,
    `${'ж'.repeat(66)}😀${'ж'.repeat(66)}😀`,
    '{}'.repeat(80),
    '😀'.repeat(36),
  ],
  run: input => {
    const text = input.toString('utf8');
    const encoded = encodeText(text);
    const { encoding, bytes } = encoded;
    same(textOf(bytes, encoding), text, 'the text of its bytes');
    const counted = countSegments(text);
    same(counted.encoding, encoding, 'the alphabet that is counted');
    const parts = bytes.length <= SINGLE_BYTES[encoding] ? [bytes] : cutText(encoded, PART_BYTES[encoding]);
    same(counted.segments, parts.length, 'the parts that are counted');
    hold(
      parts.every(part => part.length <= PART_BYTES[encoding] || parts.length === 1),
      'a part that is too long',
    );
    hold(Buffer.concat(parts).equals(bytes), 'parts that are not the whole');
    same(parts.map(part => textOf(part, encoding)).join(''), text, 'the texts of the parts');
  },
};

/** The first byte says where septets are cut; the parts that somebody else made so are joined. */
export const gsmBytes: FuzzTarget = {
  name: 'gsm-bytes',
  tokens: ['\x1b', '\x1b\x65', '\x1b\x1b', '\x00', '\x7f', '\xff'],
  seeds: ['\x05Hello\x1b\x65', '\x01\x1b\x3c\x1b\x3e', '\x02a\x1b\x1b\x14'],
  run: input => {
    // A septet has seven bits.
    const bytes = Buffer.from(input.subarray(1).map(octet => octet & 0x7f));
    const whole = decodeGsm7(bytes);
    hold(whole.length <= bytes.length, 'more characters than septets');
    const at = (input[0] ?? 0) % (bytes.length + 1);
    // An escape of an escape is read as one part alone: which of both is cut off, nobody can know.
    if (bytes[at - 1] === 0x1b && (bytes[at - 2] === 0x1b || bytes[at] === 0x1b)) return;
    same(joinParts(decodeGsm7(bytes.subarray(0, at)), decodeGsm7(bytes.subarray(at))), whole, 'joined parts');
  },
};
