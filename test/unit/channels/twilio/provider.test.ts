import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Provider } from '../../../../src/channels/contract.ts';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import { twilioConfig } from '../../../../src/channels/twilio/config.ts';
import { twilio } from '../../../../src/channels/twilio/provider.ts';
import {
  farDeadline,
  openPeer,
  RECEIPTS_URL,
  type Reply,
  requestTo,
  SERVICES,
} from '../../../support/providers/http-peer.ts';
import { TWILIO_ACCOUNT, twilioError, twilioMessage, twilioProtocol } from '../../../support/providers/twilio-peer.ts';

const SERVICE = `MG${'0'.repeat(31)}f`;

function create(rest: Readonly<Record<string, string>>): Provider {
  const provider = twilio.create(twilioConfig.parse({ ...TWILIO_ACCOUNT, ...rest }), SERVICES);
  onTestFinished(() => provider.close?.());
  return provider;
}

/** The form that Twilio is sent. */
async function formOf(request: Parameters<typeof requestTo>[1], config: Readonly<Record<string, string>> = {}) {
  const peer = await openPeer(twilioProtocol);
  const provider = create({ baseUrl: peer.origin, ...config });
  expect(await provider.send(requestTo('4915112345678', request), farDeadline())).toMatchObject({ kind: 'accepted' });
  return Object.fromEntries(peer.received[0]?.form ?? []);
}

test('sends what Twilio asks for', async () => {
  expect(await formOf({ attemptId: 'att_1', from: 'ACME', text: 'Grüße & 100 % €' })).toEqual({
    To: '+4915112345678',
    From: 'ACME',
    Body: 'Grüße & 100 % €',
    StatusCallback: `${RECEIPTS_URL}?attempt=att_1`,
  });
});

test.each([
  ['15550000001', '+15550000001'],
  ['12345678', '12345678'],
  ['72404', '72404'],
  ['Acme 24', 'Acme 24'],
])('the sender %s goes as %s', async (from, expected) => {
  expect(await formOf({ from })).toMatchObject({ From: expected });
});

test('a messaging service stands for the sender', async () => {
  const form = await formOf({}, { messagingServiceSid: SERVICE });
  expect(form).toMatchObject({ MessagingServiceSid: SERVICE });
  expect(form).not.toHaveProperty('From');
});

test.each([
  [0.4, '1'],
  [1, '1'],
  [299.9, '299'],
  [36_000, '36000'],
  [90_000, '36000'],
])('%d s of validity go as %s', async (validitySeconds, expected) => {
  expect(await formOf({ validitySeconds })).toMatchObject({ ValidityPeriod: expected });
});

test('a base URL may have a path', async () => {
  const peer = await openPeer(twilioProtocol);
  peer.say(twilioMessage());
  await create({ baseUrl: `${peer.origin}/proxy/` }).send(requestTo('4915112345678'), farDeadline());
  expect(peer.received[0]?.target).toBe(`/proxy/2010-04-01/Accounts/${TWILIO_ACCOUNT.accountSid}/Messages.json`);
});

test('wrong credentials are the fault of the connection', async () => {
  const peer = await openPeer(twilioProtocol);
  const outcome = await create({ baseUrl: peer.origin, authToken: 'wrong' }).send(
    requestTo('4915112345678'),
    farDeadline(),
  );
  expect(outcome).toEqual({ kind: 'rejected', code: 'twilio_20003', message: 'Authenticate', isOwn: true });
});

async function outcomeOf(reply: Reply): Promise<SendOutcome> {
  const peer = await openPeer(twilioProtocol);
  peer.say(reply);
  return create({ baseUrl: peer.origin }).send(requestTo('4915112345678'), farDeadline());
}

test.each(['queued', 'accepted', 'scheduled', 'sending', 'sent'])('a message that is %s is accepted', async status => {
  expect(await outcomeOf(twilioMessage({ sid: 'SM77', status }))).toEqual({
    kind: 'accepted',
    providerMessageId: 'SM77',
  });
});

test.each([
  ['failed', 21211, {}],
  ['undelivered', 30007, { isOwn: true }],
])('a message that is %s at once is rejected, as its code says', async (status, code, own) => {
  const outcome = await outcomeOf(twilioMessage({ status, error_code: code, error_message: 'No way' }));
  expect(outcome).toEqual({ kind: 'rejected', code: `twilio_${code}`, message: 'No way', ...own });
});

test.each([21211, 21614, 30005, 30006, 21610, 21617])('%d is for the recipient or the text', async code => {
  const outcome = await outcomeOf(twilioError(400, code, 'No way'));
  expect(outcome).toEqual({ kind: 'rejected', code: `twilio_${code}`, message: 'No way' });
});

test.each([20003, 21212, 21606, 21612, 21408, 30007, 30008, 30003, 99999])(
  '%d is for another connection',
  async code => {
    const outcome = await outcomeOf(twilioError(400, code, 'No way'));
    expect(outcome).toEqual({ kind: 'rejected', code: `twilio_${code}`, message: 'No way', isOwn: true });
  },
);

test.each<[string, Reply, number]>([
  ['twilio_20429', twilioError(429, 20429, 'Too many', { 'retry-after': '4' }), 4_000],
  ['twilio_20429', twilioError(400, 20429, 'Too many'), 1_000],
  ['twilio_30001', twilioError(400, 30001, 'Too many'), 1_000],
  ['twilio_30001', twilioMessage({ status: 'failed', error_code: 30_001, error_message: 'Too many' }), 1_000],
])('%s is one too many', async (code, reply, retryAfterMs) => {
  expect(await outcomeOf(reply)).toEqual({ kind: 'throttled', code, message: 'Too many', retryAfterMs });
});

test('429 is one too many whatever it says', async () => {
  const outcome = await outcomeOf({ status: 429, body: 'slowly' });
  expect(outcome).toMatchObject({ kind: 'throttled', code: 'http_429', message: 'Twilio refused the message (429).' });
});

test.each([
  [500, 'unknown'],
  [502, 'unknown'],
  [503, 'unavailable'],
  [504, 'unknown'],
])('%d is %s', async (status, kind) => {
  expect(await outcomeOf(twilioError(status, 20500, 'Oh'))).toMatchObject({ kind, code: `http_${status}` });
});

test.each(['', '{', 'null', '[]', '{"sid":"","status":"queued"}', '{"status":"queued"}'])(
  'a message without an id may have been created: %s',
  async body => {
    expect(await outcomeOf({ status: 201, body })).toMatchObject({ kind: 'unknown', code: 'answer_unreadable' });
  },
);

test('an error without a code is for another connection', async () => {
  const outcome = await outcomeOf({ status: 404, body: '<html>' });
  expect(outcome).toEqual({
    kind: 'rejected',
    code: 'http_404',
    message: 'Twilio refused the message (404).',
    isOwn: true,
  });
});

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['another SID', { accountSid: 'AC123' }, 'accountSid must be AC and 32 hexadecimal digits'],
  [
    'a SID of two lines',
    { accountSid: `${TWILIO_ACCOUNT.accountSid}\n` },
    'accountSid must be AC and 32 hexadecimal digits',
  ],
  ['a token with a blank', { authToken: 'a b' }, 'authToken must have 1 to 128 printable characters'],
  ['no token', { authToken: '' }, 'authToken must have 1 to 128 printable characters'],
  ['another service', { messagingServiceSid: 'ACME' }, 'messagingServiceSid must be MG and 32 hexadecimal digits'],
  ['another scheme', { baseUrl: 'ftp://twilio' }, 'baseUrl must be a whole URL'],
  ['a password in the URL', { baseUrl: 'https://a:b@twilio' }, 'baseUrl must hold no user name'],
  ['a query', { baseUrl: 'https://twilio/?a' }, 'baseUrl must hold no user name'],
  ['a member that does not exist', { baseURL: 'https://twilio' }, ' Unrecognized key'],
])('refuses %s', (_what, rest, expected) => {
  const issue = twilioConfig.safeParse({ ...TWILIO_ACCOUNT, ...rest }).error?.issues[0];
  expect(`${issue?.path.join('.')} ${issue?.message}`.slice(0, expected.length)).toBe(expected);
});

test('can be made a form of', () => {
  const { properties } = z.toJSONSchema(twilioConfig, { io: 'input' });
  expect(Object.keys(properties ?? {})).toEqual(['accountSid', 'authToken', 'messagingServiceSid', 'baseUrl']);
  expect(properties).toMatchObject({ accountSid: { pattern: '^AC[0-9a-fA-F]{32}$' }, authToken: { secret: true } });
  for (const member of Object.values(properties ?? {})) {
    expect(member).toMatchObject({ title: expect.stringMatching(/./), description: expect.stringMatching(/./) });
  }
});
