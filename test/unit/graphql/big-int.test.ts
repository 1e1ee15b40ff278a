import fc from 'fast-check';
import { type ConstValueNode, Kind } from 'graphql';
import { describe, expect, test } from 'vitest';
import { BigIntScalar } from '../../../src/graphql/big-int.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

const literal = (kind: Kind.INT | Kind.STRING, value: string): ConstValueNode => ({ kind, value });

describe('BigInt', () => {
  test('goes out and comes in again as the same number', () => {
    assertProperty(
      fc.property(integers, value => {
        const shown: unknown = JSON.parse(JSON.stringify(BigIntScalar.coerceOutputValue(value)));
        expect(BigIntScalar.coerceInputValue(shown)).toBe(value);
      }),
    );
  });

  test('is taken as a literal, bare or quoted', () => {
    assertProperty(
      fc.property(integers, value => {
        expect(BigIntScalar.coerceInputLiteral?.(literal(Kind.INT, String(value)))).toBe(value);
        expect(BigIntScalar.coerceInputLiteral?.(literal(Kind.STRING, String(value)))).toBe(value);
      }),
    );
  });

  test('goes out as a number up to 2^53 - 1 and as text beyond', () => {
    expect(BigIntScalar.coerceOutputValue(9007199254740991n)).toBe(9007199254740991);
    expect(BigIntScalar.coerceOutputValue(9007199254740992n)).toBe('9007199254740992');
    expect(BigIntScalar.coerceOutputValue('9223372036854775807')).toBe('9223372036854775807');
  });

  test.each([2 ** 53, 1.5, Number.NaN, '', ' 1', '1.0', '0x1', '1n', '9'.repeat(41), true, null, {}, []])(
    'refuses %j',
    value => {
      expect(() => BigIntScalar.coerceInputValue(value)).toThrow('must be a whole number');
    },
  );

  test('refuses a literal of another kind', () => {
    expect(() => BigIntScalar.coerceInputLiteral?.({ kind: Kind.BOOLEAN, value: true })).toThrow('whole number');
    expect(() => BigIntScalar.coerceInputLiteral?.({ kind: Kind.FLOAT, value: '1.0' })).toThrow('whole number');
  });
});
