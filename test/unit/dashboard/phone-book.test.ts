import { describe, expect, test } from 'vitest';
import { groupedNumber, readingsOf } from '../../../src/dashboard/app/ui/region/phone-book.ts';

describe('the numbers that words may mean', () => {
  const read = (words: string, ...countries: string[]) =>
    readingsOf(words, countries).map(({ digits, country }) => `${digits} ${country}`);

  test.each([
    ['202 555 0104', ['US'], ['12025550104 US', '2025550104 EG']],
    ['(0)1573 5980000', ['DE'], ['4915735980000 DE']],
    ['01573 5980000', ['DE'], ['4915735980000 DE']],
    ['12025550104', [], ['12025550104 US']],
    ['+1 202 555 0104', ['DE'], ['12025550104 US']],
    ['\u202a\uff0b1\u00a0202\u2011555\u20110104\u202c', ['DE'], ['12025550104 US']],
    ['0049 1573 5980000', ['US'], ['4915735980000 DE']],
    ['202 555 0104', [], ['2025550104 EG']],
    ['order-1042', ['US'], []],
    ['1042', ['US'], []],
  ])('%s with the countries %j', (words, countries, found) => {
    expect(read(words, ...countries)).toEqual(found);
  });
});

test.each([
  ['12025550100', '+1 202 555 0100'],
  ['447700900123', '+44 7700 900123'],
  ['33639980110', '+33 6 39 98 01 10'],
  ['999999999999999', '+999999999999999'],
])('%s is grouped as %s', (digits, grouped) => {
  expect(groupedNumber(digits)).toBe(grouped);
});
