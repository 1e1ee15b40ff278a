import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyRing, type KeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { parseId } from '../../../src/kernel/ids.ts';
import { codeMac, codeMacs, codeOf, newPin, type PinSeed } from '../../../src/modules/otp/send/code.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

const SECRET = Buffer.alloc(32, 7);
const OTHER_SECRET = Buffer.alloc(32, 8);
const ring = createKeyRing(SECRET, []);
const otherRing = createKeyRing(OTHER_SECRET, []);
const rotated = createKeyRing(OTHER_SECRET, [SECRET]);

const hex = fc.stringMatching(/^[0-9a-f]{32}$/);
const lengths = fc.integer({ min: 4, max: 10 });
const seeds: fc.Arbitrary<PinSeed> = fc.record({
  id: hex.map(body => `pin_${body}`),
  nonce: hex,
  keyId: fc.constant(ring.currentId),
  length: lengths,
});

/** The pin of a number: with one secret key its code is always the same, so no run fails by chance. */
function pinAt(index: number, length: number): PinSeed {
  const body = index.toString(16).padStart(32, '0');
  return { id: `pin_${body}`, nonce: body, keyId: ring.currentId, length };
}

function codeAt(index: number, length: number): string {
  return codeOf(ring, pinAt(index, length)) ?? '';
}

function seedOf(of: KeyRing, length: number): PinSeed & { codeMac: string } {
  return newPin(of, length);
}

/** Pearson's chi-square of counts that should be equal. */
function chiSquare(counts: Uint32Array): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

/** The value that chi-square exceeds with a likelihood of 0.001, by the approximation of Wilson and Hilferty. */
function criticalValue(buckets: number): number {
  const freedom = buckets - 1;
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + 3.0902 * Math.sqrt(spread)) ** 3;
}

const PINS = rounds({ usual: 60_000, long: 1_000_000 });

describe(`the codes of ${PINS} pins`, () => {
  const first = new Uint32Array(1000);
  const last = new Uint32Array(1000);
  const shapes = new Set<string>();

  test('are uniform in their first and in their last three digits', () => {
    for (let index = 0; index < PINS; index++) {
      const code = codeAt(index, 6);
      first[Number(code.slice(0, 3))] = (first[Number(code.slice(0, 3))] ?? 0) + 1;
      last[Number(code.slice(3))] = (last[Number(code.slice(3))] ?? 0) + 1;
      shapes.add(code.replaceAll(/\d/g, '0'));
    }
    expect([...shapes]).toEqual(['000000']);
    expect(chiSquare(first)).toBeLessThan(criticalValue(1000));
    expect(chiSquare(last)).toBeLessThan(criticalValue(1000));
  });

  test('would not pass where the code came from too few bits', () => {
    const counts = new Uint32Array(1000);
    for (let index = 0; index < 1_000_000; index++) {
      const bits = Math.imul(index, 0x9e3779b1) >>> 10;
      const bucket = Math.floor((bits % 1_000_000) / 1000);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    expect(chiSquare(counts)).toBeGreaterThan(criticalValue(1000));
  });

  test.each([4, 10])('of %i digits are uniform in each digit', length => {
    const counts = Array.from({ length }, () => new Uint32Array(10));
    for (let index = 0; index < PINS / 10; index++) {
      for (const [place, digit] of [...codeAt(index, length)].entries()) {
        const digits = counts[place] ?? new Uint32Array(10);
        digits[Number(digit)] = (digits[Number(digit)] ?? 0) + 1;
      }
    }
    for (const digits of counts) expect(chiSquare(digits)).toBeLessThan(criticalValue(10));
  });
});

describe('codeOf', () => {
  test('is the truncated HMAC under a key of its own, as written by hand', () => {
    assertProperty(
      fc.property(seeds, seed => {
        const key = ring.derive(ring.currentId, 'otp-code') ?? '';
        const mac = createHmac('sha256', key).update(`${seed.id}${seed.nonce}`).digest();
        const bits = (mac.readBigUInt64BE(0) << 64n) | mac.readBigUInt64BE(8);
        expect(codeOf(ring, seed)).toBe(String(bits).slice(-seed.length));
      }),
    );
  });

  test('has as many digits as were asked for', () => {
    assertProperty(
      fc.property(seeds, seed => {
        expect(codeOf(ring, seed)).toMatch(new RegExp(`^\\d{${seed.length}}$`));
      }),
    );
  });

  test('keeps the zeros in front', () => {
    const codes = Array.from({ length: 2000 }, (_, index) => codeAt(index, 6));
    expect(codes.filter(code => code.startsWith('00')).length).toBeGreaterThan(0);
  });

  test('is the same for the same pin, in every process', () => {
    assertProperty(
      fc.property(seeds, seed => {
        expect(codeOf(createKeyRing(SECRET, []), seed)).toBe(codeOf(ring, seed));
      }),
    );
  });

  // Two codes of ten digits are equal by chance once in 10^10. The pins of these tests are fixed, so the result never varies.
  test.each([
    ['another nonce', (seed: PinSeed) => ({ ...seed, nonce: 'f'.repeat(32) })],
    ['another pin', (seed: PinSeed) => ({ ...seed, id: `pin_${'f'.repeat(32)}` })],
  ])('differs for %s', (_name, change) => {
    for (let index = 0; index < 100; index++) {
      const seed = pinAt(index, 10);
      expect(codeOf(ring, change(seed))).not.toBe(codeOf(ring, seed));
    }
  });

  test('differs under another secret key', () => {
    const seed = pinAt(1, 10);
    expect(codeOf(otherRing, { ...seed, keyId: otherRing.currentId })).not.toBe(codeOf(ring, seed));
  });

  test('is null where the key is not known any more', () => {
    expect(codeOf(otherRing, pinAt(1, 6))).toBeNull();
  });
});

describe('newPin', () => {
  test('has an id and a nonce of 128 random bits, which never repeat', () => {
    const pins = Array.from({ length: 10_000 }, () => newPin(ring, 6));
    expect(new Set(pins.flatMap(pin => [pin.id.slice(4), pin.nonce])).size).toBe(20_000);
    for (const { id, nonce } of pins) {
      expect(parseId('pin', id)).toBe(id);
      expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    }
  });

  test('has no fixed bit in its id, as ids that hold a time or a version have', () => {
    const ones = new Uint32Array(128);
    for (let run = 0; run < 1000; run++) {
      const bits = BigInt(`0x${newPin(ring, 6).id.slice(4)}`);
      for (let bit = 0; bit < 128; bit++) ones[bit] = (ones[bit] ?? 0) + Number((bits >> BigInt(bit)) & 1n);
    }
    // 500 ± 15.8: more than ten deviations away.
    for (const count of ones) expect(Math.abs(count - 500)).toBeLessThan(170);
  });

  test('is made under the current key', () => {
    expect(newPin(rotated, 6).keyId).toBe(rotated.currentId);
  });

  test('keeps the MAC of its code', () => {
    assertProperty(
      fc.property(lengths, length => {
        const seed = seedOf(ring, length);
        expect(codeMac(ring, seed.keyId, seed.id, codeOf(ring, seed) ?? '')).toBe(seed.codeMac);
      }),
    );
  });

  test('tells its code by no member', () => {
    const seed = seedOf(ring, 10);
    expect(JSON.stringify({ ...seed, length: 0 })).not.toContain(codeOf(ring, seed));
  });
});

describe('codeMac', () => {
  test('is the HMAC under a key of its own, as written by hand', () => {
    const key = ring.derive(ring.currentId, 'otp-mac') ?? '';
    const { id } = pinAt(1, 6);
    expect(codeMac(ring, ring.currentId, id, '012345')).toBe(
      createHmac('sha256', key).update(`${id}012345`).digest('hex'),
    );
  });

  test('binds the pin and the code', () => {
    const digits = fc.stringMatching(/^\d{4,10}$/);
    assertProperty(
      fc.property(seeds, seeds, digits, digits, (a, b, code, guess) => {
        const mac = codeMac(ring, ring.currentId, a.id, code);
        expect(mac === codeMac(ring, ring.currentId, b.id, guess)).toBe(a.id === b.id && code === guess);
        expect(mac).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });

  test('tells a code from the same code with a zero more in front', () => {
    const { id } = pinAt(1, 6);
    expect(codeMac(ring, ring.currentId, id, '012345')).not.toBe(codeMac(ring, ring.currentId, id, '12345'));
  });

  test('is null where the key is not known any more', () => {
    expect(codeMac(otherRing, ring.currentId, pinAt(1, 6).id, '123456')).toBeNull();
  });

  test('is no hash that can be searched without the secret key', () => {
    const seed = seedOf(ring, 6);
    const code = codeOf(ring, seed) ?? '';
    const known = ['', seed.id, seed.nonce, seed.keyId, `${seed.id}${seed.nonce}`];
    const searched = known.flatMap(part => [
      createHash('sha256').update(`${part}${code}`).digest('hex'),
      createHash('sha256').update(`${code}${part}`).digest('hex'),
      createHmac('sha256', part).update(code).digest('hex'),
      createHmac('sha256', part).update(`${seed.id}${code}`).digest('hex'),
    ]);
    expect(searched).not.toContain(seed.codeMac);
  });

  test('does not use the key of the codes', () => {
    const { id, nonce, keyId } = pinAt(1, 6);
    const key = ring.derive(keyId, 'otp-code') ?? '';
    expect(codeMac(ring, keyId, id, nonce)).not.toBe(createHmac('sha256', key).update(`${id}${nonce}`).digest('hex'));
  });
});

describe('codeMacs', () => {
  test('has one MAC for each key, the one of the pin among them', () => {
    const seed = seedOf(ring, 6);
    const macs = codeMacs(rotated, seed.id, codeOf(ring, seed) ?? '');
    expect(Object.keys(macs).sort()).toEqual([...rotated.ids].sort());
    expect(macs[seed.keyId]).toBe(seed.codeMac);
    expect(macs[rotated.currentId]).not.toBe(seed.codeMac);
  });

  test('has the same keys for a pin that nobody made, and for a guess that is no code', () => {
    expect(Object.keys(codeMacs(rotated, 'pin_0', ''))).toEqual([...rotated.ids]);
  });
});

describe('a change of the secret key', () => {
  const seed = seedOf(ring, 6);
  const code = codeOf(ring, seed) ?? '';

  test('keeps the code of a live pin for a resend, while the former key is listed', () => {
    expect(codeOf(rotated, seed)).toBe(code);
  });

  test('keeps a live pin verifiable while the former key is listed', () => {
    expect(codeMacs(rotated, seed.id, code)[seed.keyId]).toBe(seed.codeMac);
  });

  test('ends a live pin where the former key is not listed', () => {
    expect(codeOf(otherRing, seed)).toBeNull();
    expect(Object.values(codeMacs(otherRing, seed.id, code))).not.toContain(seed.codeMac);
  });

  test('leaves pins verifiable by processes that still have the former key as theirs', () => {
    const made = seedOf(rotated, 6);
    const before = createKeyRing(SECRET, [OTHER_SECRET]);
    expect(codeMacs(before, made.id, codeOf(rotated, made) ?? '')[made.keyId]).toBe(made.codeMac);
  });
});

describe('a code that another server made', () => {
  const given = lengths.chain(length => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`)));

  test('is the code of its pin, and what a guess is compared with', () => {
    assertProperty(
      fc.property(given, code => {
        const pin = newPin(ring, code.length, code);
        expect(codeOf(ring, pin)).toBe(code);
        expect(pin.codeMac).toBe(codeMac(ring, ring.currentId, pin.id, code));
        expect(pin.nonce.length).toBeLessThanOrEqual(32);
      }),
    );
  });

  test('leaves another nonce in each pin', () => {
    const nonces = Array.from({ length: 100 }, () => newPin(ring, 6, '123456').nonce);
    expect(new Set(nonces.map(nonce => nonce.split('s')[1])).size).toBeGreaterThan(90);
  });

  test('is told by no other key', () => {
    const pin = newPin(ring, 10, '0123456789');
    expect(codeOf(otherRing, { ...pin, keyId: otherRing.currentId })).not.toBe('0123456789');
  });
});
