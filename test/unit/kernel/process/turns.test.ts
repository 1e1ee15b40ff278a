import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Turns } from '../../../../src/kernel/process/turns.ts';

let nowMs: number;
let turns: Turns;
let done: string[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout'] });
  nowMs = 0;
  done = [];
  turns = new Turns(1 / 5, () => nowMs);
});
afterEach(() => void vi.useRealTimers());

/** Enters pieces of a client, each of which takes so many milliseconds. */
function enter(client: string, count: number, eachMs = 0): void {
  for (let piece = 1; piece <= count; piece++)
    turns.enter(client, () => {
      done.push(`${client}${piece}`);
      nowMs += eachMs;
    });
}

describe('turns', () => {
  test('do nothing at once', () => {
    enter('a', 1);
    expect(done).toEqual([]);
  });

  test('go from client to client, however much one of them has', () => {
    enter('a', 50);
    enter('b', 2);
    enter('c', 1);
    vi.runAllTimers();
    expect(done.slice(0, 6)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(done).toHaveLength(53);
  });

  test('rest four times as long as they took, a millisecond or a piece at a time', () => {
    enter('a', 3, 2);
    vi.advanceTimersByTime(0);
    expect(done).toEqual(['a1']);
    vi.advanceTimersByTime(7);
    expect(done).toEqual(['a1']);
    vi.advanceTimersByTime(2);
    expect(done).toEqual(['a1', 'a2']);
  });

  test('rest no longer than a tenth of a second after a piece that was held up', () => {
    enter('a', 2, 60_000);
    vi.advanceTimersByTime(102);
    expect(done).toEqual(['a1', 'a2']);
  });

  test('let others in after sixteen pieces, however little each takes', () => {
    enter('a', 40);
    let doneBefore = 0;
    setImmediate(() => {
      doneBefore = done.length;
    });
    vi.advanceTimersByTime(0);
    expect(doneBefore).toBe(16);
  });

  test('go on when a piece sets off the next one', () => {
    turns.enter('a', () => {
      done.push('first');
      turns.enter('a', () => done.push('second'));
    });
    vi.runAllTimers();
    expect(done).toEqual(['first', 'second']);
  });

  test('rest too before what comes when nothing was waiting', () => {
    enter('a', 1, 2);
    vi.advanceTimersByTime(0);
    enter('b', 1);
    vi.advanceTimersByTime(7);
    expect(done).toEqual(['a1']);
    vi.runAllTimers();
    expect(done).toEqual(['a1', 'b1']);
  });

  test('with all of the time go on in the next turn of the event loop', () => {
    turns = new Turns(1, () => nowMs);
    enter('a', 3, 2);
    const doneBefore: number[] = [];
    const look = (): void => {
      doneBefore.push(done.length);
      if (done.length < 3) setImmediate(look);
    };
    setImmediate(look);
    vi.runAllTimers();
    expect(doneBefore).toEqual([1, 2, 3]);
  });
});
