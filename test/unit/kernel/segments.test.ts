import fc from 'fast-check';
import calculator from 'sms-segments-calculator';
import splitSms from 'split-sms';
import { describe, expect, test } from 'vitest';
import { countSegments } from '../../../src/kernel/segments.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENSION = '\f^{}\\[~]|€';

const gsmText = (maxLength: number) =>
  fc.string({
    unit: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...BASIC) },
      { weight: 1, arbitrary: fc.constantFrom(...EXTENSION) },
    ),
    maxLength,
    size: 'max',
  });

/** Characters that are one grapheme each: the calculator of Twilio keeps graphemes whole, networks do not. */
const wideText = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'ç', '€', '中', 'я', '“', '😀', '🎉', '𝒳'), maxLength, size: 'max' });

describe('countSegments', () => {
  test.each([
    ['the empty text', '', { encoding: 'gsm7', units: 0, segments: 1 }],
    ['160 septets', 'a'.repeat(160), { encoding: 'gsm7', units: 160, segments: 1 }],
    ['161 septets', 'a'.repeat(161), { encoding: 'gsm7', units: 161, segments: 2 }],
    ['306 septets', 'a'.repeat(306), { encoding: 'gsm7', units: 306, segments: 2 }],
    ['307 septets', 'a'.repeat(307), { encoding: 'gsm7', units: 307, segments: 3 }],
    ['80 characters of the extension', '€'.repeat(80), { encoding: 'gsm7', units: 160, segments: 1 }],
    ['81 characters of the extension', '€'.repeat(81), { encoding: 'gsm7', units: 162, segments: 2 }],
    ['a form feed', '\f', { encoding: 'gsm7', units: 2, segments: 1 }],
    ['70 code units', 'я'.repeat(70), { encoding: 'ucs2', units: 70, segments: 1 }],
    ['71 code units', 'я'.repeat(71), { encoding: 'ucs2', units: 71, segments: 2 }],
    ['134 code units', 'я'.repeat(134), { encoding: 'ucs2', units: 134, segments: 2 }],
    ['135 code units', 'я'.repeat(135), { encoding: 'ucs2', units: 135, segments: 3 }],
    ['35 pairs', '😀'.repeat(35), { encoding: 'ucs2', units: 70, segments: 1 }],
    ['one wide character in a long text', `${'a'.repeat(99)}я`, { encoding: 'ucs2', units: 100, segments: 2 }],
  ] as const)('counts %s', (_what, text, expected) => {
    expect(countSegments(text)).toEqual(expected);
  });

  test('does not split an escape pair', () => {
    expect(countSegments(`${'a'.repeat(152)}€${'a'.repeat(152)}`)).toEqual({
      encoding: 'gsm7',
      units: 306,
      segments: 3,
    });
  });

  test('does not split a surrogate pair', () => {
    const text = `${'я'.repeat(66)}😀${'я'.repeat(66)}`;
    expect(countSegments(text)).toEqual({ encoding: 'ucs2', units: 134, segments: 3 });
  });

  test.each(['ç', '`', '\t', '“', '’', '\u00a0', '\u001b'])('takes %j for UCS-2', character => {
    expect(countSegments(character).encoding).toBe('ucs2');
  });

  test('takes each character of the alphabet for GSM', () => {
    for (const character of BASIC)
      expect(countSegments(character)).toEqual({ encoding: 'gsm7', units: 1, segments: 1 });
    for (const character of EXTENSION) {
      expect(countSegments(character)).toEqual({ encoding: 'gsm7', units: 2, segments: 1 });
    }
    expect(new Set(BASIC + EXTENSION).size).toBe(127 + 10);
  });

  test('counts as split-sms does', () => {
    assertProperty(
      fc.property(
        fc.oneof(gsmText(700), wideText(300), fc.string({ unit: 'binary', maxLength: 300, size: 'max' })),
        text => {
          const expected = splitSms.split(text);
          const wide = expected.characterSet === 'Unicode';
          expect(countSegments(text)).toEqual({
            encoding: wide ? 'ucs2' : 'gsm7',
            units: wide ? expected.bytes / 2 : expected.bytes,
            segments: expected.parts.length,
          });
        },
      ),
      { numRuns: rounds({ usual: 2_000, long: 10_000 }) },
    );
  });

  test('counts as Twilio’s calculator does', () => {
    assertProperty(
      // Up to three segments: their count of 10,000 longer texts takes 10 s.
      fc.property(fc.oneof(gsmText(320), wideText(140)), text => {
        const expected = new calculator.SegmentedMessage(text);
        const { encoding, segments } = countSegments(text);
        expect(segments).toBe(expected.segmentsCount);
        expect(encoding).toBe(expected.encodingName === 'GSM-7' ? 'gsm7' : 'ucs2');
      }),
      { numRuns: rounds({ usual: 2_000, long: 10_000 }) },
    );
  });

  test('never falls as a text grows', () => {
    assertProperty(
      fc.property(fc.oneof(gsmText(400), wideText(200)), fc.constantFrom('a', '€', '😀'), (text, more) => {
        expect(countSegments(text + more).segments).toBeGreaterThanOrEqual(countSegments(text).segments);
      }),
    );
  });
});
