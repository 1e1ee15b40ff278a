import { describe, expect, test } from 'vitest';
import { newSecret, stepOf, uriOf } from '../../../src/modules/accounts/second-factor/totp.ts';

/** `12345678901234567890`, the secret of the vectors for SHA-1. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('a code', () => {
  // RFC 6238, appendix B: of the eight digits there, six are the last ones.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('of RFC 6238 at %i s is %s', (seconds, code) => {
    expect(stepOf(SECRET, code, new Date(seconds * 1_000))).toBe(Math.floor(seconds / 30));
  });

  test.each([
    ['the step before', 89, 1],
    ['the step after', 29, 1],
    ['two steps before', 119, null],
    ['two steps after', -1, null],
  ])('of %s', (_when, seconds, step) => {
    expect(stepOf(SECRET, '287082', new Date(seconds * 1_000))).toBe(step);
  });
});

test('a secret is new each time, and as long as the hash', () => {
  const secret = newSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(newSecret()).not.toBe(secret);
});

test('an app reads the secret, for whom it is and the form from the address', () => {
  const uri = new URL(uriOf(SECRET, 'ada@people.example'));
  expect(decodeURIComponent(uri.pathname)).toBe('/Heliograph:ada@people.example');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'Heliograph',
    secret: SECRET,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
