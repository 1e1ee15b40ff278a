import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Gathering } from '../../../src/db/gathering.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Adds so many, and answers after how many milliseconds they are a group. */
async function msUntilGathered(gathering: Gathering, size: number): Promise<number> {
  for (let added = 0; added < size; added++) gathering.add();
  const startedMs = Date.now();
  const gathered = gathering.gathered();
  await vi.runAllTimersAsync();
  await gathered;
  gathering.close();
  return Date.now() - startedMs;
}

test('who comes alone waits for nobody', async () => {
  const gathering = new Gathering(256);
  for (let turn = 0; turn < 3; turn++) expect(await msUntilGathered(gathering, 1)).toBe(0);
});

test('a group waits for a moment to be as large as the one before', async () => {
  const gathering = new Gathering(256);
  expect(await msUntilGathered(gathering, 10)).toBe(0);
  expect(await msUntilGathered(gathering, 4)).toBe(3);
});

test('a group goes as soon as it is as large', async () => {
  const gathering = new Gathering(256);
  await msUntilGathered(gathering, 3);
  gathering.add();
  let isGathered = false;
  const gathered = gathering.gathered().then(() => {
    isGathered = true;
  });
  gathering.add();
  await Promise.resolve();
  expect(isGathered).toBe(false);
  gathering.add();
  await gathered;
  expect(vi.getTimerCount()).toBe(0);
});

test('how large groups were is forgotten: after 64 at once, those who come alone wait 23 times', async () => {
  const gathering = new Gathering(256);
  await msUntilGathered(gathering, 64);
  let waits = 0;
  while ((await msUntilGathered(gathering, 1)) > 0) waits += 1;
  expect(waits).toBe(23);
});

test('more than one group takes are the next one at once', async () => {
  const gathering = new Gathering(256);
  expect(await msUntilGathered(gathering, 600)).toBe(0);
  expect(await msUntilGathered(gathering, 0)).toBe(0);
  // 88 are left of them.
  expect(await msUntilGathered(gathering, 0)).toBe(3);
});

test('where nobody waits for it, a group waits for as many as it is told, however small the one before was', async () => {
  const gathering = new Gathering(256, { waitMs: 15, atLeast: 8 });
  expect(await msUntilGathered(gathering, 1)).toBe(15);
  expect(await msUntilGathered(gathering, 8)).toBe(0);
  expect(await msUntilGathered(gathering, 20)).toBe(0);
  expect(await msUntilGathered(gathering, 8)).toBe(15);
});
