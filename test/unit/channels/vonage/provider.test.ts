import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Provider } from '../../../../src/channels/contract.ts';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import { vonageConfig } from '../../../../src/channels/vonage/config.ts';
import { vonage } from '../../../../src/channels/vonage/provider.ts';
import {
  farDeadline,
  json,
  openPeer,
  RECEIPTS_URL,
  type Reply,
  requestTo,
  SERVICES,
} from '../../../support/providers/http-peer.ts';
import {
  VONAGE_ACCOUNT,
  vonagePart,
  vonageProtocol,
  vonageRefusal,
  vonageReply,
} from '../../../support/providers/vonage-peer.ts';

function create(rest: Readonly<Record<string, string>>): Provider {
  const provider = vonage.create(vonageConfig.parse({ ...VONAGE_ACCOUNT, ...rest }), SERVICES);
  onTestFinished(() => provider.close?.());
  return provider;
}

/** The form that Vonage is sent. */
async function formOf(request: Parameters<typeof requestTo>[1]) {
  const peer = await openPeer(vonageProtocol);
  const outcome = await create({ baseUrl: peer.origin }).send(requestTo('4915112345678', request), farDeadline());
  expect(outcome).toEqual({ kind: 'accepted', providerMessageId: expect.stringMatching(/^[0-9A-F]{16}$/) });
  return Object.fromEntries(peer.received[0]?.form ?? []);
}

test('sends what Vonage asks for', async () => {
  expect(await formOf({ attemptId: 'att_1', from: 'ACME', text: 'Grüße & 100 % €' })).toEqual({
    api_key: VONAGE_ACCOUNT.apiKey,
    api_secret: VONAGE_ACCOUNT.apiSecret,
    from: 'ACME',
    to: '4915112345678',
    text: 'Grüße & 100 % €',
    'client-ref': 'att_1',
    callback: RECEIPTS_URL,
  });
});

test.each(['Ж', 'ç', '😀', '`'])('says of a text with %s that it is not GSM', async character => {
  expect(await formOf({ text: `a ${character}` })).toMatchObject({ type: 'unicode', text: `a ${character}` });
});

test.each([
  [1, '20000'],
  [20, '20000'],
  [299.9, '299900'],
  [604_800, '604800000'],
  [999_999, '604800000'],
])('%d s of validity go as %s ms', async (validitySeconds, expected) => {
  expect(await formOf({ validitySeconds })).toMatchObject({ ttl: expected });
});

test('a base URL may have a path', async () => {
  const peer = await openPeer(vonageProtocol);
  peer.say(vonageReply(vonagePart()));
  await create({ baseUrl: `${peer.origin}/proxy/` }).send(requestTo('4915112345678'), farDeadline());
  expect(peer.received[0]?.target).toBe('/proxy/sms/json');
});

test('wrong credentials are the fault of the connection', async () => {
  const peer = await openPeer(vonageProtocol);
  const outcome = await create({ baseUrl: peer.origin, apiSecret: 'wrong' }).send(
    requestTo('4915112345678'),
    farDeadline(),
  );
  expect(outcome).toEqual({ kind: 'rejected', code: 'vonage_4', message: 'Bad Credentials', isOwn: true });
});

async function outcomeOf(reply: Reply): Promise<SendOutcome> {
  const peer = await openPeer(vonageProtocol);
  peer.say(reply);
  return create({ baseUrl: peer.origin }).send(requestTo('4915112345678', { attemptId: 'att_1' }), farDeadline());
}

test('several parts are accepted with all their ids', async () => {
  const parts = ['A1', 'A2', 'A3'].map(id => ({ ...vonagePart(), 'message-id': id }));
  expect(await outcomeOf(vonageReply(...parts))).toEqual({
    kind: 'accepted',
    providerMessageId: 'A1',
    partIds: ['A1', 'A2', 'A3'],
  });
});

test('a part without an id goes by the attempt, which receipts repeat', async () => {
  expect(await outcomeOf(vonageReply({ status: '0' }))).toEqual({ kind: 'accepted', providerMessageId: 'att_1' });
});

test('a status may be a number', async () => {
  const reply = json(200, { messages: [{ status: 0, 'message-id': 'A1' }] });
  expect(await outcomeOf(reply)).toEqual({ kind: 'accepted', providerMessageId: 'A1' });
});

test.each([
  [[vonagePart(), vonageRefusal('1', 'Throttled')]],
  [[vonageRefusal('9', 'Quota'), vonagePart()]],
  [[vonagePart(), vonageRefusal('5', 'Internal'), vonagePart()]],
])('parts that were taken beside parts that were refused are never sent again: %#', async parts => {
  expect(await outcomeOf(vonageReply(...parts))).toEqual({
    kind: 'unknown',
    code: 'vonage_partial',
    message: `Vonage took only some of the ${parts.length} parts.`,
    partIds: parts.map((part, index) => part['message-id'] ?? `att_1.${index + 1}`),
  });
});

test('parts that were all refused are refused', async () => {
  const reply = vonageReply(vonageRefusal('9', 'Quota Exceeded'), vonageRefusal('9', 'Quota Exceeded'));
  expect(await outcomeOf(reply)).toEqual({
    kind: 'rejected',
    code: 'vonage_9',
    message: 'Quota Exceeded',
    isOwn: true,
  });
});

test.each(['2', '3', '6', '7', '12', '33'])('%s is for the recipient or the text', async status => {
  const outcome = await outcomeOf(vonageReply(vonageRefusal(status, 'No way')));
  expect(outcome).toEqual({ kind: 'rejected', code: `vonage_${status}`, message: 'No way' });
});

test.each(['4', '8', '9', '11', '14', '15', '22', '23', '29', '32', '999', 'constructor'])(
  '%s is for another connection',
  async status => {
    const outcome = await outcomeOf(vonageReply(vonageRefusal(status, 'No way')));
    expect(outcome).toEqual({ kind: 'rejected', code: `vonage_${status}`, message: 'No way', isOwn: true });
  },
);

test('a status that is no word is not repeated', async () => {
  const outcome = await outcomeOf(vonageReply(vonageRefusal('a b', '')));
  expect(outcome).toMatchObject({ code: 'vonage_unknown', message: 'Vonage refused the message (vonage_unknown).' });
});

test.each(['1', '10'])('%s is one too many', async status => {
  const reply = { ...vonageReply(vonageRefusal(status, 'Slowly')), headers: { 'retry-after': '2' } };
  const throttled = { kind: 'throttled', code: `vonage_${status}`, message: 'Slowly' };
  expect(await outcomeOf(reply)).toEqual({ ...throttled, retryAfterMs: 2_000 });
  expect(await outcomeOf(vonageReply(vonageRefusal(status, 'Slowly')))).toEqual({ ...throttled, retryAfterMs: 1_000 });
});

test('5 is Vonage itself', async () => {
  const outcome = await outcomeOf(vonageReply(vonageRefusal('5', 'Internal Error')));
  expect(outcome).toEqual({ kind: 'unavailable', code: 'vonage_5', message: 'Internal Error' });
});

test.each([
  [401, 'rejected'],
  [404, 'rejected'],
  [429, 'throttled'],
  [500, 'unknown'],
  [502, 'unknown'],
  [503, 'unavailable'],
  [504, 'unknown'],
])('HTTP %d is %s', async (status, kind) => {
  const outcome = await outcomeOf({ status, body: 'no' });
  expect(outcome).toMatchObject({ kind, code: `http_${status}`, ...(kind === 'rejected' ? { isOwn: true } : {}) });
});

test.each(['', '{', 'null', '{}', '{"messages":[]}', '{"messages":[{}]}', '<html>'])(
  'an answer that cannot be read may be that of a message: %s',
  async body => {
    expect(await outcomeOf({ status: 200, body })).toMatchObject({ kind: 'unknown', code: 'answer_unreadable' });
  },
);

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['no key', { apiKey: '' }, 'apiKey must not be empty'],
  ['a secret of two lines', { apiSecret: 'a\nb' }, 'apiSecret must be printable ASCII'],
  ['an empty signature secret', { signatureSecret: '' }, 'signatureSecret must not be empty'],
  ['another scheme', { baseUrl: 'file:///x' }, 'baseUrl must be a whole URL'],
  ['a member that does not exist', { secret: 'x' }, ' Unrecognized key'],
])('refuses %s', (_what, rest, expected) => {
  const issue = vonageConfig.safeParse({ ...VONAGE_ACCOUNT, ...rest }).error?.issues[0];
  expect(`${issue?.path.join('.')} ${issue?.message}`.slice(0, expected.length)).toBe(expected);
});

test('can be made a form of', () => {
  const { properties } = z.toJSONSchema(vonageConfig, { io: 'input' });
  expect(Object.keys(properties ?? {})).toEqual(['apiKey', 'apiSecret', 'signatureSecret', 'baseUrl']);
  expect(properties).toMatchObject({ apiSecret: { secret: true }, signatureSecret: { secret: true } });
  for (const member of Object.values(properties ?? {})) {
    expect(member).toMatchObject({ title: expect.stringMatching(/./), description: expect.stringMatching(/./) });
  }
});
