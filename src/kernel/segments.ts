/** The alphabet of SMS (3GPP TS 23.038), and its segments (23.040, the parts' header), counted by a table and a loop: every send is counted. */

/** The size of a text as SMS. */
interface SegmentCount {
  readonly encoding: 'gsm7' | 'ucs2';
  /** Septets for `gsm7` (an extension character takes two), UTF-16 code units for `ucs2`. */
  readonly units: number;
  /** SMS parts, at least 1; each costs one credit. */
  readonly segments: number;
}

/** The code that says that the character behind it is one of the extension. */
export const GSM7_ESCAPE = 0x1b;

/** The characters of the basic table, each at the place of its code. The place of `GSM7_ESCAPE` stands for no character. */
export const GSM7_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** The codes of the extension, which stand behind an escape and so cost two septets. */
export const GSM7_EXTENSION: Readonly<Record<string, number>> = {
  '\f': 0x0a,
  '^': 0x14,
  '{': 0x28,
  '}': 0x29,
  '\\': 0x2f,
  '[': 0x3c,
  '~': 0x3d,
  ']': 0x3e,
  '|': 0x40,
  '€': 0x65,
};

const GSM7_SINGLE = 160;
const GSM7_PART = 153;
const UCS2_SINGLE = 70;
const UCS2_PART = 67;

/** Septets by UTF-16 code unit; 0 or beyond the end: not in the alphabet. */
const SEPTETS = septetTable();

/** Counts the segments of a text; the empty text has one. Escape pairs and surrogate pairs are not split. */
export function countSegments(text: string): SegmentCount {
  let units = 0;
  for (let index = 0; index < text.length; index++) {
    const septets = SEPTETS[text.charCodeAt(index)] ?? 0;
    if (septets === 0) return countUcs2(text);
    units += septets;
  }
  return { encoding: 'gsm7', units, segments: units <= GSM7_SINGLE ? 1 : countGsm7Parts(text) };
}

/** A character that costs more than one septet. */
export interface CostlyCharacter {
  readonly character: string;
  /** `U+2019`. */
  readonly codePoint: string;
  /** How often the text has it. */
  readonly count: number;
  /** `ucs2`: it is not in the alphabet, and makes the whole text UCS-2 (70 units instead of 160). `double`: it takes two septets. */
  readonly cost: 'ucs2' | 'double';
}

/** The characters that make an SMS longer than its letters, each once, in the order of the text. In UCS-2: those that need it; else those that count twice. */
export function costlyCharacters(text: string): CostlyCharacter[] {
  const isUcs2 = countSegments(text).encoding === 'ucs2';
  const counts = new Map<string, number>();
  for (const character of text) {
    const septets = character.length > 1 ? 0 : (SEPTETS[character.charCodeAt(0)] ?? 0);
    if (septets === (isUcs2 ? 0 : 2)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return [...counts].map(([character, count]) => ({
    character,
    codePoint: `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    count,
    cost: isUcs2 ? 'ucs2' : 'double',
  }));
}

function countGsm7Parts(text: string): number {
  let parts = 1;
  let used = 0;
  for (let index = 0; index < text.length; index++) {
    const septets = SEPTETS[text.charCodeAt(index)] ?? 0;
    if (used + septets > GSM7_PART) {
      parts++;
      used = 0;
    }
    used += septets;
  }
  return parts;
}

function countUcs2(text: string): SegmentCount {
  const units = text.length;
  if (units <= UCS2_SINGLE) return { encoding: 'ucs2', units, segments: 1 };
  let parts = 0;
  for (let start = 0; start < units; parts++) {
    start += UCS2_PART;
    if (start < units && isPairAt(text, start - 1)) start--;
  }
  return { encoding: 'ucs2', units, segments: parts };
}

function isPairAt(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}

function septetTable(): Uint8Array {
  const table = new Uint8Array('€'.charCodeAt(0) + 1);
  for (const [code, character] of [...GSM7_BASIC].entries())
    if (code !== GSM7_ESCAPE) table[character.charCodeAt(0)] = 1;
  for (const character of Object.keys(GSM7_EXTENSION)) table[character.charCodeAt(0)] = 2;
  return table;
}
