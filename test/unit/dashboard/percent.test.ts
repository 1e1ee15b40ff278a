import { expect, test } from 'vitest';
import { percent } from '../../../src/dashboard/app/ui/words.ts';

test.each([
  [0, 0, '–'],
  [0, 3, '0 %'],
  [3, 3, '100 %'],
  [1, 1, '100 %'],
  [1, 2, '50.0 %'],
  [973, 1_000, '97.3 %'],
  // Neither all nor none, however many there are.
  [99_999, 100_000, '99.9 %'],
  [1, 100_000, '0.1 %'],
  [0.999_99, 1, '99.9 %'],
])('%d of %d is %s', (part, whole, shown) => {
  expect(percent(part, whole)).toBe(shown);
});
