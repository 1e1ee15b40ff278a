import { expect, onTestFinished, test } from 'vitest';
import type { Provider } from '../../../../src/channels/contract.ts';
import { httpSms } from '../../../../src/channels/http-sms/provider.ts';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import { gatewayConfig, gatewayProtocol } from '../../../support/providers/gateway-peer.ts';
import {
  farDeadline,
  openPeer,
  RECEIPTS_URL,
  type Reply,
  requestTo,
  SERVICES,
} from '../../../support/providers/http-peer.ts';

type Part = Readonly<Record<string, unknown>>;

function create(config: Part): Provider {
  const provider = httpSms.create(httpSms.configSchema.parse(config), SERVICES);
  onTestFinished(() => provider.close?.());
  return provider;
}

/** The outcome of a message when the gateway of the contract answers so. @param change the parts of its config that differ */
async function outcomeOf(reply: Reply, change: Part = {}, to = '4915112345678'): Promise<SendOutcome> {
  const peer = await openPeer(gatewayProtocol);
  peer.say(reply);
  return create({ ...gatewayConfig(peer.origin), ...change }).send(
    requestTo(to, { attemptId: 'att_1' }),
    farDeadline(),
  );
}

test.each([
  ['with receipts', {}, 'http'],
  ['without receipts', { receipt: undefined }, 'none'],
])('a gateway %s says that it has them so', (_what, change, receipts) => {
  const config = { ...gatewayConfig('http://127.0.0.1:1'), ...change };
  expect(create(config).capabilities.receipts).toBe(receipts);
});

test.each([
  ['delivered', { OK: 'delivered', NO: 'failed' }, undefined],
  ['read', { SEEN: 'read' }, undefined],
  ['neither delivered nor read', { NO: 'failed', OLD: 'expired' }, false],
  ['nothing', {}, false],
] as const)('a gateway whose statuses mean %s says whether it tells arrivals', (_what, map, arrivals) => {
  const config = gatewayConfig('http://127.0.0.1:1');
  const receipt = { attemptId: 'query:id', status: 'query:status', map };
  expect(create({ ...config, receipt }).capabilities.arrivals).toBe(arrivals);
});

const accepted = (providerMessageId: string) => ({ kind: 'accepted', providerMessageId });

test.each<[string, Reply, Part, object]>([
  ['the status that is accepted', { status: 202, body: '0: id=77 ok' }, {}, accepted('77')],
  ['an answer without an id', { status: 202, body: '0: ok' }, {}, accepted('att_1')],
  ['an id with blanks', { status: 202, body: '{"id":"a b"}' }, { messageId: 'json:/id' }, accepted('att_1')],
  ['an id that is too long', { status: 202, body: 'x'.repeat(256) }, { messageId: 'body:/x+/' }, accepted('att_1')],
  ['no place of an id', { status: 202, body: 'id=77' }, { messageId: undefined }, accepted('att_1')],
  [
    'an id in JSON',
    { status: 202, body: '{"a/b":[{"~id":"77"}]}' },
    { messageId: 'json:/a~1b/0/~0id' },
    accepted('77'),
  ],
  [
    'an id of twenty digits',
    { status: 202, body: '{"id":12345678901234567890}' },
    { messageId: 'json:/id' },
    accepted('12345678901234567890'),
  ],
  ['an id in a form', { status: 202, body: 'ok=1&id=7%2F7' }, { messageId: 'form:id' }, accepted('7/7')],
  ['an id in a header', { status: 202, headers: { 'X-Id': '77' } }, { messageId: 'header:X-ID' }, accepted('77')],
  ['an id as a whole match', { status: 202, body: 'ok A77' }, { messageId: 'body:/A\\d+/' }, accepted('A77')],
  ['a body that is accepted', { status: 500, body: 'OK 77' }, { accepted: { body: '/^OK/' } }, accepted('att_1')],
])('accepted: %s', async (_what, reply, change, expected) => {
  expect(await outcomeOf(reply, change)).toEqual(expected);
});

test.each<[string, Reply, Part, object]>([
  [
    'refused by its status',
    { status: 400, body: ' Bad\n number ' },
    {},
    { kind: 'rejected', code: 'http_400', message: 'Bad number' },
  ],
  [
    'refused without words',
    { status: 400 },
    {},
    { kind: 'rejected', code: 'http_400', message: 'The gateway answered 400.' },
  ],
  [
    'a password that is wrong, though 403 is refused',
    { status: 403, body: 'Authorization failed for sendsms' },
    {},
    { kind: 'rejected', code: 'http_403', message: 'Authorization failed for sendsms', isOwn: true },
  ],
  ['no right', { status: 401, body: 'no' }, {}, { kind: 'rejected', code: 'http_401', message: 'no', isOwn: true }],
  ['no credit', { status: 402, body: 'no' }, {}, { kind: 'rejected', code: 'http_402', message: 'no', isOwn: true }],
  [
    'a wrong address',
    { status: 404, body: 'no' },
    {},
    { kind: 'rejected', code: 'http_404', message: 'no', isOwn: true },
  ],
  [
    '404 where that is refused',
    { status: 404, body: 'no' },
    { rejected: { status: [404] } },
    { kind: 'rejected', code: 'http_404', message: 'no' },
  ],
  [
    'success that is not the right one',
    { status: 200, body: 'no' },
    {},
    { kind: 'rejected', code: 'http_200', message: 'no' },
  ],
  [
    'the right status with a wrong body',
    { status: 202, body: 'ERR 5' },
    { accepted: { status: [202], body: '/^OK/' } },
    { kind: 'rejected', code: 'http_202', message: 'ERR 5' },
  ],
  ['a server that fails', { status: 500, body: 'no' }, {}, { kind: 'unavailable', code: 'http_500', message: 'no' }],
  [
    'one too many',
    { status: 429, body: 'slowly', headers: { 'retry-after': '3' } },
    {},
    { kind: 'throttled', code: 'http_429', message: 'slowly', retryAfterMs: 3_000 },
  ],
  [
    'one too many without a time',
    { status: 429, body: 'slowly' },
    {},
    { kind: 'throttled', code: 'http_429', message: 'slowly', retryAfterMs: 1_000 },
  ],
  [
    'one too many until a date that is over',
    { status: 429, body: 'slowly', headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } },
    {},
    { kind: 'throttled', code: 'http_429', message: 'slowly', retryAfterMs: 0 },
  ],
  [
    'one too many by its body',
    { status: 200, body: 'ERR busy' },
    { throttled: { status: [200], body: '/busy/' } },
    { kind: 'throttled', code: 'http_200', message: 'ERR busy', retryAfterMs: 1_000 },
  ],
  [
    'a body that an engine which tries every way would search for ever',
    { status: 200, body: `${'a'.repeat(60_000)}!` },
    { accepted: { body: '/^(a+)+!!/' } },
    { kind: 'rejected', code: 'http_200', message: 'a'.repeat(200) },
  ],
])('not accepted: %s', async (_what, reply, change, expected) => {
  expect(await outcomeOf(reply, change)).toEqual(expected);
});

test('what the gateway says is cut, without half a character', async () => {
  const outcome = await outcomeOf({ status: 400, body: 'é😀'.repeat(200) });
  expect(outcome).toMatchObject({ message: `${'é😀'.repeat(67).slice(0, 199)}\ufffd` });
});

/** The reports of a request to the address of receipts. */
function reportsOf(provider: Provider, query: string, rest: { body?: string; headers?: Record<string, string> } = {}) {
  const { body = '', headers = {} } = rest;
  const method = body === '' ? 'GET' : 'POST';
  return provider.reportsOf?.({ method, url: `${RECEIPTS_URL}${query}`, headers, body: Buffer.from(body) });
}

test.each([
  ['1', 'delivered', null],
  ['2', 'failed', '2'],
  ['8', 'sent', null],
  ['16', 'failed', '16'],
  ['34', 'expired', '34'],
])('a receipt by the config of the contract: %s is %s', (word, status, errorCode) => {
  const reports = reportsOf(create(gatewayConfig('http://gateway')), `?attempt=att_1&status=${word}`);
  expect(reports).toEqual([{ providerMessageId: 'att_1', attemptId: 'att_1', status, errorCode, errorMessage: null }]);
});

test.each([
  '?attempt=att_1&status=4',
  '?attempt=att_1',
  '?status=1',
  '',
  '?attempt=&status=1',
  '?attempt=a&status=constructor',
])('a receipt that says nothing: %s', query => {
  expect(reportsOf(create(gatewayConfig('http://gateway')), query)).toEqual([]);
});

test.each<[string, Part, { body: string; headers?: Record<string, string> }]>([
  [
    'JSON',
    { messageId: 'json:/r/0/id', status: 'json:/r/0/state', errorCode: 'json:/r/0/error' },
    { body: '{"r":[{"id":98765432109876543210,"state":"UNDELIV","error":11}]}' },
  ],
  [
    'a form',
    { messageId: 'form:id', status: 'form:s', errorCode: 'form:e' },
    { body: 'id=98765432109876543210&s=UNDELIV&e=11' },
  ],
  [
    'text and headers',
    { messageId: 'body:/id:(\\d+)/', status: 'header:X-State', errorCode: 'body:/err:(\\d+)/' },
    { body: 'id:98765432109876543210 err:11', headers: { 'x-state': 'UNDELIV' } },
  ],
])('a receipt by the id of the gateway, in %s', (_what, places, request) => {
  const receipt = { ...places, map: { UNDELIV: 'failed' } };
  const provider = create({ request: { url: 'http://gateway/' }, messageId: 'json:/id', receipt });
  expect(reportsOf(provider, '', request)).toEqual([
    {
      providerMessageId: '98765432109876543210',
      attemptId: null,
      status: 'failed',
      errorCode: '11',
      errorMessage: null,
    },
  ]);
});

test.each([
  ['absent_subscriber', 'absent_subscriber'],
  ['"Dear Ada" is spam', 'LOST'],
  ['x'.repeat(65), 'LOST'],
  ['', 'LOST'],
])('a reason that a gateway gives as %s is kept as %s, since a sentence may quote the text', (reason, errorCode) => {
  const receipt = { messageId: 'json:/id', status: 'json:/s', errorCode: 'json:/reason', map: { LOST: 'failed' } };
  const provider = create({ request: { url: 'http://gateway/' }, messageId: 'json:/id', receipt });
  const body = JSON.stringify({ id: '7', s: 'LOST', reason });
  expect(reportsOf(provider, '', { body })).toMatchObject([{ errorCode }]);
});

test('a receipt whose body would be searched for ever says nothing', () => {
  const receipt = { messageId: 'body:/^(a+)+$/', status: 'header:s', map: { x: 'sent' } };
  const provider = create({ request: { url: 'http://gateway/' }, messageId: 'json:/id', receipt });
  expect(reportsOf(provider, '', { body: `${'a'.repeat(50_000)}!`, headers: { s: 'x' } })).toEqual([]);
});

test('a gateway without receipts reports nothing', () => {
  expect(reportsOf(create({ request: { url: 'http://gateway/' } }), '?attempt=att_1&status=1')).toEqual([]);
});

test.each([
  { accepted: { body: '/a(?=b)/' } },
  { receipt: { attemptId: 'body:/(a)\\1/', status: 'query:s', map: {} } },
])('a config that was stored before and is refused now makes no provider: %j', async change => {
  const good = httpSms.configSchema.parse(gatewayConfig('http://gateway'));
  expect(() => httpSms.create({ ...good, ...change }, SERVICES)).toThrow('must do without');
});
