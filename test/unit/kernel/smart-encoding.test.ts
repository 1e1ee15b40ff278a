import fc from 'fast-check';
import TWILIO from 'sms-segments-calculator/dist/libs/SmartEncodingMap.js';
import splitSms from 'split-sms';
import { describe, expect, test } from 'vitest';
import { countSegments } from '../../../src/kernel/segments.ts';
import { smartEncode } from '../../../src/kernel/smart-encoding.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

const RUNS = rounds({ usual: 2_000, long: 10_000 });

/** Every character of one code unit that is replaced in a text of nothing else, with what it becomes. */
const REPLACED = new Map(
  Array.from({ length: 0xffff - 0x80 }, (_, index) => String.fromCharCode(0x80 + index))
    .concat('\t', '\v', '`')
    .filter(character => /[^\ud800-\udfff]/.test(character))
    .map(character => [character, smartEncode(`a${character}a`).slice(1, -1)] as const)
    .filter(([character, encoded]) => encoded !== character),
);

/** Texts as people paste them: words, what word processors make of punctuation, and now and then what no encoding saves. */
const pasted = fc.string({
  unit: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...'abc XYZ 019.,\n€{é') },
    { weight: 4, arbitrary: fc.constantFrom(...REPLACED.keys(), 'e\u0301') },
    { weight: 2, arbitrary: fc.constantFrom('…', '‼', '\u200b') },
  ),
  maxLength: 400,
  size: 'max',
});
/** Texts that grow. */
const growing = fc.string({ unit: fc.constantFrom('…', '…', '…', 'a'), maxLength: 200, size: 'max' });
const anyText = fc.oneof(
  { weight: 1, arbitrary: growing },
  { weight: 6, arbitrary: pasted },
  { weight: 1, arbitrary: fc.tuple(pasted, fc.constantFrom('я', '😀', 'ç', '中')).map(([text, wide]) => text + wide) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300, size: 'max' }) },
);

describe('smartEncode', () => {
  test.each([
    ['curly quotes', '“Don’t”', `"Don't"`],
    ['other quotes', '«a» „b‟ ‘c‛ 5′ 6″', `"a" "b" 'c' 5' 6"`],
    ['dashes and the minus sign', '‐‑‒–—― −1', '------ -1'],
    ['an ellipsis', 'Wait…', 'Wait...'],
    ['a bullet', '• one', '- one'],
    ['spaces of other widths', 'a\u00a0b\u2009c\u202fd\u3000e\tf', 'a b c d e f'],
    ['zero-width characters', 'a\u200bb\u200c\u200dc\u2060d\ufeffe\u00adf', 'abcdef'],
    ['marks of direction', '\u202a+12025550100\u202c', '+12025550100'],
    ['lines of word processors', 'a\u2028b\vc', 'a\nb\nc'],
    ['full-width forms', 'Ｃｏｄｅ：１２３', 'Code:123'],
    ['letters with their accents apart', 'e\u0301te\u0301 A\u030a', 'été Å'],
  ])('replaces %s', (_what, text, encoded) => {
    expect(smartEncode(text)).toBe(encoded);
    expect(countSegments(encoded).encoding).toBe('gsm7');
  });

  test.each([
    ['of the GSM alphabet', 'Hello {€} Ωé\n'],
    ['with an emoji', '“Hello” 😀'],
    ['with a letter of another alphabet', '“Привет”'],
    ['with a letter that the alphabet has not', '“façade”'],
    ['with a fraction, which would become another number', '2½ – 3'],
    ['that would be longer than it is', '…'.repeat(70)],
    ['of nothing that is seen', '\u200b'],
    ['that is empty', ''],
  ])('leaves a text %s', (_what, text) => {
    expect(smartEncode(text)).toBe(text);
  });

  test('makes one segment of what was three', () => {
    const text = `“${'a'.repeat(158)}”`;
    expect([countSegments(text).segments, countSegments(smartEncode(text)).segments]).toEqual([3, 1]);
  });

  test('never makes more segments, by the count of another, and never a text that is empty', () => {
    let shorter = 0;
    assertProperty(
      fc.property(anyText, text => {
        const encoded = smartEncode(text);
        const [before, after] = [splitSms.split(text).parts.length, splitSms.split(encoded).parts.length];
        expect(after).toBeLessThanOrEqual(before);
        expect(encoded === '').toBe(text === '');
        if (after < before) shorter += 1;
      }),
      { numRuns: RUNS },
    );
    // Else the law would hold of nothing.
    expect(shorter).toBeGreaterThan(RUNS / 100);
  });

  test('answers the text itself, or one of the GSM alphabet', () => {
    assertProperty(
      fc.property(anyText, text => {
        const encoded = smartEncode(text);
        if (encoded !== text) expect(splitSms.split(encoded).characterSet).toBe('GSM');
        expect(smartEncode(encoded)).toBe(encoded);
      }),
      { numRuns: RUNS },
    );
  });

  test('replaces as Twilio’s list does, where both replace', () => {
    const both = [...REPLACED].filter(([character]) => character in TWILIO);
    const other = both
      .map(([character, encoded]) => ({ character, encoded, theirs: TWILIO[character] ?? '' }))
      // Their list has two spaces for one, and seven for a tab.
      .filter(({ encoded, theirs }) => encoded !== theirs.replace(/^ +$/, ' '))
      .map(({ character }) => character);
    expect(both.length).toBeGreaterThan(120);
    // A line that ends is a line that ends.
    expect(other).toEqual(['\u2028', '\u2029']);
  });
});
