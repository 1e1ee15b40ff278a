import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyRing } from '../../../../src/kernel/crypto/key-ring.ts';
import { deriveKey } from '../../../../src/kernel/crypto/secrets.ts';
import { assertProperty } from '../../../support/runner/properties.ts';

const [NEW, OLD, OLDEST] = [Buffer.alloc(32, 3), Buffer.alloc(32, 2), Buffer.alloc(32, 1)];
const idOf = (secret: Buffer) => createKeyRing(secret, []).currentId;
const secrets = fc.uint8Array({ minLength: 32, maxLength: 64 });

describe('createKeyRing', () => {
  test('names a key by eight hex digits, the same in every process', () => {
    expect(idOf(NEW)).toMatch(/^[0-9a-f]{8}$/);
    expect(idOf(NEW)).toBe(deriveKey(NEW, 'key-id').toString('hex', 0, 4));
  });

  test('lists the current key first, then the former ones', () => {
    const ring = createKeyRing(NEW, [OLD, OLDEST]);
    expect(ring.currentId).toBe(idOf(NEW));
    expect(ring.ids).toEqual([idOf(NEW), idOf(OLD), idOf(OLDEST)]);
  });

  test('counts a former key that is the current one, or is listed twice, once', () => {
    expect(createKeyRing(NEW, [OLD, NEW, OLD]).ids).toEqual([idOf(NEW), idOf(OLD)]);
  });

  test('derives keys of every secret key', () => {
    const ring = createKeyRing(NEW, [OLD]);
    expect(ring.derive(idOf(NEW), 'otp-code')).toEqual(deriveKey(NEW, 'otp-code'));
    expect(ring.derive(idOf(OLD), 'otp-code')).toEqual(deriveKey(OLD, 'otp-code'));
  });

  test('derives no key from a secret key that it does not hold', () => {
    const ring = createKeyRing(NEW, [OLD]);
    expect(ring.derive(idOf(OLDEST), 'otp-code')).toBeNull();
    expect(ring.derive('', 'otp-code')).toBeNull();
    expect(ring.derive('constructor', 'otp-code')).toBeNull();
  });

  test('derives a key once', () => {
    const ring = createKeyRing(NEW, []);
    expect(ring.derive(ring.currentId, 'otp-code')).toBe(ring.derive(ring.currentId, 'otp-code'));
  });

  test('never mixes up purposes', () => {
    assertProperty(
      fc.property(secrets, secrets, fc.array(fc.string(), { minLength: 1 }), (current, former, purposes) => {
        const ring = createKeyRing(current, [former]);
        for (const purpose of [...purposes, ...purposes]) {
          expect(ring.derive(ring.currentId, purpose)).toEqual(deriveKey(current, purpose));
        }
      }),
    );
  });

  test('shows no secret key when it is printed', () => {
    const ring = createKeyRing(Buffer.from('current secret key, 32 characters'), [Buffer.from('former secret key')]);
    ring.derive(ring.currentId, 'otp-code');
    const printed = inspect(ring, { depth: 10, showHidden: true }) + JSON.stringify(ring);
    expect(printed).not.toMatch(/Buffer|secret key|63 75 72 72|data/);
  });
});
