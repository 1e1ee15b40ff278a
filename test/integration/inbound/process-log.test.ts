import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createConnection, shownReceiptsUrl } from '../../../src/modules/connections/manage-connections.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { Told } from '../../support/leaks/leak-scan.ts';
import { gatewayConfig } from '../../support/providers/gateway-peer.ts';
import { TWILIO_ACCOUNT } from '../../support/providers/twilio-peer.ts';
import { VONAGE_ACCOUNT } from '../../support/providers/vonage-peer.ts';
import { OPERATOR } from '../../support/services.ts';
import { delivery, ID, startScriptedSmsc } from '../../support/smpp/scripted-smsc.ts';

/** Everything that the process logs, at the level trace. */
const told = new Told();

const on = setUpApp({ log: told.logger() });
const customer = setUpOwnCustomer(on, { senders: [{ channel: 'sms', address: '123', isDefault: true }] });
beforeAll(async () => void (await on.app.start()));

/** A text that no encoding of an address or a form changes. */
const TEXT = 'Kornblumenblau';

const logged = (text: string) => told.find({ codes: new Set(), lines: new Set([text]) });

const PHONE = '+12025550142';

/** How a provider brings a text. */
interface Way {
  readonly config: object;
  /** @param to a sender @param isRight whether it proves who it is */
  readonly bring: (url: string, to: string, isRight: boolean) => Promise<{ readonly status: number }>;
}

const INBOUND = { from: 'query:from', to: 'query:to', text: 'query:text', messageId: 'query:id' };

const pathOf = (url: string): string => new URL(url).pathname;

/** The address of a connection, or one with another token. */
const addressOf = (url: string, isRight: boolean): string =>
  isRight ? pathOf(url) : pathOf(url).replace('/inbound', 'x/inbound');

const WAYS: Readonly<Record<string, Way>> = {
  'http-sms': {
    config: { ...gatewayConfig('http://127.0.0.1:9'), inbound: INBOUND },
    bring: (url, to, isRight) => {
      const query = new URLSearchParams({ from: PHONE, to, text: TEXT, id: 'g-1' });
      return on.rest('GET', `${addressOf(url, isRight)}?${query}`);
    },
  },
  twilio: {
    config: TWILIO_ACCOUNT,
    bring: (url, to, isRight) => {
      const form = { Body: TEXT, From: PHONE, MessageSid: 'SM1', NumMedia: '0', To: to };
      const key = isRight ? TWILIO_ACCOUNT.authToken : 'another-token';
      const signature = createHmac('sha1', key)
        .update(`${url}${Object.entries(form).flat().join('')}`)
        .digest('base64');
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
      return on.rest('POST', pathOf(url), { headers, body: new URLSearchParams(form).toString() });
    },
  },
  vonage: {
    config: VONAGE_ACCOUNT,
    bring: (url, to, isRight) => {
      const body = JSON.stringify({ msisdn: '12025550142', to, type: 'text', text: TEXT, messageId: 'V1' });
      return on.rest('POST', addressOf(url, isRight), { headers: { 'content-type': 'application/json' }, body });
    },
  },
};

async function connect(provider: string, config: object, accountId: string | null): Promise<string> {
  const ctx = on.app.makeCtx(OPERATOR, 'test');
  const connection = await createConnection(ctx, {
    accountId,
    provider,
    channel: 'sms',
    name: provider,
    config: { ...config },
  });
  await on.app.services.providers.refresh();
  return `${shownReceiptsUrl(ctx, connection)}/inbound`;
}

const received = () => on.sql('select text from inbound_messages where account_id = $1', [toUuid(customer.accountId)]);

describe.each(Object.entries(WAYS))('a text that comes by %s', (provider, { config, bring }) => {
  test('is in no line of the log of the process, at the level trace', async () => {
    const url = await connect(provider, config, customer.accountId);
    expect(await bring(url, '123', true)).toMatchObject({ status: 200 });
    expect(await received()).toEqual([{ text: TEXT }]);
    expect(logged(TEXT)).toEqual([]);
  });

  test('is in none where another one brings it', async () => {
    const url = await connect(provider, config, customer.accountId);
    expect(await bring(url, '123', false)).toMatchObject({ status: 403 });
    expect(await received()).toEqual([]);
    expect(logged(TEXT)).toEqual([]);
  });

  test('is in none where it comes to a sender of nobody, which a line tells', async () => {
    const url = await connect(provider, config, null);
    told.forget();
    expect(await bring(url, `N${provider.slice(0, 5)}`.replace('-', ''), true)).toMatchObject({ status: 200 });
    expect(logged('a message came to a sender of no account')).not.toEqual([]);
    expect(logged(TEXT)).toEqual([]);
  });
});

test('a text that comes by an SMSC is in no line of the log of the process, at the level trace', async () => {
  await using smsc = await startScriptedSmsc();
  const config = { host: '127.0.0.1', port: smsc.port, systemId: 'gateway', password: 'secret' };
  await connect('smpp', config, customer.accountId);
  const session = await smsc.connection(0);
  await session.of(ID.bind, 1);
  session.write(delivery(1, 0, TEXT));
  expect(await session.of(0x80000000 + ID.deliver, 1)).toMatchObject([{ status: 0 }]);
  expect(await received()).toEqual([{ text: TEXT }]);
  expect(logged(TEXT)).toEqual([]);
  expect(logged('"level":')).not.toEqual([]);
});
