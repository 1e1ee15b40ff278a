import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BindRefused } from '../../../../src/channels/smpp/answers.ts';
import { Pace } from '../../../../src/channels/smpp/pace.ts';
import { retryMs } from '../../../../src/channels/smpp/slot.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Takes until there is none; answers how many there were. */
function takeAll(pace: Pace): number {
  let taken = 0;
  while (taken < 100_000 && pace.take()) taken++;
  return taken;
}

describe('the pace', () => {
  test('without a limit gives as many as are asked for', () => {
    expect(takeAll(new Pace(null))).toBe(100_000);
  });

  test.each([
    [1, 1],
    [50, 1],
    [100, 2],
    [1_000, 20],
  ])('of %i a second gives %i at once', (perSecond, burst) => {
    expect(takeAll(new Pace(perSecond))).toBe(burst);
  });

  test.each([0.5, 1, 7, 100, 1_000])('of %d a second gives no more in any time, and no fewer', perSecond => {
    const pace = new Pace(perSecond);
    let taken = takeAll(pace);
    for (let ms = 0; ms < 10_000; ms++) {
      vi.advanceTimersByTime(1);
      taken += takeAll(pace);
    }
    expect(taken).toBeGreaterThanOrEqual(Math.floor(perSecond * 10));
    expect(taken).toBeLessThanOrEqual(perSecond * 10 + Math.max(1, perSecond * 0.02));
  });

  test('says how long the next one takes', () => {
    const pace = new Pace(10);
    expect(pace.waitMs()).toBe(0);
    takeAll(pace);
    expect(pace.waitMs()).toBeCloseTo(100);
    vi.advanceTimersByTime(40);
    expect(pace.waitMs()).toBeCloseTo(60);
  });

  test.each([null, 100])('that is held gives none for so long, with the limit %j', perSecond => {
    const pace = new Pace(perSecond);
    pace.hold(1_000);
    pace.hold(500);
    expect(pace.take()).toBe(false);
    vi.advanceTimersByTime(999);
    expect(pace.take()).toBe(false);
    expect(pace.waitMs()).toBeCloseTo(1);
    vi.advanceTimersByTime(1);
    expect(pace.take()).toBe(true);
  });
});

describe('the wait before a session is opened anew', () => {
  test('doubles, up to a minute', () => {
    const waits = Array.from({ length: 8 }, (_, index) => retryMs(index + 1, new Error('closed')));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(retryMs(5_000, new Error('closed'))).toBe(60_000);
  });

  test.each([0x0e, 0x0f])('is five minutes at once after the status %i of a bind', status => {
    expect(retryMs(1, new BindRefused(status))).toBe(300_000);
  });

  test.each([0x05, 0x0d])('is as usual after the status %i of a bind', status => {
    expect(retryMs(1, new BindRefused(status))).toBe(1_000);
  });
});
