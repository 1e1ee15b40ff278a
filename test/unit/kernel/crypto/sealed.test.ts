import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyRing } from '../../../../src/kernel/crypto/key-ring.ts';
import { type Sealed, seal, unseal } from '../../../../src/kernel/crypto/sealed.ts';
import { assertProperty } from '../../../support/runner/properties.ts';

const [NEW, OLD] = [Buffer.alloc(32, 2), Buffer.alloc(32, 1)];
const keys = createKeyRing(NEW, []);

const TEXT = 'whsec_a text';
const sealed = (): Sealed => seal(keys, 'a', TEXT, 'row 1');

describe('seal and unseal', () => {
  test('return any text with any context', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, context) => {
        expect(unseal(keys, 'a', seal(keys, 'a', text, context), context)).toBe(text);
      }),
    );
  });

  test('give another value for the same text each time', () => {
    expect(new Set(Array.from({ length: 100 }, () => sealed().sealed)).size).toBe(100);
  });

  test('do not reveal the text in the sealed value', () => {
    const { keyId, sealed: value } = sealed();
    expect({ keyId, bytes: Buffer.from(value, 'base64').length }).toEqual({
      keyId: keys.currentId,
      bytes: 12 + TEXT.length + 16,
    });
    expect(Buffer.from(value, 'base64').includes('whsec_')).toBe(false);
  });

  test('refuse a value with any single changed bit', () => {
    const { keyId, sealed: value } = sealed();
    const bits = Buffer.from(value, 'base64').length * 8;
    for (let bit = 0; bit < bits; bit += 1) {
      const bytes = Buffer.from(value, 'base64');
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(unseal(keys, 'a', { keyId, sealed: bytes.toString('base64') }, 'row 1')).toBeNull();
    }
  });

  test('refuse a value that is cut short at its begin or end', () => {
    const { keyId, sealed: value } = sealed();
    const whole = Buffer.from(value, 'base64');
    for (let length = 0; length < whole.length; length += 1)
      for (const bytes of [whole.subarray(0, length), whole.subarray(whole.length - length)])
        expect(unseal(keys, 'a', { keyId, sealed: bytes.toString('base64') }, 'row 1')).toBeNull();
  });

  test('refuse the context of another row', () => {
    expect(unseal(keys, 'a', sealed(), 'row 2')).toBeNull();
  });

  test('refuse another purpose', () => {
    expect(unseal(keys, 'b', sealed(), 'row 1')).toBeNull();
  });

  test('refuse a value that was never sealed', () => {
    assertProperty(
      fc.property(fc.string(), text => {
        expect(unseal(keys, 'a', { keyId: keys.currentId, sealed: text }, 'row 1')).toBeNull();
      }),
    );
  });

  test('open what a former secret key sealed', () => {
    const before = seal(createKeyRing(OLD, []), 'a', TEXT, 'row 1');
    expect(unseal(createKeyRing(NEW, [OLD]), 'a', before, 'row 1')).toBe(TEXT);
  });

  test('do not open what a key sealed that is not known any more', () => {
    const before = seal(createKeyRing(OLD, []), 'a', TEXT, 'row 1');
    expect(unseal(keys, 'a', before, 'row 1')).toBeNull();
  });

  test('do not open under the name of another key', () => {
    const ring = createKeyRing(NEW, [OLD]);
    const [, formerId = ''] = ring.ids;
    expect(unseal(ring, 'a', { ...sealed(), keyId: formerId }, 'row 1')).toBeNull();
  });
});
