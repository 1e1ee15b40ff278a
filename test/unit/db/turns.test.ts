import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Turns } from '../../../src/db/feeds/turns.ts';

let nowMs: number;
let turns: Turns;
let handed: string[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout'] });
  nowMs = 0;
  handed = [];
  turns = new Turns(() => nowMs);
});
afterEach(() => void vi.useRealTimers());

/** Enters rows of an account, each of which takes so many milliseconds. */
function enter(accountId: string, count: number, eachMs = 0): void {
  for (let row = 1; row <= count; row++)
    turns.enter(accountId, () => {
      handed.push(`${accountId}${row}`);
      nowMs += eachMs;
    });
}

describe('turns', () => {
  test('hand nothing over at once', () => {
    enter('a', 1);
    expect(handed).toEqual([]);
  });

  test('go from account to account, however much one of them has', () => {
    enter('a', 50);
    enter('b', 2);
    enter('c', 1);
    vi.runAllTimers();
    expect(handed.slice(0, 6)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(handed).toHaveLength(53);
  });

  test('rest four times as long as they took, a millisecond or a row at a time', () => {
    enter('a', 3, 2);
    vi.advanceTimersByTime(0);
    expect(handed).toEqual(['a1']);
    vi.advanceTimersByTime(7);
    expect(handed).toEqual(['a1']);
    vi.advanceTimersByTime(2);
    expect(handed).toEqual(['a1', 'a2']);
  });

  test('rest no longer than a tenth of a second after a row that was held up', () => {
    enter('a', 2, 60_000);
    vi.advanceTimersByTime(102);
    expect(handed).toEqual(['a1', 'a2']);
  });

  test('let others in after sixteen rows, however little each takes', () => {
    enter('a', 40);
    let handedBefore = 0;
    setImmediate(() => {
      handedBefore = handed.length;
    });
    vi.advanceTimersByTime(0);
    expect(handedBefore).toBe(16);
  });

  test('go on when a row sets off the next one', () => {
    turns.enter('a', () => {
      handed.push('first');
      turns.enter('a', () => handed.push('second'));
    });
    vi.runAllTimers();
    expect(handed).toEqual(['first', 'second']);
  });

  test('rest too before what comes when nothing was waiting', () => {
    enter('a', 1, 2);
    vi.advanceTimersByTime(0);
    enter('b', 1);
    vi.advanceTimersByTime(7);
    expect(handed).toEqual(['a1']);
    vi.runAllTimers();
    expect(handed).toEqual(['a1', 'b1']);
  });
});
