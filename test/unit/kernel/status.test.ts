import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canMove, STATUS_RANK, STATUSES, type Status } from '../../../src/kernel/status.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const statuses = fc.constantFrom(...STATUSES);

const applyReceipts = (receipts: readonly Status[]): Status =>
  receipts.reduce<Status>((status, receipt) => (canMove(status, receipt) ? receipt : status), 'pending');

describe('canMove', () => {
  test.each([
    ['pending', 'sent'],
    ['pending', 'unknown'],
    ['pending', 'failed'],
    ['sent', 'delivered'],
    ['sent', 'expired'],
    ['unknown', 'failed'],
    ['unknown', 'delivered'],
    ['failed', 'delivered'],
    ['expired', 'read'],
    ['delivered', 'read'],
  ] as const)('lets %s become %s', (from, to) => {
    expect(canMove(from, to)).toBe(true);
    expect(canMove(to, from)).toBe(false);
  });

  test.each([
    ['sent', 'unknown'],
    ['failed', 'expired'],
  ] as const)('lets neither %s nor %s replace the other', (a, b) => {
    expect(canMove(a, b)).toBe(false);
    expect(canMove(b, a)).toBe(false);
  });

  test('lets no status replace itself', () => {
    for (const status of STATUSES) expect(canMove(status, status)).toBe(false);
  });

  test('brings receipts in any order, however often, to the highest rank', () => {
    const shuffled = fc
      .array(statuses, { minLength: 1, maxLength: 12 })
      .chain(receipts =>
        fc.tuple(fc.constant(receipts), fc.shuffledSubarray(receipts, { minLength: receipts.length })),
      );
    assertProperty(
      fc.property(shuffled, ([receipts, again]) => {
        const highest = Math.max(STATUS_RANK.pending, ...receipts.map(receipt => STATUS_RANK[receipt]));
        expect(STATUS_RANK[applyReceipts(receipts)]).toBe(highest);
        expect(STATUS_RANK[applyReceipts(again)]).toBe(highest);
        expect(STATUS_RANK[applyReceipts([...receipts, ...again])]).toBe(highest);
      }),
    );
  });
});
