import { expect, test } from 'vitest';
import { DeliveryGroups, eachAlone, together } from '../../../../src/channels/smpp/reports.ts';

/** Stores what is even. */
const store = async (numbers: readonly number[]): Promise<void> => {
  if (numbers.some(number => number % 2 === 1)) throw new Error('odd');
};

test('a text that could not be stored does not have its neighbours sent again', async () => {
  const groups = new DeliveryGroups(eachAlone(store));
  expect(await Promise.all([0, 1, 2, 3].map(number => groups.add(number)))).toEqual([true, false, true, false]);
});

test('a report that could not be stored has its group sent again', async () => {
  const groups = new DeliveryGroups(together(store));
  expect(await Promise.all([0, 1, 2].map(number => groups.add(number)))).toEqual([false, false, false]);
  expect(await groups.add(2)).toBe(true);
});
