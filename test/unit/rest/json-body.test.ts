import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonObject } from '../../../src/rest/json-body.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const readId = (source: string): unknown => parseJsonObject(`{"id":${source}}`, { int64: true }).id;

describe('whole numbers of 64 bits', () => {
  test('are kept to the last digit, however large', () => {
    assertProperty(
      fc.property(fc.bigInt({ min: -(10n ** 39n), max: 10n ** 39n }), value => {
        expect(readId(String(value))).toBe(value);
      }),
    );
  });

  test('are the same with a fraction of zeros or an exponent', () => {
    assertProperty(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), fc.nat(8), (value, zeros) => {
        const fraction = zeros === 0 ? '' : `.${'0'.repeat(zeros)}`;
        expect(readId(`${value}${fraction}`)).toBe(value);
        // JSON has no number of several zeros.
        if (value !== 0n) expect(readId(`${value}${'0'.repeat(zeros)}e-${zeros}`)).toBe(value);
        expect(readId(`${value}e${zeros}`)).toBe(value * 10n ** BigInt(zeros));
      }),
    );
  });

  test.each(['1.5', '1e-1', '0.1'])('%s is no whole number and stays as it is', source => {
    expect(readId(source)).toBe(Number(source));
  });

  test.each(['9007199254740993.5', '1.00000000000000000000001', '1e41', '1e400', '1e-400', `1${'0'.repeat(41)}`])(
    '%s, which only rounding would make whole, is none',
    source => {
      expect(Number.isInteger(readId(source))).toBe(false);
      expect(typeof readId(source)).toBe('number');
    },
  );
});

describe('a body', () => {
  test('keeps its numbers where nobody asked for 64 bits', () => {
    expect(parseJsonObject('{"a":1,"b":1.5}')).toEqual({ a: 1, b: 1.5 });
  });

  test('may be nested 32 deep', () => {
    const body = `${'{"a":'.repeat(32)}1${'}'.repeat(32)}`;
    expect(() => parseJsonObject(body)).not.toThrow();
  });

  test.each([33, 10_000])('nested %i deep is refused', depth => {
    expect(() => parseJsonObject(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)).toThrow(/nested deeper/);
  });

  test('may hold any brackets inside of its texts', () => {
    const text = `${'[{'.repeat(100)}\\"${'[{'.repeat(100)}`;
    expect(parseJsonObject(JSON.stringify({ text }))).toEqual({ text });
  });

  test.each(['1', '"a"', 'null', '[]', 'true'])('%s is no object', text => {
    expect(() => parseJsonObject(text)).toThrow(/must be a JSON object/);
  });
});
