/**
 * Finds quotes of a text in a provider's words: four words in a row, whatever their case, their marks and what stands between. Encodings by which
 * servers repeat their input are read, too. Pure. The time grows with what was said and with the text, and with nothing else.
 */
import { Finder, type Span } from './finder.ts';
import { bytesAsText, type Reading, readingsOf } from './reading.ts';

/** How many words in a row are a quote. */
const WORDS = 4;

/** The same in characters, where a script puts no blanks between words. */
const UNSPACED = 8;

/** The shortest word with a digit that is cut by itself, as it may be a code. A text of too few words for a quote is cut from this length on, too. */
const ALONE = 4;

/** Digits that could be an OTP, or a number of a phone. */
export const NUMBER = /[0-9](?:[^0-9A-Za-z]{0,3}[0-9]){3,}/g;

/** A character that words are made of. */
const LETTER = /[\p{L}\p{N}]/u;

/** Between words; what is invisible, such as a soft hyphen, parts none. */
const BETWEEN = /[^\p{L}\p{N}\p{M}\p{Cf}]+/u;

/** Scripts that put no blanks between words. */
const UNSPACED_SCRIPT =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u;

/** Runs that may be base64, base64url or hexadecimal. */
const BASE64 = /[A-Za-z0-9+/_-]{6,}={0,2}/g;
const HEX = /(?:[0-9a-f]{2}){4,}/gi;

/** Finds quotes of one text. */
export class Quotes {
  readonly #finder: Finder;

  /** @param others further words that must not be told: the number of the recipient */
  constructor(text: string, others: readonly string[]) {
    this.#finder = new Finder([...patternsOf(text), ...others.map(folded).filter(one => one.length >= ALONE)]);
  }

  /** The ranges of what is quoted, in no order; they may lie in each other. */
  in(said: string): Span[] {
    const [written, ...decoded] = readingsOf(said);
    const found = [written, ...decoded].flatMap(reading => [...this.#inReading(reading), ...this.#inBytes(reading)]);
    return [...found, ...decoded.flatMap(numbersIn)];
  }

  #inReading(reading: Reading): Span[] {
    const { text, places } = foldReading(reading);
    return this.#finder.spansIn(text).map(([start, end]) => spanOf(places, start, end));
  }

  /** The runs of base64 or hex that hold a quote, each as a whole. */
  #inBytes({ text, written }: Reading): Span[] {
    const found = (pattern: RegExp, meanings: (run: string) => readonly string[]): Span[] =>
      [...text.matchAll(pattern)]
        .filter(([run]) => meanings(run).some(meaning => this.#finder.spansIn(folded(meaning)).length > 0))
        .map(({ 0: run, index }) => spanOf(written, index, index + run.length));
    return [...found(BASE64, base64Meanings), ...found(HEX, hexMeanings)];
  }
}

/** Numbers that somebody has encoded. */
function numbersIn({ text, written }: Reading): Span[] {
  return [...text.matchAll(NUMBER)].map(({ 0: number, index }) => spanOf(written, index, index + number.length));
}

/** A text without these ranges, each with what stands between two of them as one `…`. */
export function cut(text: string, spans: readonly Span[]): string {
  const ordered = [...spans].sort(([a], [b]) => a - b);
  let [shown, end] = ['', 0];
  for (const [start, stop] of ordered) {
    if (stop <= end) continue;
    const between = text.slice(end, Math.max(start, end));
    if (end === 0 || LETTER.test(between)) shown += `${between}…`;
    end = stop;
  }
  return shown + text.slice(end);
}

/** The pieces of a text that count as quotes of it, folded. */
function* patternsOf(text: string): Generator<string> {
  const words = text
    .split(BETWEEN)
    .map(folded)
    .filter(word => word !== '');
  for (let at = 0; at + WORDS <= words.length; at++) yield words.slice(at, at + WORDS).join('');
  const whole = words.join('');
  if (words.length < WORDS && whole.length >= ALONE) yield whole;
  for (const word of words) if (word.length >= ALONE && /\p{N}/u.test(word)) yield word;
  for (const [number] of text.matchAll(NUMBER)) yield folded(number);
  const characters = [...whole];
  let run = 0;
  for (const [at, character] of characters.entries()) {
    run = UNSPACED_SCRIPT.test(character) ? run + 1 : 0;
    if (run >= UNSPACED) yield characters.slice(at + 1 - UNSPACED, at + 1).join('');
  }
}

/** The texts that a run of base64 may stand for: characters before it may have joined it, so each of four beginnings is tried. */
function base64Meanings(run: string): string[] {
  return [0, 1, 2, 3].map(skipped => bytesAsText(Buffer.from(run.slice(skipped), 'base64')));
}

/** As UTF-8, and as the UCS-2 of an SMS. */
function hexMeanings(run: string): string[] {
  const bytes = Buffer.from(run, 'hex');
  return [
    bytesAsText(bytes),
    bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString('utf16le'),
  ];
}

/** Letters and digits alone, without case and marks. */
function folded(text: string): string {
  return [...text].map(foldCharacter).join('');
}

function foldReading({ text, written }: Reading): { readonly text: string; readonly places: readonly Span[] } {
  const units: string[] = [];
  const places: Span[] = [];
  let at = 0;
  for (const character of text) {
    const place = spanOf(written, at, at + character.length);
    for (const unit of foldCharacter(character).split('')) {
      units.push(unit);
      places.push(place);
    }
    at += character.length;
  }
  return { text: units.join(''), places };
}

/** The most folded characters that are cached: a text has few kinds of them. */
const FOLDED_MAX = 4_096;
const foldedBefore = new Map<string, string>();

function foldCharacter(character: string): string {
  const known = foldedBefore.get(character);
  if (known !== undefined) return known;
  // By way of upper case, which makes two letters of ß, as a provider may; ẞ has that of ß.
  const plain = lettersOf(character).toLowerCase().toUpperCase().toLowerCase();
  const fold = lettersOf(plain);
  if (foldedBefore.size >= FOLDED_MAX) foldedBefore.clear();
  foldedBefore.set(character, fold);
  return fold;
}

/** Letters and digits without their marks, one of which has a letter as its upper case. */
function lettersOf(text: string): string {
  return text.normalize('NFKD').replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** From the first to the last of some places. */
function spanOf(places: readonly Span[], start: number, end: number): Span {
  return [places[start]?.[0] ?? 0, places[end - 1]?.[1] ?? 0];
}
