import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ServerClock } from '../../../src/db/server-clock.ts';
import { assertProperty } from '../../support/runner/properties.ts';

afterEach(() => void vi.useRealTimers());

test('the estimated time is the time of the database, and never later', async () => {
  const clock = new ServerClock(async () => Date.UTC(2030, 0, 1));
  const text = await clock.in(4_000);
  expect(text.slice(0, 18)).toBe('2030-01-01T00:00:0');
  const laterMs = Date.parse(await clock.in(4_000)) - Date.UTC(2030, 0, 1);
  expect(laterMs).toBeGreaterThanOrEqual(4_000);
});

test('the delay of the answer is not counted as remaining time', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const clock = new ServerClock(() => promise);
  const asked = clock.in(4_000);
  const untilMs = performance.now() + 20;
  while (performance.now() < untilMs);
  resolve(1_000_000);
  expect(Date.parse(await asked)).toBeLessThanOrEqual(1_004_000);
});

test('concurrent callers ask the database once, and again after the estimate was dropped', async () => {
  let asked = 0;
  const clock = new ServerClock(async () => ++asked);
  await Promise.all([clock.in(1), clock.in(1), clock.in(1)]);
  await clock.in(1);
  expect(asked).toBe(1);
  clock.forget();
  await clock.in(1);
  expect(asked).toBe(2);
});

describe('the time of the database', () => {
  test('is known from the first reading on, whatever the clock of the process says then', async () => {
    const clock = new ServerClock(async () => Date.UTC(2030, 0, 1));
    await clock.learn();
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    expect(clock.now().toISOString()).toMatch(/^2030-01-01T00:00:0/);
  });

  test('is off by the time that the last answer took at most, though the database is set and answers are slow', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const ms = fc.integer({ min: 0, max: 10_000 });
    const reading = fc.record({ stepMs: fc.integer({ min: -7_200_000, max: 7_200_000 }), before: ms, after: ms });
    await assertProperty(
      fc.asyncProperty(fc.array(reading, { minLength: 1, maxLength: 5 }), async readings => {
        let aheadMs = 1_800_000_000_000;
        let now = { before: 0, after: 0 };
        const trueMs = () => aheadMs + performance.now();
        const clock = new ServerClock(async () => {
          vi.advanceTimersByTime(now.before);
          const atMs = trueMs();
          vi.advanceTimersByTime(now.after);
          return atMs;
        });
        for (const { stepMs, before, after } of readings) {
          aheadMs += stepMs;
          now = { before, after };
          await clock.learn();
          const lateMs = clock.now().getTime() - trueMs();
          expect(lateMs).toBeGreaterThanOrEqual(-after - 1);
          expect(lateMs).toBeLessThanOrEqual(before + 1);
          expect(Date.parse(await clock.in(0)) - trueMs()).toBeLessThanOrEqual(0);
        }
      }),
    );
  });

  test('is not moved by an answer that is slow', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let delayMs = 0;
    const clock = new ServerClock(async () => {
      const atMs = 1_800_000_000_000 + performance.now();
      vi.advanceTimersByTime(delayMs);
      return atMs;
    });
    await clock.learn();
    delayMs = 3_000;
    await clock.learn();
    expect(clock.now().getTime()).toBe(1_800_000_000_000 + Math.trunc(performance.now()));
  });

  test('is read every five seconds until it is stopped, and kept where the database is away', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let asked = 0;
    const clock = new ServerClock(async () => {
      asked += 1;
      if (asked === 2) throw new Error('away');
      return 1_800_000_000_000;
    });
    await clock.start();
    await vi.advanceTimersByTimeAsync(5_000);
    expect([asked, clock.now().getTime() >= 1_800_000_000_000]).toEqual([2, true]);
    await vi.advanceTimersByTimeAsync(5_000);
    clock.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(3);
  });
});
