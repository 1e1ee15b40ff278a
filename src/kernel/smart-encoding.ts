/** Smart encoding: typographic characters of an SMS become those of the GSM alphabet, so that it need not be UCS-2 for their sake. */
import { countSegments } from './segments.ts';

const range = (from: number, to: number): string =>
  String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, index) => from + index));

/** Characters with those that they stand for. Twilio's list is taken, but for characters whose meaning would change (`2½` is not `21/2`). */
const GROUPS: readonly (readonly [string, string])[] = [
  ["'", '\u2018\u2019\u201b\u2032\u2035\u02b9\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb\u00b4`\u275b\u275c'],
  ['"', '\u201c\u201d\u201e\u201f\u2033\u2036\u02ba\u02ee\u00ab\u00bb\u275d\u275e\u301d\u301e\u301f'],
  [',', '\u201a'],
  ['<', '\u2039'],
  ['>', '\u203a'],
  // Hyphens and dashes, the minus sign, and bullets.
  ['-', `${range(0x2010, 0x2015)}\u2022\u2043\u2212\ufe58\ufe63`],
  ['...', '\u2026'],
  ['!!', '\u203c'],
  ['_', '\u2017'],
  ['/', '\u2044\u2215'],
  ['^', '\u02c6'],
  ['~', '\u02dc\u223c'],
  [' ', `\t\u00a0\u1680${range(0x2000, 0x200a)}\u202f\u205f\u3000`],
  // New lines of word processors.
  ['\n', '\v\u0085\u2028\u2029'],
  // Soft hyphens, zero-width characters, marks of direction and variation selectors: a text of GSM characters looks the same without them.
  ['', `\u00ad\u180e${range(0x200b, 0x200f)}${range(0x202a, 0x202e)}${range(0x2060, 0x206f)}\ufe0e\ufe0f\ufeff`],
  // The full-width forms of ASCII.
  ...[...range(0xff01, 0xff5e)].map(wide => [String.fromCharCode(wide.charCodeAt(0) - 0xfee0), wide] as const),
];

const REPLACEMENTS: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(([replacement, characters]) => [...characters].map(character => [character, replacement] as const)),
);

/** The GSM characters that look like a character; null: none do. */
export function replacementOf(character: string): string | null {
  return REPLACEMENTS.get(character) ?? null;
}

/** Everything that the table may have. */
const CANDIDATES = /[\t\v`\u0080-\uffff]/g;

/**
 * The text as its SMS is sent. All or nothing, as Twilio (2017) and Bird document it: one emoji, or one letter outside of GSM 03.38, makes the
 * SMS UCS-2 anyway. The text stays as it was written then; Telnyx replaces in such a text too, which saves nothing. Letters that are written as
 * a base and an accent are composed (Unicode NFC). The answer never has more segments than the text, and is empty only if the text is.
 */
export function smartEncode(text: string): string {
  const before = countSegments(text);
  if (before.encoding === 'gsm7') return text;
  const encoded = text.normalize('NFC').replace(CANDIDATES, character => REPLACEMENTS.get(character) ?? character);
  const after = countSegments(encoded);
  return encoded !== '' && after.encoding === 'gsm7' && after.segments <= before.segments ? encoded : text;
}
