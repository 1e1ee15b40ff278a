import { expect, test } from 'vitest';
import { ServerClock } from '../../../src/db/server-clock.ts';

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
