import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tellable } from '../../../../src/channels/http/answer.ts';
import { Finder } from '../../../../src/channels/words/finder.ts';
import { assertProperty, runs } from '../../../support/runner/properties.ts';
import { rounds } from '../../../support/runner/rounds.ts';

const TO = '4915112345678';

/** How often each encoding is tried: they are three dozen, of one property. */
const RUNS = rounds({ usual: 40, long: 40 });

const told = (words: string, text: string, secrets: readonly string[] = []) =>
  tellable(words, secrets, { text, to: TO });

/** How servers write what they were given. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': text => text,
  'in upper case': text => text.toUpperCase(),
  'in other marks': text => text.normalize('NFD'),
  'with other blanks': text => text.replaceAll(' ', '\u00a0\r\n\t'),
  'without blanks': text => text.replaceAll(' ', ''),
  'with dashes': text => text.replaceAll(' ', '-'),
  'in JSON': text => JSON.stringify(text).slice(1, -1),
  'in ASCII JSON': text => units(text, unit => (unit < 0x80 ? null : `\\u${hex(unit, 4)}`)),
  'in \\u throughout': text => units(text, unit => `\\u${hex(unit, 4)}`),
  'in %u throughout': text => units(text, unit => `%u${hex(unit, 4).toUpperCase()}`),
  'as a JSON list': text => JSON.stringify(text.split(' ')),
  'in a URL': text => encodeURIComponent(text),
  'in a URL throughout': text => bytes(text, byte => `%${hex(byte, 2)}`),
  'in a URL twice': text => encodeURIComponent(encodeURIComponent(text)),
  'in a form': text => new URLSearchParams([['', text]]).toString().slice(1),
  'in HTML': text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'in HTML by numbers': text => [...text].map(character => `&#${character.codePointAt(0)};`).join(''),
  'in HTML by hexadecimal numbers': text => [...text].map(one => `&#x${hex(one.codePointAt(0) ?? 0, 1)};`).join(''),
  'with tags': text =>
    text
      .split(' ')
      .map(word => `<b class="w">${word}</b>`)
      .join(' '),
  'in HTML in a URL': text =>
    encodeURIComponent(
      text
        .split(' ')
        .map(word => `<i>${word}</i>`)
        .join('&nbsp;'),
    ),
  'as quoted-printable': text => bytes(text, byte => `=${hex(byte, 2).toUpperCase()}`),
  'as quoted-printable with soft breaks': text => text.replaceAll(/(.{5})/g, '$1=\r\n'),
  'as RFC 2047 Q': text => `=?utf-8?Q?${bytes(text, byte => `=${hex(byte, 2)}`)}?=`,
  'as RFC 2047 Q with underscores': text => `=?UTF-8?q?${text.replaceAll(' ', '_')}?=`,
  'as RFC 2047 B': text => `=?utf-8?B?${base64(text)}?=`,
  'as RFC 2047 B in pieces': text => [...text].map(one => `=?utf-8?B?${base64(one)}?=`).join('\r\n '),
  'as RFC 2231': text => `text*=UTF-8''${encodeURIComponent(text)}`,
  'as base64': base64,
  'as base64 behind others': text => `q/Z${base64(text)}`,
  'as base64 of JSON': text => base64(JSON.stringify({ error: 1, text })),
  'as base64 of UTF-16': text => Buffer.from(text, 'utf16le').toString('base64'),
  'as base64url': text => Buffer.from(text).toString('base64url'),
  'as hex': text => Buffer.from(text).toString('hex'),
  'as hex of UCS-2': text => units(text, unit => hex(unit, 4)),
};

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
const bytes = (text: string, write: (byte: number) => string) => [...Buffer.from(text)].map(write).join('');
const units = (text: string, write: (unit: number) => string | null) =>
  text
    .split('')
    .map(unit => write(unit.charCodeAt(0)) ?? unit)
    .join('');

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Words that stand in nothing that surrounds a quote, of letters that each encoding can write. */
const word = fc.string({ unit: fc.constantFrom(...'aeiouBDKNRSTéüñçабв'), minLength: 3, maxLength: 9 });
const words = (minLength: number, maxLength: number) => fc.array(word, { minLength, maxLength });
/** Encodings of Latin letters alone. */
const LATIN = new Set(['as base64 of UTF-16']);
const latin = fc.string({ unit: fc.constantFrom(...'aeiouBDKNRSTlmp'), minLength: 3, maxLength: 9 });

const same = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

describe.each(Object.entries(ENCODINGS))('a quote of four words or more, %s,', (name, encode) => {
  test('is cut', () => {
    const given = LATIN.has(name) ? fc.array(latin, { minLength: 4, maxLength: 20 }) : words(4, 20);
    const property = fc.property(given, fc.nat(), fc.nat(), (text, from, more) => {
      const start = from % (text.length - 3);
      const quote = text.slice(start, start + 4 + (more % (text.length - start - 3)));
      const written = encode(quote.join(' '));
      const said = told(`No: (${written}) !`, text.join(' '));
      // Nothing of it may stay, but for the signs that the encoding puts around.
      expect(said.length).toBeLessThan(30);
      expect(said).toContain('…');
      for (const one of quote) expect(same(said)).not.toContain(same(one));
    });
    assertProperty(property, { numRuns: RUNS });
  });

  test('lets no passcode through', () => {
    const property = fc.property(fc.stringMatching(/^[0-9]{4,10}$/), code => {
      const said = told(`No: (${encode(code)}) !`, `Your verification code is ${code}. It expires in 5 minutes.`);
      expect(said).not.toContain(encode(code));
      expect(said.replaceAll(/[^0-9]/g, '')).not.toContain(code);
    });
    assertProperty(property, { numRuns: RUNS });
  });
});

const TEXT_OF_SIX = 'Dear Ada, your parcel is here';

test.each([
  [
    'three words',
    'Dear Ada, your parcel is here',
    'blocked: "dear ada your" is spam',
    'blocked: "dear ada your" is spam',
  ],
  ['four words', 'Dear Ada, your parcel is here', 'blocked: "ADA YOUR PARCEL IS" is spam', 'blocked: "…" is spam'],
  [
    'two quotes',
    'a1 one two three four five six seven eight',
    'one two three four, or five six seven eight',
    '…, or …',
  ],
  ['all of a short text', 'Hello Ada', 'refused: hello, ada!', 'refused: …!'],
  ['a part of a short text', 'Hello Ada', 'refused: hello', 'refused: hello'],
  ['a letter', 'e', 'The text e is refused here', 'The text … is refused here'],
  ['a sign', '!', 'refused: ! is no text', 'refused: … is no text'],
  ['a short word', 'Is', 'This is refused: IS', 'This … refused: …'],
  ['a code of a short text', 'Code 4829', 'refused: 48 29', 'refused: …'],
  ['a code with letters', 'Use B4X9Z2 now', 'refused: b4x9z2', 'refused: …'],
  ['eight characters of Chinese', '您的验证码是请勿告诉任何人', '拒绝:验证码是请勿告诉', '拒绝:…'],
  ['seven characters of Chinese', '您的验证码是请勿告诉任何人', '拒绝:验证码是请勿告', '拒绝:验证码是请勿告'],
  ['eight characters of Thai', 'รหัสยืนยันของคุณคือ', 'ERR ยืนยันของคุณ', 'ERR …'],
  ['a letter that has two in upper case', 'die große Straße hier', 'DIE GROSSE STRASSE HIER', '…'],
  ['names of HTML', 'für die größte Straße', 'f&uuml;r die gr&ouml;&szlig;te Stra&szlig;e', '…'],
  ['a tag', TEXT_OF_SIX, '<a href="/?t=Dear%20Ada%2C%20your%20parcel">again</a>', '<a href="/?t=…">again</a>'],
  ['a tag between words', TEXT_OF_SIX, '<b>Dear</b> <b>Ada</b> <b>your</b> <b title="x">parcel</b>', '<b>…</b>'],
  ['the large ß', 'die große Straße hier', 'DIE GROẞE STRAẞE HIER', '…'],
  [
    'a sign for a character that was lost',
    'Grüße \ufffd an alle hier dort',
    encodeURIComponent('Grüße \ufffd an alle hier'),
    '…',
  ],
  ['a soft hyphen', 'your parcel is here', 'your par\u00adcel is here', '…'],
])('%s of a text', (_what, text, said, expected) => {
  expect(told(said, text)).toBe(expected);
});

test.each(['Invalid destination', '{"error":{"code":"E12","detail":"Sender not allowed for DE"}}', 'id=ab%20cd&x=y'])(
  'words that quote nothing stay as they are: %s',
  said => {
    expect(told(said, 'Dear Ada, your parcel is here, fetch it from box 12 until Friday')).toBe(said);
  },
);

test('signs that move the cursor of a terminal are not told', () => {
  expect(told('\u001b[31mred\u0000\u0007 alert\u009b2J', 'Hello')).toBe('[31mred alert 2J');
});

test('words that stand behind what is read are not told', () => {
  expect(told(`${' '.repeat(5_000)}Dear Ada, your parcel`, 'Dear Ada, your parcel is here')).toBe('');
});

/** How often maps were looked into meanwhile: each step of the search is a look. */
function looksOf(work: () => unknown): number {
  const plain = Object.getOwnPropertyDescriptor(Map.prototype, 'get');
  let looks = 0;
  Object.defineProperty(Map.prototype, 'get', {
    ...plain,
    value(this: Map<unknown, unknown>, key: unknown) {
      looks += 1;
      return plain?.value.call(this, key);
    },
  });
  try {
    work();
  } finally {
    Object.defineProperty(Map.prototype, 'get', { ...plain });
  }
  return looks;
}

describe('the work of a cut', () => {
  const HOSTILE: Readonly<Record<string, (length: number) => string>> = {
    'the text again and again': length => 'ab '.repeat(length / 3),
    'almost the text': length => 'abababac'.repeat(length / 8),
    'percent of percent': length => '%2525'.repeat(length / 5),
    backslashes: length => '\\u005c'.repeat(length / 6),
    'tags that never end': length => '<a'.repeat(length / 2),
    'words of mail that never end': length => '=?a?q?'.repeat(length / 6),
    'all encodings at once': length => '=?u?b?JTI1?=%25&amp;=41'.repeat(length / 24),
    base64: length => Buffer.from('ab '.repeat(length / 4)).toString('base64'),
    'random bytes as hex': length => Array.from({ length: length / 2 }, (_, n) => hex((n * 7_919) % 256, 2)).join(''),
  };

  test.each(Object.entries(HOSTILE))('is bounded, whatever a provider says: %s', (_what, make) => {
    const text = 'ab '.repeat(533).trim();
    const looks = (length: number) => looksOf(() => told(make(65_536).slice(0, length), text));
    // 4,096 characters are read, each a few times in each of 40 readings at most.
    expect(looks(65_536)).toBe(looks(4_096));
    expect(looks(4_096)).toBeGreaterThan(4_096);
    expect(looks(4_096)).toBeLessThan(80 * 4_096);
    expect(looks(4_096)).toBeLessThan(3 * looks(2_048));
  });

  test('finds every pattern, the longest of those that end at one place', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 });
    const property = fc.property(fc.array(piece, { maxLength: 8 }), fc.array(piece), (patterns, pieces) => {
      const said = pieces.join('');
      const naive = Array.from({ length: said.length }, (_, at) => at + 1).flatMap(end => {
        const ending = patterns.filter(pattern => said.slice(0, end).endsWith(pattern)).map(({ length }) => length);
        return ending.length === 0 ? [] : [[end - Math.max(...ending), end]];
      });
      expect(new Finder(patterns).spansIn(said)).toEqual(naive);
    });
    assertProperty(property, { numRuns: runs(300) });
  });
});
