import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { personOf } from '../../../src/channels/chat-qr/driver/inbound.ts';
import { Link } from '../../../src/channels/chat-qr/driver/link.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;

/** Hands news over to a gateway that refuses them, and answers how often it was told them within an hour and whether that has ended. */
async function handOver(isUnheard: boolean) {
  const seen = { told: 0, hasEnded: false };
  const link = new Link(news => {
    seen.told += 1;
    if ('call' in news) queueMicrotask(() => link.settle({ type: 'refusal', call: news.call, isUnheard }));
  });
  void link.handOver({ type: 'reports', connectionId: 'con_1', reports: [] }).then(() => {
    seen.hasEnded = true;
  });
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  return seen;
}

test('news of a number that the gateway does not have are told again for some minutes, and no longer', async () => {
  expect(await handOver(true)).toEqual({ told: 300, hasEnded: true });
});

test('news that the gateway cannot store are told again until it can', async () => {
  expect(await handOver(false)).toEqual({ told: 1_801, hasEnded: false });
});

test.each([
  [{ remoteJid: '12025550100:3@s.whatsapp.net' }, { number: '12025550100', userId: null }],
  [{ remoteJid: '12025550100:99@hosted' }, { number: '12025550100', userId: null }],
  [
    { remoteJid: '77:99@hosted.lid', remoteJidAlt: '12025550100@hosted' },
    { number: '12025550100', userId: '77@lid' },
  ],
  // Mexico dropped the 1 of mobiles, and WhatsApp did not.
  [{ remoteJid: '5215512345678@s.whatsapp.net' }, { number: '525512345678', userId: null }],
  [{ remoteJid: '77@lid' }, { number: null, userId: '77@lid' }],
])('a person is known by each kind of address: %o', async (key, person) => {
  expect(await personOf(key, async () => null)).toEqual(person);
});
