import { expect, test } from 'vitest';
import type { Capabilities, Provider } from '../../../src/channels/contract.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { acceptedOutcome, providersOf } from '../../support/app.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { createFollowUps } from '../../support/messaging/follow-ups.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeAccount } from '../../support/services.ts';

let told: Omit<Capabilities, 'channels'>;
const provider: Provider = {
  id: 'scripted',
  get capabilities() {
    return { channels: ['sms', 'chat_qr'] as const, ...told };
  },
  send: async () => acceptedOutcome(),
};
const t = setUpServices({ providers: providersOf(provider) });

test.each<[string, Omit<Capabilities, 'channels'>, object | null]>([
  ['tell arrivals', { receipts: 'http' }, { wanted: 'delivered' }],
  ['tell no arrival', { receipts: 'http', arrivals: false }, null],
  ['do not exist', { receipts: 'none' }, null],
])('a channel whose receipts %s is waited for only if they could end the wait', async (_what, facts, wait) => {
  told = facts;
  const account = await makeAccount(t.services);
  const { id } = await sendMessage(t.ctxFor(account.actor('unified')), {
    to: newPhone(),
    text: 'Your parcel arrives today.',
    channels: ['sms', 'chat_qr'],
    chatFrom: '15550000001',
    sender: 'ACME',
    fallbackAfter: 30,
  });
  const found = await createFollowUps({ sql: (text, parameters) => t.sql(text, parameters) }).of(id);
  expect(found).toEqual(wait && expect.objectContaining(wait));
});
