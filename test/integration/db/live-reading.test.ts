import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveReading } from '../../../src/db/feeds/live-reading.ts';
import { setUpServices } from '../../support/fixtures.ts';

const on = setUpServices();

let reads: PromiseWithResolvers<void>[];
let errors: unknown[];
let reading: LiveReading;

/** Opens one, and answers when its first reading has begun. */
async function open(): Promise<{ readonly opened: Promise<void> }> {
  reads = [];
  errors = [];
  const begun = Promise.withResolvers<void>();
  reading = new LiveReading({
    database: on.database,
    channel: 'heliograph_test',
    read() {
      const read = Promise.withResolvers<void>();
      reads.push(read);
      begun.resolve();
      return read.promise;
    },
    onError: error => void errors.push(error),
  });
  const opened = reading.open();
  opened.catch(() => undefined);
  await begun.promise;
  return { opened };
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { opened } = await open();
  reads[0]?.resolve();
  await opened;
});

afterEach(async () => {
  for (const { resolve } of reads) resolve();
  await reading.close();
  vi.useRealTimers();
});

test('reads again each minute, as long as it is open', async () => {
  await vi.advanceTimersByTimeAsync(59_999);
  expect(reads).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(reads).toHaveLength(2);
  reads[1]?.resolve();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads).toHaveLength(3);
  reads[2]?.resolve();
  await reading.close();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(reads).toHaveLength(3);
});

test('reads a second after a reading that failed, and says that it did', async () => {
  const refreshed = reading.refresh();
  const failure = new Error('away');
  reads[1]?.reject(failure);
  await expect(refreshed).rejects.toThrow('away');
  expect(errors).toEqual([failure]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toHaveLength(3);
});

test('tells of a first reading that failed whoever opens it, and nobody else', async () => {
  await reading.close();
  const { opened } = await open();
  reads[0]?.reject(new Error('away'));
  await expect(opened).rejects.toThrow('away');
  expect(errors).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads).toHaveLength(1);
});

test('answers calls that come together with one reading that begins after the last of them', async () => {
  const calls = [reading.refresh(), reading.refresh(), reading.refresh()];
  expect(reads).toHaveLength(2);
  reads[1]?.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(reads).toHaveLength(3);
  reads[2]?.resolve();
  await Promise.all(calls);
  expect(reads).toHaveLength(3);
});

test('a call that comes as a reading ends begins another one', async () => {
  const first = reading.refresh();
  reads[1]?.resolve();
  const second = first.then(() => reading.refresh());
  await first;
  await vi.advanceTimersByTimeAsync(0);
  expect(reads).toHaveLength(3);
  reads[2]?.resolve();
  await second;
});
