import { expect, test } from 'vitest';
import { expectRows } from '../../support/expect-rows.ts';

const HERE = 'test/unit/support/expect-rows.test.ts';

test('a table that names everything passes, in whatever order', () => {
  expectRows('ROWS', ['b', 'a'], ['a', 'b']);
});

test.each([
  [['a'], ['a', 'b'], `b has no row: add it to ROWS in ${HERE}`],
  [['a', 'b'], ['a'], `b is there no more: take its row out of ROWS in ${HERE}`],
])('a table of %j fails for %j with the name and the file', (rows, all, fault) => {
  expect(() => expectRows('ROWS', rows, all)).toThrow(fault);
});
