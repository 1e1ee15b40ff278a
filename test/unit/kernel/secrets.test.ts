import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AREAS,
  hashPassword,
  hashToken,
  newPassword,
  newSecretKey,
  newToken,
  secretsEqual,
  tokenPrefix,
  verifyPassword,
} from '../../../src/kernel/secrets.ts';

describe('tokens', () => {
  test.each([
    ['unified', /^hg_uni_[A-Za-z0-9_-]{43}$/],
    ['sms', /^hg_sms_[A-Za-z0-9_-]{43}$/],
    ['otp', /^hg_otp_[A-Za-z0-9_-]{43}$/],
    ['management', /^hg_mgt_[A-Za-z0-9_-]{43}$/],
  ] as const)('of the area %s tell it and hold 256 bits', (area, pattern) => {
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

describe('passwords', () => {
  test('are made of twenty letters without look-alikes, in groups', () => {
    expect(newPassword()).toMatch(/^[0-9a-hjkmnp-tv-z]{5}(-[0-9a-hjkmnp-tv-z]{5}){3}$/);
    expect(newPassword()).not.toBe(newPassword());
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
  ])('match no hash that is not one: %j', async stored => {
    expect(await verifyPassword('password', stored)).toBe(false);
  });
});

describe('secretsEqual', () => {
  test('is equality of strings', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(secretsEqual(a, a)).toBe(true);
        expect(secretsEqual(a, b)).toBe(a === b);
        expect(secretsEqual(a, `${a}x`)).toBe(false);
      }),
    );
  });

  test('keeps broken strings apart', () => {
    expect(secretsEqual('\ud800', '\ud801')).toBe(false);
  });
});
