import { expect, test } from 'vitest';
import { isInDoubt, isMisfit, isUnavailable, sqlState } from '../../../src/db/statements/sql.ts';

const withCode = (code: string, more: object = {}): Error => Object.assign(new Error('failed'), { code, ...more });

test.each(['08006', '57P01', '57014', '53100', '53200', '53300', '58030', '25006', 'HG001'])(
  'a database that answers %s is away',
  code => {
    expect(isUnavailable(withCode(code))).toBe(true);
  },
);

test.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])(
  'a connection that ends in %s is away',
  code => {
    expect(sqlState(withCode(code))).toBeNull();
    expect(isUnavailable(new Error('wrapped', { cause: withCode(code) }))).toBe(true);
  },
);

test('a missing socket file means that the database is unavailable, and any other missing file does not', () => {
  expect(isUnavailable(withCode('ENOENT', { syscall: 'connect' }))).toBe(true);
  expect(isUnavailable(withCode('ENOENT', { syscall: 'open' }))).toBe(false);
});

test.each(['23505', '40001', '22021'])('a statement that fails with %s is no sign that the database is away', code => {
  expect(sqlState(withCode(code))).toBe(code);
  expect(isUnavailable(withCode(code))).toBe(false);
});

test.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01'])(
  'nobody knows what became of a statement that ended in %s',
  code => {
    expect(isInDoubt(new Error('wrapped', { cause: withCode(code) }))).toBe(true);
  },
);

test.each(['ECONNREFUSED', 'ENOTFOUND', '53100', '25006', '23505', 'HG001'])(
  'a statement that ended in %s did nothing',
  code => {
    expect(isInDoubt(new Error('wrapped', { cause: withCode(code) }))).toBe(false);
  },
);

test.each([
  ['22021', {}],
  ['22P02', {}],
  ['23514', { constraint: 'amount_check' }],
  ['23502', { column: 'amount' }],
])('what is refused with %s and %o never fits', (code, more) => {
  expect(isMisfit(new Error('wrapped', { cause: withCode(code, more) }))).toBe(true);
});

test.each([
  // There is no partition for the row.
  ['23514', {}],
  ['53100', {}],
  ['40P01', {}],
  ['42P01', {}],
  ['ECONNRESET', {}],
])('what fails with %s and %o may fit later', (code, more) => {
  expect(isMisfit(withCode(code, more))).toBe(false);
});
