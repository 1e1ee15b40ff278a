/** Quotes of a text in a provider's words, checked without the code that cuts them. Every piece of the text is looked for in the kept words. */
import { tellable } from '../../../../src/channels/http/answer.ts';
import { cut, Quotes } from '../../../../src/channels/words/quotes.ts';
import { hold } from '../check.ts';
import type { FuzzTarget } from '../search.ts';
import { partsOf } from './shared.ts';

const TO = '4915112345678';

/** How many words in a row are a quote, how many characters without blanks, and from where on a code is cut alone. */
const BOUNDS = { words: 4, unspaced: 8, code: 4 };

/** The most words that a provider quotes in a row. */
const QUOTED_MAX = 16;

/** The ways in which servers repeat what they were sent, each of which ends with its last character. */
const WRITERS: readonly ((text: string) => string)[] = [
  text => text,
  text => text.toUpperCase(),
  text => encodeURIComponent(text),
  text => new URLSearchParams([['', text]]).toString().slice(1),
  text => JSON.stringify(text).slice(1, -1),
  text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  text => [...text].map(one => `&#${one.codePointAt(0)};`).join(''),
  text => [...Buffer.from(text)].map(byte => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  text => Buffer.from(text).toString('base64'),
  text => Buffer.from(text).toString('hex'),
];

/** Letters and digits alone, in one case. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The words of a text, each as it is written, with what follows it. */
function wordsOf(text: string): readonly { readonly word: string; readonly start: number; readonly end: number }[] {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}\p{Cf}]+/gu)]
    .map(({ 0: word, index }) => ({ word: plain(word), start: index, end: index + word.length }))
    .filter(({ word }) => word !== '');
}

/** The pieces of a text that must not be kept: as they are written, and as they are compared. */
interface Pieces {
  readonly written: readonly string[];
  readonly compared: readonly string[];
}

function piecesOf(text: string): Pieces {
  const words = wordsOf(text);
  const whole = words.map(({ word }) => word).join('');
  const length = Math.min(BOUNDS.words, words.length);
  // A text that is shorter than a quote is one by itself.
  const isQuote = words.length >= BOUNDS.words || whole.length >= BOUNDS.code;
  const rows = words.map((_, at) => words.slice(at, at + length)).filter(row => isQuote && row.length === length);
  const codes = words.filter(({ word }) => word.length >= BOUNDS.code && /\p{N}/u.test(word));
  return {
    // A piece that looks encoded before it is encoded may be read in more ways than one.
    written: rows.map(row => text.slice(row[0]?.start, row.at(-1)?.end)).filter(piece => !/[%&\\=<>]/.test(piece)),
    compared: [...rows, ...codes.map(code => [code])]
      .map(row => row.map(({ word }) => word).join(''))
      .concat(unspacedIn(whole)),
  };
}

/** Rows of characters of scripts that put no blanks between words. */
function unspacedIn(letters: string): string[] {
  return [...letters.matchAll(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]+/gu)].flatMap(([run]) => {
    const all = [...run];
    return all.slice(BOUNDS.unspaced - 1).map((_, at) => all.slice(at, at + BOUNDS.unspaced).join(''));
  });
}

/** Nothing of a text that is a quote stands in what was kept. @throws Fault */
function holdUnquoted(kept: string, { written, compared }: Pieces): void {
  // Words on two sides of a cut are no row.
  const shown = kept.split('…').map(plain);
  for (const piece of compared)
    hold(!shown.some(part => part.includes(piece)), `the quote ${JSON.stringify(piece)}: ${kept}`);
  for (const piece of written)
    for (const [way, write] of WRITERS.entries())
      hold(!kept.includes(write(piece)), `the quote ${JSON.stringify(piece)} in the writing ${way}: ${kept}`);
}

/** Cuts quotes of a text out of a provider's words. */
export type CutQuotes = (words: string, text: string) => string;

/**
 * The first three bytes choose how a server writes, the word at which its quote begins, and its number of words. The text follows, and
 * the words before and after the quote, cut at NULs.
 */
export function quotesTarget(cutQuotes: CutQuotes = cutOfSource): FuzzTarget {
  return {
    name: 'quotes',
    tokens: [
      '\0',
      ' ',
      '\n',
      'one two three four',
      '4829',
      '<',
      '>',
      '<b class="w">',
      '</b>',
      '%20',
      '&#32;',
      '&nbsp;',
      '\\u0020',
      '\\n',
      '=20',
      '=?utf-8?Q?',
      '?=',
      '-',
      '_',
      'ß',
      'ẞ',
      'é',
      '\u0301',
      '\u00ad',
      '\u200b',
      '…',
      '验证码是请勿告诉任何人',
      'รหัสยืนยันของคุณคือ',
      'b25lIHR3byB0aHJlZSBmb3Vy',
    ].map(token => Buffer.from(token).toString('latin1')),
    seeds: [
      '000Dear Ada, your parcel is here\0refused: \0 is spam',
      '114one two three four five six seven\0blocked \0 and seven',
      '204Die große Straße ist hier\0{"error":"\0"}',
      '305Your code is 4829 1234\0text=\0&x=1',
      '402Hello Ada\0<p>\0</p>',
      '50您的验证码是请勿告诉任何人\0拒绝:\0.',
      '604eins zwei drei vier\0<i>\0</i>',
      '704caf\u00e9 au lait chaud\0=?utf-8?Q?\0?=',
      '814one two three four five\0base64 \0 end',
      '904one two three four five\0hex \0 end',
    ],
    run: input => {
      const [text, before, after] = partsOf(input.subarray(3), '\0', 3);
      const words = wordsOf(text);
      const from = (input[1] ?? 0) % Math.max(1, words.length);
      const row = words.slice(from, from + 1 + ((input[2] ?? 0) % QUOTED_MAX));
      const quote = text.slice(row[0]?.start ?? 0, row.at(-1)?.end ?? 0);
      const write = WRITERS[(input[0] ?? 0) % WRITERS.length];
      // A blank keeps what a server writes apart from what it says.
      const said = `${before} ${write?.(quote) ?? ''} ${after}`;
      const pieces = piecesOf(text);
      holdUnquoted(cutQuotes(said, text), pieces);
      holdUnquoted(tellable(said, [], { text, to: TO }), pieces);
    },
  };
}

/** As the gateway does, whatever the provider. */
function cutOfSource(words: string, text: string): string {
  return cut(words, new Quotes(text, [TO]).in(words));
}
