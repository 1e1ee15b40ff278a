import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import type { Channel } from '../../../src/kernel/channel.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { acceptedOutcome, type Script, scriptedProviders } from '../../support/app.ts';
import { setUpServices, setUpSharedAccount } from '../../support/fixtures.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { createTestCtx, OPERATOR, storedMessage } from '../../support/services.ts';

const REFUSED: SendOutcome = { kind: 'rejected', code: 'refused', message: 'Refused.' };

let script: Script;
const t = setUpServices({ providers: scriptedProviders((request, signal) => script(request, signal)) });
const account = setUpSharedAccount(t);

// Only the clock that deadlines are measured by: the database goes on as ever.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Sends over three channels in turn, each of which takes `seconds` of the request's time and then refuses. */
async function sendSlowly(seconds: Partial<Record<Channel, number>>) {
  const tried: Channel[] = [];
  script = ({ channel }) => {
    tried.push(channel);
    vi.advanceTimersByTime((seconds[channel] ?? 0) * 1_000);
    return channel === 'sms' ? acceptedOutcome() : REFUSED;
  };
  const message = await sendMessage(t.ctxFor(account.actor('unified')), {
    to: '+12025550100',
    text: 'Hello',
    channels: ['chat_qr', 'chat_cloud', 'sms'],
    chatFrom: '15550000001',
    cloudTemplate: { name: 'hello', language: 'en' },
    sender: 'ACME',
  });
  return { tried, message };
}

test('a request whose 25 seconds are over begins no other attempt', async () => {
  const { tried, message } = await sendSlowly({ chat_qr: 9, chat_cloud: 16 });
  expect(tried).toEqual(['chat_qr', 'chat_cloud']);
  expect(message).toMatchObject({ status: 'failed', channel: null });
});

test('a request within its 25 seconds goes on to the last channel', async () => {
  const { tried, message } = await sendSlowly({ chat_qr: 9, chat_cloud: 15 });
  expect(tried).toEqual(['chat_qr', 'chat_cloud', 'sms']);
  expect(message).toMatchObject({ status: 'sent', channel: 'sms' });
});

/** A message whose process died while the first of its channels was asked, and what a recovery makes of it. */
async function recoverSlowly(seconds: number, recover = () => recoverSends(t.ctxFor(OPERATOR), MESSAGE)) {
  script = acceptedOutcome;
  const { id } = await sendMessage(t.ctxFor(account.actor('unified')), {
    to: '+12025550100',
    text: 'Hello',
    channels: ['chat_qr', 'chat_cloud', 'sms'],
    chatFrom: '15550000001',
    cloudTemplate: { name: 'hello', language: 'en' },
    sender: 'ACME',
  });
  await putUnderWay(t.sql, id);
  const tried: Channel[] = [];
  script = ({ channel }) => {
    tried.push(channel);
    if (channel === 'sms') return acceptedOutcome();
    vi.advanceTimersByTime(seconds * 1_000);
    return REFUSED;
  };
  await recover();
  return { tried, message: await storedMessage(t, id) };
}

test('a recovery ends within 15 seconds, so that a definite state comes within 35 of a restart', async () => {
  const { tried, message } = await recoverSlowly(15);
  expect(tried).toEqual(['chat_cloud']);
  expect(message).toMatchObject({ status: 'unknown' });
});

test('a recovery within its 15 seconds goes on to the last channel', async () => {
  const { tried, message } = await recoverSlowly(14);
  expect(tried).toEqual(['chat_cloud', 'sms']);
  expect(message).toMatchObject({ status: 'sent' });
});

test('a recovery that has seen the database away leaves sends to their owners for five seconds first', async () => {
  const { database } = t.services;
  let isAway = true;
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const sql: typeof database.sql = signal =>
    isAway ? { executeQuery: () => Promise.reject(away) } : database.sql(signal);
  const ctx = createTestCtx({ ...t.services, database: { ...database, sql } }, OPERATOR, t.clock);
  const taken: number[] = [];
  const { message } = await recoverSlowly(0, async () => {
    await expect(recoverSends(ctx, MESSAGE)).rejects.toThrow(away);
    // Still away: its owners' time has not begun.
    vi.advanceTimersByTime(5_000);
    await expect(recoverSends(ctx, MESSAGE)).rejects.toThrow(away);
    isAway = false;
    taken.push(await recoverSends(ctx, MESSAGE));
    vi.advanceTimersByTime(4_999);
    taken.push(await recoverSends(ctx, MESSAGE));
    vi.advanceTimersByTime(1);
    taken.push(await recoverSends(ctx, MESSAGE));
    return 0;
  });
  expect(taken).toEqual([0, 0, 1]);
  expect(message).toMatchObject({ status: 'sent' });
});
