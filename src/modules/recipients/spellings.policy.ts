/** The spellings of addresses, as regular expressions of PostgreSQL. Pure. */

const DIGITS = /^[0-9]+$/;

/** The end of a LID. The keys of a linked number are named by its digits alone. */
const LID_END = /@lid$/;

/** The signs that people put between the digits of a number. */
const BETWEEN = '[ ().-]{0,2}';

/** The offsets that a piece of text can have in base64, in bytes. */
const OFFSETS = [0, 1, 2];

const BITS_OF_BYTE = 8;
const BITS_OF_DIGIT = 6;

/** The digits of base64 by their bits, in both alphabets. */
const DIGITS_BY_BITS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', '+-', '/_'].map(
  (digit, value) => ({ digit, bits: value.toString(2).padStart(BITS_OF_DIGIT, '0') }),
);

const escaped = (text: string): string => text.replaceAll(/[^A-Za-z0-9_]/g, String.raw`\$&`);

/** The text in base64, wherever it stands in what was encoded: ids of WhatsApp are made so. A digit at either end is shared with what stands beside it. */
function inBase64(text: string): string[] {
  const own = [...Buffer.from(text)].map(byte => byte.toString(2).padStart(BITS_OF_BYTE, '0')).join('');
  return OFFSETS.map(offset => {
    const before = (offset * BITS_OF_BYTE) % BITS_OF_DIGIT;
    const bits = '.'.repeat(before) + own;
    const groups = bits.padEnd(Math.ceil(bits.length / BITS_OF_DIGIT) * BITS_OF_DIGIT, '.').match(/.{6}/g) ?? [];
    return groups.map(digitOf).join('');
  });
}

/** The digits that bits may be, where a dot is either: as a class of a regular expression. */
function digitOf(bits: string): string {
  const pattern = new RegExp(`^${bits}$`);
  const digits = DIGITS_BY_BITS.filter(known => pattern.test(known.bits)).map(({ digit }) => digit);
  return `[${digits.join('').replace('+-', String.raw`+\-`)}]`;
}

/** The other form of a mobile. WhatsApp keeps that of before a change of the numbering plan: no ninth digit in Brazil (2012), a 1 in Mexico (2019). */
const FORMS: readonly (readonly [pattern: RegExp, other: string])[] = [
  [/^(?<area>55[0-9]{2})9(?<rest>[6-9][0-9]{7})$/, '$<area>$<rest>'],
  [/^(?<area>55[0-9]{2})(?<rest>[6-9][0-9]{7})$/, '$<area>9$<rest>'],
  [/^52(?<rest>[0-9]{10})$/, '521$<rest>'],
  [/^521(?<rest>[0-9]{10})$/, '52$<rest>'],
];

/** A number in each of its forms, the given one first; another id as it is. */
export function formsOf(address: string): string[] {
  const others = FORMS.filter(([pattern]) => pattern.test(address)).map(form => address.replace(...form));
  return [address, ...others];
}

function spellingsOf(address: string): string[] {
  const digits = address.replace(LID_END, '');
  return DIGITS.test(digits) ? digitSpellings(digits) : [escaped(address)];
}

/** Digits with or without signs between them, but neither a piece of a longer number nor a figure of JSON. */
function digitSpellings(address: string): string[] {
  const hex = Buffer.from(address).toString('hex');
  return [String.raw`(?<!": )(?<![0-9])\+?${[...address].join(BETWEEN)}(?![0-9])`, ...inBase64(address), hex];
}

/** The pattern that finds addresses in a text. */
export function speltPattern(addresses: readonly string[]): string {
  return addresses.flatMap(spellingsOf).join('|');
}

/** The pattern that finds addresses as texts of JSON. */
export function quotedPattern(addresses: readonly string[]): string {
  return String.raw`"\+?(${addresses.map(escaped).join('|')})"`;
}
