import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprint } from '../../../../src/kernel/crypto/fingerprint.ts';
import { assertProperty } from '../../../support/runner/properties.ts';

/** The same value with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

/** The same value, an undefined member in every object. */
function padded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(padded);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([key, member]) => [key, padded(member)]);
  return Object.fromEntries([['no such key', undefined], ...members]);
}

/** The value as JSON carries it: no -0, plain prototypes. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const jsonValue = fc.jsonValue({ maxDepth: 4 });

describe('fingerprint', () => {
  test('is SHA-256 over JSON with sorted keys', () => {
    const expected = createHash('sha256').update('{"a":[1,null,"ü"],"b":{"c":true,"d":-0.5}}').digest();
    expect(fingerprint({ b: { d: -0.5, c: true }, a: [1, null, 'ü'] })).toEqual(expected);
  });

  test('does not depend on the order of keys', () => {
    assertProperty(
      fc.property(jsonValue, value => {
        expect(fingerprint(reversed(value))).toEqual(fingerprint(value));
      }),
    );
  });

  test('does not depend on members that are undefined', () => {
    assertProperty(
      fc.property(jsonValue, value => {
        expect(fingerprint(padded(value))).toEqual(fingerprint(value));
      }),
    );
  });

  test('survives a way through JSON', () => {
    assertProperty(
      fc.property(jsonValue, value => {
        expect(fingerprint(plain(value))).toEqual(fingerprint(value));
      }),
    );
  });

  test('differs where values differ', () => {
    assertProperty(
      fc.property(jsonValue, jsonValue, (a, b) => {
        expect(fingerprint(a).equals(fingerprint(b))).toBe(isDeepStrictEqual(plain(a), plain(b)));
      }),
    );
    expect(fingerprint(['a', 'b'])).not.toEqual(fingerprint(['b', 'a']));
    expect(fingerprint({ a: '1' })).not.toEqual(fingerprint({ a: 1 }));
    expect(fingerprint({ a: null })).not.toEqual(fingerprint({}));
    expect(fingerprint({ a: 'x","b":"y' })).not.toEqual(fingerprint({ a: 'x', b: 'y' }));
  });

  test('writes a bigint to the last digit', () => {
    expect(fingerprint({ id: 9223372036854775807n })).not.toEqual(fingerprint({ id: 9223372036854775806n }));
    expect(fingerprint({ id: 7n })).toEqual(fingerprint({ id: 7 }));
  });

  test('writes a date as JSON does', () => {
    expect(fingerprint(new Date(0))).toEqual(fingerprint('1970-01-01T00:00:00.000Z'));
  });

  test('refuses what JSON cannot say', () => {
    for (const value of [() => 1, Symbol('x'), new Map([['a', 1]]), new Set([1])]) {
      expect(() => fingerprint({ value })).toThrow(TypeError);
    }
  });

  test('refuses a value that is nested too deeply', () => {
    const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    expect(fingerprint(nested(100))).toHaveLength(32);
    expect(() => fingerprint(nested(20_000))).toThrow(RangeError);
  });
});
