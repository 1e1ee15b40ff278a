import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  Breaker,
  RETRY_DELAYS_SECONDS,
  secondsToNextTry,
} from '../../../src/modules/webhooks/deliveries/retry.policy.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const next = (step: number, retryAfter: string | null = null, random = 0) =>
  secondsToNextTry(step, retryAfter, NOW, random);

describe('the schedule', () => {
  test('is ten tries over 75 h 35 m 5 s at least', () => {
    const delays = Array.from({ length: 10 }, (_, index) => next(index + 1));
    expect(delays).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null]);
    expect(RETRY_DELAYS_SECONDS.reduce((sum, delay) => sum + delay, 0)).toBe((75 * 60 + 35) * 60 + 5);
  });

  test('adds up to a fifth, and never takes away', () => {
    assertProperty(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.double({ min: 0, max: 1, noNaN: true }), (step, random) => {
        const delay = RETRY_DELAYS_SECONDS[step - 1] ?? 0;
        const seconds = next(step, null, random) ?? 0;
        expect(seconds).toBeGreaterThanOrEqual(delay);
        expect(seconds).toBeLessThanOrEqual(delay * 1.2 + 1e-6);
      }),
    );
  });
});

describe('Retry-After', () => {
  test.each([
    ['lengthens the wait', '60', 60],
    ['does not shorten it', '1', 5],
    ['is a day at most', '1000000000000', 86_400],
    ['is read as a date', 'Sat, 21 Nov 2026 12:02:00 GMT', 120],
    ['that is past is the delay', 'Sat, 21 Nov 2026 11:00:00 GMT', 5],
    ['that is negative is the delay', '-60', 5],
    ['that is garbage is the delay', 'soon', 5],
    ['that is a fraction is the delay', '60.5', 5],
    ['that is empty is the delay', '', 5],
  ])('%s', (_name, header, seconds) => {
    expect(next(1, header)).toBe(seconds);
  });

  test('never shortens the last delay, which is a day and more', () => {
    expect(next(9, '1000000000000', 1)).toBe(86_400 * 1.2);
  });

  test('adds no try after the tenth', () => {
    expect(next(10, '60')).toBeNull();
  });

  test('never makes a wait that is none', () => {
    assertProperty(
      fc.property(fc.string(), fc.integer({ min: 1, max: 9 }), (header, step) => {
        const seconds = next(step, header) ?? Number.NaN;
        expect(seconds).toBeGreaterThanOrEqual(RETRY_DELAYS_SECONDS[step - 1] ?? 0);
        expect(seconds).toBeLessThanOrEqual(86_400);
      }),
    );
  });
});

describe('the breaker', () => {
  const at = (seconds: number) => seconds * 1_000;

  test('opens at the tenth of ten failures, not before', () => {
    const breaker = new Breaker();
    const opened = Array.from({ length: 10 }, (_, index) => breaker.count(true, at(index)));
    expect(opened).toEqual([...Array.from({ length: 9 }, () => false), true]);
  });

  test('opens where 70 % fail, and not where fewer do', () => {
    const count = (failures: number) => {
      const breaker = new Breaker();
      for (let index = 0; index < 10 - failures; index++) breaker.count(false, at(0));
      return Array.from({ length: failures }, () => breaker.count(true, at(1))).at(-1);
    };
    expect(count(7)).toBe(true);
    expect(count(6)).toBe(false);
  });

  test('does not open at a success', () => {
    const breaker = new Breaker();
    for (let index = 0; index < 9; index++) breaker.count(true, at(0));
    expect(breaker.count(false, at(0))).toBe(false);
  });

  test('forgets what is older than five minutes', () => {
    const breaker = new Breaker();
    for (let index = 0; index < 9; index++) breaker.count(true, at(0));
    expect(breaker.count(true, at(301))).toBe(false);
  });

  test('forgets all after a probe that succeeded', () => {
    const breaker = new Breaker();
    for (let index = 0; index < 9; index++) breaker.count(true, at(0));
    breaker.reset();
    expect(breaker.count(true, at(1))).toBe(false);
  });
});
