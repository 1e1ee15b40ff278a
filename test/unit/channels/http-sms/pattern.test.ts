import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Pattern, readPattern } from '../../../../src/channels/http-sms/pattern.ts';
import { countCalls } from '../../../support/count-calls.ts';
import { assertProperty, runs } from '../../../support/runner/properties.ts';

function read(text: string): Pattern {
  const pattern = readPattern(text);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern;
}

test('finds the first group, and all that matches where there is none', () => {
  expect(read('/id=(\\S+)/').find('0: ok id=é😀7 x')).toBe('é😀7');
  expect(read('/^a.b$/').find('a😀b')).toBe('a😀b');
  expect(read('/(a)|b/').find('b')).toBe('b');
  expect(read('/x/').find('abc')).toBeNull();
});

test('a dot is no end of a line', () => {
  expect(read('/id=(.*)/').find('id=7\r\nok')).toBe('7');
  expect(read('/id=(\\.[.]*)/').find('id=..x')).toBe('..');
});

/** Parts that the language and the engine both have. */
const part = fc.constantFrom(
  'a',
  'b',
  '(a)',
  '(?:ab)',
  '[ab]',
  '[^a]',
  '.',
  '\\.',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\S',
  '\\b',
  '^',
  '$',
  '(a|b)',
  '(?<n>b)',
  '\\/',
  '\\u{1F600}',
  '[.]',
);
const times = fc.constantFrom('', '', '', '+', '*', '?', '{1,3}', '+?', '*?', '{2}');
const source = fc
  .array(fc.tuple(part, times), { minLength: 1, maxLength: 6 })
  .map(parts => parts.map(([one, many]) => (/^(?:\^|\$|\\b)$/.test(one) ? one : one + many)).join(''))
  .filter(text => text.split('(?<n>').length < 3);
const body = fc.string({ unit: fc.constantFrom('a', 'b', '.', '1', ' ', '\n', '\r', '/', 'é', '😀'), maxLength: 20 });

test('finds what the language itself finds', () => {
  assertProperty(
    fc.property(source, body, (pattern, text) => {
      const own = new RegExp(pattern, 'u').exec(text);
      expect(read(`/${pattern}/`).find(text)).toBe(own ? (own[1] ?? own[0]) : null);
      expect(read(`/${pattern}/`).isIn(text)).toBe(own !== null);
    }),
    { numRuns: runs(2_000) },
  );
});

describe('is refused with the reason', () => {
  test.each([
    ['/(/', 'is a pattern that does not compile'],
    ['/a(?=b)/', 'must do without (?=, (?!, (?<=, (?<!, \\1 and counts above 1000, which no quick search has'],
    ['/(a)\\1/', 'must do without'],
    ['/(?<!a)b/', 'must do without'],
    ['/a{1001}/', 'must do without'],
    ['/[a-z]{1,250}/', 'is too large a pattern: write + for large counts'],
  ])('%s', (text, reason) => {
    expect(readPattern(text)).toContain(reason);
  });
});

/** As long as the longest answer. */
const LONGEST = 65_536;

describe('of a body that is longer than its steps', () => {
  const pattern = read('/id=(x+)(;|$)/');
  /** Behind how many characters the same is still found. */
  let most = 0;
  for (let more = LONGEST / 2; more >= 1; more /= 2) if (pattern.isIn(`${' '.repeat(most + more)}id=x; `)) most += more;

  test('the begin is searched', () => {
    expect(most).toBeGreaterThan(10_000);
    expect(most).toBeLessThan(LONGEST - 10);
    expect(pattern.find(`${' '.repeat(most)}id=x; `)).toBe('x');
  });

  test('what stands behind that is not found', () => {
    expect(pattern.find(`${' '.repeat(most + 1)}id=x; `)).toBeNull();
  });

  test('nothing is found that may go on behind it', () => {
    const text = ' '.repeat(most);
    expect([pattern.find(`${text}id=xxx`), pattern.isIn(`${text}id=xxx`)]).toEqual(['xxx', true]);
    expect([pattern.find(`${text}id=xxxx`), pattern.isIn(`${text}id=xxxx`)]).toEqual([null, false]);
  });
});

/** Letters by chance, but the same each time. */
function chanceLetters(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % 2 === 0 ? 'a' : 'b';
  }).join('');
}

describe.each([
  ['/(a+)+$/', `${'a'.repeat(LONGEST)}!`],
  ['/^(a|a)*$/', `${'a'.repeat(LONGEST)}!`],
  // Every step of the pattern is under way at once.
  ['/(?:.?){70}[cd]/', chanceLetters(LONGEST)],
  [`/(?:a?){35}${'a'.repeat(35)}[bc]/`, 'a'.repeat(LONGEST)],
  // Each place of a body is a state of its own.
  ['/[ab]*a[ab]{100}[cd]/', chanceLetters(LONGEST)],
])('%s', (text, body) => {
  // A step of the engine is a few calls of its functions.
  const CALLS_MAX = 2_500_000;

  test.each([LONGEST, 1_700])('is searched in a bounded number of steps, though it is not in %i letters', letters => {
    const pattern = read(text);
    const searched = body.slice(-letters);
    expect(countCalls(/re2js/, () => pattern.find(searched))).toBeLessThan(CALLS_MAX);
    expect(countCalls(/re2js/, () => pattern.isIn(searched))).toBeLessThan(CALLS_MAX);
  });
});
