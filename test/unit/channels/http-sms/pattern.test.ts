import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Pattern, readPattern } from '../../../../src/channels/http-sms/pattern.ts';
import { measureCpu } from '../../../support/measure-cpu.ts';
import { assertProperty } from '../../../support/runner/properties.ts';

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
    { numRuns: 2_000 },
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

describe.each(['/(a+)+$/', '/^(a|a)*$/', '/(.*)*x/', `/${'a?'.repeat(12)}${'a'.repeat(12)}b$/`])('%s', text => {
  /** A body made for it. */
  const made = (letters: number): string => `${'a'.repeat(letters)}!`;

  test('costs a longer body no more than its length', async () => {
    const pattern = read(text);
    const cost = async (letters: number): Promise<number> => {
      const ask = (): void => {
        for (let time = 0; time < 4; time++)
          if (pattern.find(made(letters)) === made(letters)) throw new Error('found');
      };
      ask();
      return (await measureCpu(ask)).cpuMs;
    };
    const [short, long] = [await cost(8_000), await cost(64_000)];
    // Eight times as long. What tries every way would double with each letter, and a square would be 64 times.
    expect(long).toBeLessThan(32 * Math.max(short, 4));
  });
});
