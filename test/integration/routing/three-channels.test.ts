import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SandboxArrival } from '../../../src/channels/sandbox/provider.ts';
import type { Channel } from '../../../src/kernel/channel.ts';
import type { SuccessStatus } from '../../../src/kernel/status.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { followSends } from '../../../src/modules/routing/follow-ups/follow-sends.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { createFollowUps, type FollowUps } from '../../support/messaging/follow-ups.ts';
import { newPhone } from '../../support/otp/pins.ts';
import {
  createTestServices,
  makeAccount,
  OPERATOR,
  type TestAccount,
  type TestServices,
} from '../../support/services.ts';

let t: TestServices;
let account: TestAccount;
let waits: FollowUps;
/** The provider's ids of the attempts of the test, by channel. */
let taken: Map<Channel, string>;
/** The event while a channel is asked. */
let whileAsked: (channel: Channel) => Promise<unknown>;

beforeAll(async () => {
  const keepArrival = async ({ request: { channel }, providerMessageId }: SandboxArrival): Promise<void> => {
    taken.set(channel, providerMessageId);
    await whileAsked(channel);
  };
  // Phones that report nothing: here the receipts are the test's.
  t = await createTestServices({ sandbox: { keepArrival } });
  waits = createFollowUps(t);
});
beforeEach(async () => {
  taken = new Map();
  whileAsked = async () => undefined;
  account = await makeAccount(t.services);
  await waits.listen(account);
});
afterAll(() => t.close());

async function send(successStatus: SuccessStatus, channels: Channel[]): Promise<string> {
  const { id } = await sendMessage(t.ctxFor(account.actor('unified')), {
    to: newPhone(),
    text: 'Your parcel arrives today.',
    channels,
    chatFrom: '15550000001',
    sender: 'ACME',
    cloudTemplate: { name: 'order', language: 'en' },
    fallbackAfter: 30,
    successStatus,
  });
  return id;
}

async function follow(id: string): Promise<void> {
  await waits.comeDue(id);
  await followSends(t.ctxFor(OPERATOR), MESSAGE);
}

const report = (channel: Channel, status: 'delivered' | 'read') =>
  recordReceipts(t.ctxFor(OPERATOR), [
    { provider: 'sandbox', providerMessageId: taken.get(channel) ?? '', status, errorCode: null, errorMessage: null },
  ]);

describe('a send over three channels that wants read', () => {
  test('goes over the third though the first has delivered what nobody read', async () => {
    const id = await send('read', ['chat_qr', 'sms', 'chat_cloud']);
    await report('chat_qr', 'delivered');
    await follow(id);
    await follow(id);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr delivered', 'sms sent', 'chat_cloud sent']);
  });

  test('goes over the third though the first delivers while the second has its time', async () => {
    const id = await send('read', ['chat_qr', 'sms', 'chat_cloud']);
    await follow(id);
    await report('chat_qr', 'delivered');
    expect(await waits.of(id)).toMatchObject({ wanted: 'delivered' });
  });

  test('is over when a late SMS has done its best', async () => {
    const id = await send('read', ['sms', 'chat_qr', 'chat_cloud']);
    await follow(id);
    await report('sms', 'delivered');
    expect(await waits.of(id)).toBeNull();
    expect(await waits.attemptsOf(id)).toEqual(['sms delivered', 'chat_qr sent']);
    expect(await waits.eventsOf(id)).toEqual(['sms.sent', 'message.sent', 'message.routed']);
  });
});

describe('a first channel that delivers while the second is asked', () => {
  test('leaves nothing to wait for', async () => {
    const id = await send('delivered', ['chat_qr', 'chat_cloud', 'sms']);
    whileAsked = () => report('chat_qr', 'delivered');
    await follow(id);
    expect(await waits.of(id)).toBeNull();
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr delivered', 'chat_cloud sent']);
    expect(await waits.eventsOf(id)).toEqual(['message.sent', 'message.routed']);
  });

  test('leaves the second its time where read is wanted', async () => {
    const id = await send('read', ['chat_qr', 'chat_cloud', 'sms']);
    whileAsked = () => report('chat_qr', 'delivered');
    await follow(id);
    expect(await waits.of(id)).toMatchObject({ wanted: 'read', is_taken: false });
  });
});
