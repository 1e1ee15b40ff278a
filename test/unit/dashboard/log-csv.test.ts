import { expect, test } from 'vitest';
import { ATTEMPTS_CSV } from '../../../src/dashboard/app/features/logs/export/csv.ts';

test('an exported attempt has the price that its provider told, as JSON', () => {
  const row = { id: 'att_1', pricing: { billable: true, category: 'utility' } } as unknown as Parameters<
    typeof ATTEMPTS_CSV.line
  >[0];
  const [names, values] = [ATTEMPTS_CSV.head.split(','), ATTEMPTS_CSV.line(row)];
  expect(names.at(-2)).toBe('pricing');
  expect(values).toMatch(/,"{""billable"":true,""category"":""utility""}",att_1\r\n$/);
});
