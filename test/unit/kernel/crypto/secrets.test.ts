import { createHash, hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AREAS,
  decodeSecretKey,
  deriveKey,
  hashPassword,
  hashToken,
  newPassword,
  newSecretKey,
  newToken,
  secretsEqual,
  tokenPrefix,
  verifyPassword,
} from '../../../../src/kernel/crypto/secrets.ts';
import { assertProperty } from '../../../support/runner/properties.ts';

describe('tokens', () => {
  test.each([
    ['unified', /^hg_uni_[A-Za-z0-9_-]{43}$/],
    ['sms', /^hg_sms_[A-Za-z0-9_-]{43}$/],
    ['otp', /^hg_otp_[A-Za-z0-9_-]{43}$/],
    ['management', /^hg_mgt_[A-Za-z0-9_-]{43}$/],
  ] as const)('of the area %s show it in their prefix and hold 256 bits', (area, pattern) => {
    expect(newToken(area)).toMatch(pattern);
  });

  test('exist for each area and never repeat', () => {
    const tokens = AREAS.flatMap(area => Array.from({ length: 1000 }, () => newToken(area)));
    expect(new Set(tokens).size).toBe(4000);
  });

  test('are hashed by SHA-256', () => {
    expect(hashToken('hg_uni_x')).toEqual(createHash('sha256').update('hg_uni_x').digest());
  });

  test('show their first eleven characters in a list', () => {
    const token = newToken('sms');
    expect(tokenPrefix(token)).toBe(token.slice(0, 11));
    expect(tokenPrefix(token)).toMatch(/^hg_sms_.{4}$/);
  });
});

describe('newSecretKey', () => {
  test('is 32 bytes in base64', () => {
    const key = newSecretKey();
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(Buffer.from(key, 'base64').toString('base64')).toBe(key);
    expect(newSecretKey()).not.toBe(key);
  });
});

describe('decodeSecretKey', () => {
  test('reads what newSecretKey made', () => {
    const key = newSecretKey();
    expect(decodeSecretKey(key)).toEqual(Buffer.from(key, 'base64'));
  });

  test.each([
    ['', 'is not base64'],
    [`${Buffer.alloc(32).toString('base64')}!`, 'is not base64'],
    [Buffer.alloc(31).toString('base64'), 'holds 31 bytes, fewer than 32'],
  ])('says what is wrong with %j', (text, fault) => {
    expect(decodeSecretKey(text)).toBe(fault);
  });
});

/** HMAC-SHA256 as RFC 2104 writes it, from the hash alone. */
function hmacByHand(key: Uint8Array, ...parts: Uint8Array[]): Buffer {
  const block = Buffer.alloc(64);
  block.set(key.length > 64 ? hash('sha256', key, 'buffer') : key);
  const inner = hash('sha256', Buffer.concat([block.map(byte => byte ^ 0x36), ...parts]), 'buffer');
  return hash('sha256', Buffer.concat([block.map(byte => byte ^ 0x5c), inner]), 'buffer');
}

/** HKDF-SHA256 as RFC 5869, 2.2 and 2.3, writes it, without salt. */
function hkdfByHand(secret: Uint8Array, info: string, length: number): Buffer {
  const extracted = hmacByHand(Buffer.alloc(32), secret);
  let block: Buffer = Buffer.alloc(0);
  let output: Buffer = Buffer.alloc(0);
  for (let counter = 1; output.length < length; counter++) {
    block = hmacByHand(extracted, block, Buffer.from(info), Buffer.of(counter));
    output = Buffer.concat([output, block]);
  }
  return output.subarray(0, length);
}

describe('deriveKey', () => {
  test('has an oracle that agrees with test case 3 of RFC 5869', () => {
    expect(hkdfByHand(Buffer.alloc(22, 0x0b), '', 42).toString('hex')).toBe(
      '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
    );
  });

  test('is HKDF-SHA256 without salt, the purpose in its info', () => {
    assertProperty(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 100 }), fc.string(), (secret, purpose) => {
        expect(deriveKey(secret, purpose)).toEqual(hkdfByHand(secret, `heliograph/${purpose}`, 32));
      }),
    );
  });

  test('gives another key for another purpose and for another secret', () => {
    const [secret, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const keys = [deriveKey(secret, 'a'), deriveKey(secret, 'b'), deriveKey(other, 'a')];
    expect(new Set(keys.map(key => key.toString('hex'))).size).toBe(3);
  });
});

describe('passwords', () => {
  test('are made of twenty letters without look-alikes, in groups', () => {
    expect(newPassword()).toMatch(/^[0-9a-hjkmnp-tv-z]{5}(-[0-9a-hjkmnp-tv-z]{5}){3}$/);
    expect(newPassword()).not.toBe(newPassword());
  });

  test.skipIf(process.platform !== 'linux')('are hashed by a thread that gives way to all others', async () => {
    await hashPassword('correct horse');
    const threads = readdirSync('/proc/self/task').map(id => readFileSync(`/proc/self/task/${id}/stat`, 'utf8'));
    // The second word is the name in brackets, the nineteenth is what `nice` shows.
    const own = threads.filter(stat => stat.includes('(passwords)'));
    expect(own.map(stat => stat.split(' ')[18])).toEqual(['5']);
  });

  test('are hashed with argon2id at 19 MiB, two passes, one lane, under a new salt', async () => {
    const [first, second] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(second).not.toBe(first);
  });

  test('are verified', async () => {
    const stored = await hashPassword('correct horse');
    expect(await verifyPassword('correct horse', stored)).toBe(true);
    expect(await verifyPassword('Correct horse', stored)).toBe(false);
    expect(await verifyPassword('', stored)).toBe(false);
  });

  test('are the same however an accent is composed', async () => {
    expect(await verifyPassword('caf\u00e9', await hashPassword('cafe\u0301'))).toBe(true);
  });

  test('are verified at the cost that the hash names', async () => {
    // From the tests of the reference implementation (phc-winner-argon2, src/test.c).
    const stored = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    expect(await verifyPassword('password', stored)).toBe(true);
    expect(await verifyPassword('passwore', stored)).toBe(false);
  });

  test.each([
    '',
    'plain',
    '$2b$10$abcdefghijklmnopqrstuv',
    '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$argon2id$v=19$m=1,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  ])('never match the invalid hash %j', async stored => {
    expect(await verifyPassword('password', stored)).toBe(false);
  });
});

describe('secretsEqual', () => {
  test('agrees with the equality of strings', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(secretsEqual(a, a)).toBe(true);
        expect(secretsEqual(a, b)).toBe(a === b);
        expect(secretsEqual(a, `${a}x`)).toBe(false);
      }),
    );
  });

  test('tells strings with lone surrogates apart', () => {
    expect(secretsEqual('\ud800', '\ud801')).toBe(false);
  });
});
