import { beforeAll, describe, expect, test } from 'vitest';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { listInbound } from '../../../src/modules/inbound/list-inbound.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { until } from '../../support/processes/gateway.ts';
import { OPERATOR } from '../../support/services.ts';
import { missing, startPerlSmsc } from '../../support/smpp/programs.ts';

const absent = missing(['libnet-smpp-perl']);

const on = setUpApp();
const customer = setUpOwnCustomer(on, {
  senders: [
    { channel: 'sms', address: 'ECHO', isDefault: true },
    { channel: 'sms', address: 'ECHOBACK' },
  ],
});
beforeAll(async () => void (await on.app.start()));

const LONG = 'All that a phone can write: é, €, {}. '.repeat(10);

describe.skipIf(absent !== null)('a phone behind an SMSC answers', () => {
  const smsc = oncePerTest(
    () => startPerlSmsc(),
    peer => peer[Symbol.asyncDispose](),
  );

  test.each([
    ['ECHO', 'udh8', 'Yes, please.'],
    ['ECHO', 'udh8', 'Да 👍'],
    ['ECHO', 'udh8', LONG],
    ['ECHOBACK', 'udh8', LONG],
    ['ECHOBACK', 'udh16', LONG],
    ['ECHOBACK', 'sar', LONG],
    ['ECHOBACK', 'udh8', `${LONG}👍`],
  ])('to %s by %s: %j', async (sender, longMessages, text) => {
    const { id } = await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
      accountId: customer.accountId,
      provider: 'smpp',
      channel: 'sms',
      name: 'Carrier',
      config: { host: '127.0.0.1', port: smsc.port, systemId: 'gateway', password: 'secret', longMessages },
    });
    await on.app.services.providers.refresh();
    expect(on.app.services.providers.of(id)).not.toBeNull();
    // No text waits for the first bind for longer than a second.
    await smsc.line(/^bind /);
    // The SMSC takes what ends so.
    const phone = newRecipient().replace(/.$/, '0');
    const { body } = await on.rest('POST', '/api/sms/send', {
      token: customer.tokens.sms,
      body: { to: `+${phone}`, text, sender },
    });
    expect(body.data).toMatchObject({ status: 'sent' });
    const message = await until('the answer is there', async () => {
      const { rows } = await listInbound(on.app.makeCtx(customer.actor('unified'), 'test'), {});
      return rows[0] ?? null;
    });
    expect(message).toMatchObject({ fromNumber: phone, toAddress: sender, type: 'text', text, connectionId: id });
  });
});
