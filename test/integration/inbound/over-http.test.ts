import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createConnection, shownReceiptsUrl } from '../../../src/modules/connections/manage-connections.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { gatewayConfig } from '../../support/providers/gateway-peer.ts';
import { TWILIO_ACCOUNT } from '../../support/providers/twilio-peer.ts';
import { VONAGE_ACCOUNT } from '../../support/providers/vonage-peer.ts';
import { loggedRequests } from '../../support/requests/logged-requests.ts';
import { OPERATOR } from '../../support/services.ts';

const lines: { level: string; connectionId?: string; msg?: string }[] = [];
const on = setUpApp({ log: createLogger('warn', { write: line => void lines.push(JSON.parse(line)) }) });
const customer = setUpOwnCustomer(on);

/** Connects a provider for the customer, and answers the address of what people write by it. */
async function connect(provider: string, config: object): Promise<string> {
  const ctx = on.app.makeCtx(OPERATOR, 'test');
  const { accountId } = customer;
  const input = { accountId, provider, channel: 'sms', name: provider, config: { ...config } } as const;
  const connection = await createConnection(ctx, input);
  await on.app.services.providers.refresh();
  return `${shownReceiptsUrl(ctx, connection)}/inbound`;
}

const pathOf = (url: string): string => new URL(url).pathname;

const received = async () => {
  const { data } = await on.graphql<{ inboundMessages: { nodes: Record<string, string>[] } }>(
    '{ inboundMessages { nodes { from to type text } } }',
    { token: customer.tokens.unified },
  );
  return data?.inboundMessages.nodes;
};

/** How many calls of a provider nobody could read. */
const unreadable = async (provider: string): Promise<number> => {
  const { values } = await on.app.services.metrics.inbound.get();
  return values.find(({ labels }) => labels.provider === provider && labels.result === 'unreadable')?.value ?? 0;
};

const YES = { from: '12025550142', to: 'ACME', type: 'text', text: 'Yes, please.' };

describe('an HTTP gateway', () => {
  const inbound = { from: 'query:from', to: 'query:to', text: 'query:text', messageId: 'query:id' };
  const connected = () => connect('http-sms', { ...gatewayConfig('http://127.0.0.1:9'), inbound });
  const query = new URLSearchParams({ from: '+12025550142', to: 'ACME', text: 'Yes, please.', id: 'g-1' });

  test('brings what people write, and gets an answer without a body, which some send on', async () => {
    const path = pathOf(await connected());
    expect(await on.rest('GET', `${path}?${query}`)).toMatchObject({ status: 200, text: '' });
    expect(await on.rest('GET', `${path}/?${query}`)).toMatchObject({ status: 200, text: '' });
    expect(await received()).toEqual([YES]);
  });

  test('is refused where its config does not say how to read it, so that it keeps the message', async () => {
    const path = pathOf(await connect('http-sms', gatewayConfig('http://127.0.0.1:9')));
    expect(await on.rest('GET', `${path}?${query}`)).toMatchObject({ status: 403 });
    expect(await received()).toEqual([]);
  });

  test.each([
    ['a form', 'application/x-www-form-urlencoded', 'from=12025550142&to=ACME&text=STOP'],
    ['JSON without a sender of ours', 'application/json', '{"from":"12025550142","text":"STOP"}'],
    ['JSON without a writer', 'application/json', '{"to":"ACME","text":"STOP"}'],
    ['no JSON', 'application/json', '{"from'],
  ])('is refused with %s that its config does not fit, and counted', async (_what, type, body) => {
    const places = { from: 'json:/from', to: 'json:/to', text: 'json:/text' };
    const path = pathOf(await connect('http-sms', { ...gatewayConfig('http://127.0.0.1:9'), inbound: places }));
    const before = await unreadable('http-sms');
    expect(await on.rest('POST', path, { headers: { 'content-type': type }, body })).toMatchObject({ status: 400 });
    expect(await unreadable('http-sms')).toBe(before + 1);
    const told = lines.filter(({ connectionId }) => path.includes(connectionId ?? 'none'));
    expect(told).toMatchObject([{ msg: expect.stringContaining('no message could be read') }]);
    expect(JSON.stringify(told)).not.toMatch(/STOP|12025550142/);
  });

  test('may try the address with nothing in the call', async () => {
    const path = pathOf(await connected());
    const before = await unreadable('http-sms');
    expect(await on.rest('GET', path)).toMatchObject({ status: 200, text: '' });
    expect(await on.rest('POST', path, { body: '' })).toMatchObject({ status: 200, text: '' });
    expect(await unreadable('http-sms')).toBe(before);
  });

  test('is refused with another token, which the request log does not show', async () => {
    const [, , connectionId = '', token = ''] = pathOf(await connected()).split('/');
    const answer = await on.rest('GET', `/receipts/${connectionId}/${token}x/inbound?${query}`);
    expect(answer).toMatchObject({ status: 403 });
    expect(await received()).toEqual([]);
    const kept = (await loggedRequests(on, null)).filter(({ path }) => path.includes(connectionId));
    expect(kept).toMatchObject([{ path: `/receipts/${connectionId}/…/inbound`, status: 403 }]);
  });
});

describe('Twilio', () => {
  const FORM = { Body: 'Yes, please.', From: '+12025550142', MessageSid: 'SM1', NumMedia: '0', To: 'ACME' };

  const post = (url: string, token: string, more: Record<string, string> = {}) => {
    const form = { ...FORM, ...more };
    const sorted = Object.entries(form).sort(([a], [b]) => (a < b ? -1 : 1));
    const signed = `${url}${sorted.flat().join('')}`;
    const signature = createHmac('sha1', token).update(signed).digest('base64');
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
    return on.rest('POST', pathOf(url), { headers, body: new URLSearchParams(form).toString() });
  };

  test.each([
    ['is answered by the account', {}, 1],
    ['is answered by nobody else where Twilio has answered', { OptOutType: 'STOP' }, 0],
  ])('a stop %s', async (_what, more, answers) => {
    await on.sql(`delete from pgboss.job where name = 'answer-word'`);
    await on.graphql('mutation { updateOptOutSettings(input: { stopText: "Bye." }) { stopText } }', {
      token: customer.tokens.management,
    });
    const url = await connect('twilio', TWILIO_ACCOUNT);
    await post(url, TWILIO_ACCOUNT.authToken, { Body: 'Stop', ...more });
    const [row] = await on.sql<{ n: number }>(
      `select count(*)::int as n from pgboss.job where name = 'answer-word' and data->>'accountId' = $1`,
      [customer.accountId],
    );
    expect(row?.n).toBe(answers);
  });

  test.each([
    ['DETENER', 'STOP', true],
    ['Stop', 'HELP', false],
    ['Alles klar', 'LATER', false],
  ])('has the last word on %j, which it took for %s', async (Body, OptOutType, isSuppressed) => {
    const url = await connect('twilio', TWILIO_ACCOUNT);
    await post(url, TWILIO_ACCOUNT.authToken, { Body, OptOutType });
    expect(on.app.services.suppressed.has(customer.accountId, '12025550142')).toBe(isSuppressed);
  });

  test('takes a person off the list by the word that was set there', async () => {
    const url = await connect('twilio', TWILIO_ACCOUNT);
    await post(url, TWILIO_ACCOUNT.authToken, { Body: 'Stop' });
    expect(on.app.services.suppressed.has(customer.accountId, '12025550142')).toBe(true);
    await post(url, TWILIO_ACCOUNT.authToken, { MessageSid: 'SM2', Body: 'UNIRSE', OptOutType: 'START' });
    expect(on.app.services.suppressed.has(customer.accountId, '12025550142')).toBe(false);
  });

  test('brings what it has signed, and repeats it', async () => {
    const url = await connect('twilio', TWILIO_ACCOUNT);
    expect(await post(url, TWILIO_ACCOUNT.authToken)).toMatchObject({ status: 200, text: '' });
    expect(await post(url, TWILIO_ACCOUNT.authToken)).toMatchObject({ status: 200, text: '' });
    expect(await received()).toEqual([YES]);
  });

  test('is answered 200 for what names nobody, which is counted', async () => {
    const before = await unreadable('twilio');
    const url = await connect('twilio', TWILIO_ACCOUNT);
    expect(await post(url, TWILIO_ACCOUNT.authToken, { From: '' })).toMatchObject({ status: 200, text: '' });
    expect(await unreadable('twilio')).toBe(before + 1);
    expect(await received()).toEqual([]);
  });

  test('is refused where another one has signed', async () => {
    expect(await post(await connect('twilio', TWILIO_ACCOUNT), 'another-token')).toMatchObject({ status: 403 });
    expect(await received()).toEqual([]);
  });
});

describe('Vonage', () => {
  test.each([[[1, 2]], [[2, 1]]])('brings the parts %j of a text, each repeated, as one', async order => {
    const path = pathOf(await connect('vonage', VONAGE_ACCOUNT));
    for (const number of [...order, ...order]) {
      const part = { 'concat-ref': '9', 'concat-total': '2', 'concat-part': `${number}`, messageId: `V${number}` };
      const text = number === 1 ? 'Yes, ' : 'please.';
      const body = JSON.stringify({ msisdn: '12025550142', to: 'ACME', type: 'text', text, concat: 'true', ...part });
      const headers = { 'content-type': 'application/json' };
      expect(await on.rest('POST', path, { headers, body })).toMatchObject({ status: 200, text: '' });
    }
    expect(await received()).toEqual([YES]);
  });
});
