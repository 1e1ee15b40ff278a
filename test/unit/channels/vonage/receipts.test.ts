import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Report, ReportRequest } from '../../../../src/channels/contract.ts';
import { vonageConfig } from '../../../../src/channels/vonage/config.ts';
import { vonage } from '../../../../src/channels/vonage/provider.ts';
import { RECEIPTS_URL, SERVICES } from '../../../support/providers/http-peer.ts';
import { VONAGE_ACCOUNT } from '../../../support/providers/vonage-peer.ts';

const SECRET = 'a-signature-secret-of-vonage-d4735e3a';
const NOW_S = 1_780_000_000;

const RECEIPT = {
  msisdn: '4915112345678',
  to: 'ACME',
  'network-code': '26201',
  messageId: '0A0000001234567B',
  price: '0.03',
  status: 'delivered',
  scts: '2605281200',
  'err-code': '0',
  'api-key': VONAGE_ACCOUNT.apiKey,
  'client-ref': 'att_1',
  'message-timestamp': '2026-05-28 12:00:02',
};
const DELIVERED: Report = {
  providerMessageId: '0A0000001234567B',
  attemptId: 'att_1',
  status: 'delivered',
  errorCode: null,
  errorMessage: null,
};

const open = vonage.create(vonageConfig.parse(VONAGE_ACCOUNT), SERVICES);
const guarded = vonage.create(vonageConfig.parse({ ...VONAGE_ACCOUNT, signatureSecret: SECRET }), SERVICES);

type Params = Readonly<Record<string, string>>;
type Way = 'GET' | 'form' | 'JSON';

/** A receipt as Vonage sends it in the way that the account has chosen. */
function receiptBy(way: Way, params: Params, headers: Params = {}): ReportRequest {
  const query = new URLSearchParams(params).toString();
  if (way === 'GET') return { method: 'GET', url: `${RECEIPTS_URL}?${query}`, headers, body: Buffer.alloc(0) };
  const [type, body] =
    way === 'form' ? ['application/x-www-form-urlencoded', query] : ['application/json', JSON.stringify(params)];
  return { method: 'POST', url: RECEIPTS_URL, headers: { 'content-type': type, ...headers }, body: Buffer.from(body) };
}

const WAYS: readonly Way[] = ['GET', 'form', 'JSON'];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_S * 1_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('without a signature secret', () => {
  test.each(WAYS)('a receipt by %s', way => {
    expect(open.reportsOf?.(receiptBy(way, RECEIPT))).toEqual([DELIVERED]);
  });

  test.each([
    ['accepted', '0', 'sent', null],
    ['buffered', '0', 'sent', null],
    ['delivered', '0', 'delivered', null],
    ['failed', '6', 'failed', 'vonage_dlr_6'],
    ['rejected', '5', 'failed', 'vonage_dlr_5'],
    ['expired', '3', 'expired', 'vonage_dlr_3'],
  ])('%s with %s is %s', (word, code, status, errorCode) => {
    const request = receiptBy('form', { ...RECEIPT, status: word, 'err-code': code });
    expect(open.reportsOf?.(request)).toEqual([{ ...DELIVERED, status, errorCode }]);
  });

  test('a receipt of a message that was not named', () => {
    const { 'client-ref': _ref, ...rest } = RECEIPT;
    expect(open.reportsOf?.(receiptBy('JSON', rest))).toEqual([{ ...DELIVERED, attemptId: null }]);
  });

  test.each<Params>([
    { ...RECEIPT, status: 'unknown' },
    { ...RECEIPT, status: 'constructor' },
    { ...RECEIPT, messageId: '' },
    { status: 'delivered' },
    {},
  ])('%o says nothing', params => {
    for (const way of WAYS) expect(open.reportsOf?.(receiptBy(way, params))).toEqual([]);
  });

  test.each(['', '{', 'null', '[]', '"a"', '{"messageId":{"a":1},"status":["delivered"]}'])(
    'JSON that is none says nothing: %s',
    text => {
      expect(open.reportsOf?.({ ...receiptBy('JSON', {}), body: Buffer.from(text) })).toEqual([]);
    },
  );
});

describe('by a parameter', () => {
  const SIGNED = { ...RECEIPT, nonce: 'n=1&x', timestamp: String(NOW_S) };
  /** As the documentation says, by hand: each with & before, sorted, and _ for what has a meaning. */
  const TEXT =
    `&api-key=${VONAGE_ACCOUNT.apiKey}&client-ref=att_1&err-code=0&message-timestamp=2026-05-28 12:00:02&messageId=0A0000001234567B` +
    `&msisdn=4915112345678&network-code=26201&nonce=n_1_x&price=0.03&scts=2605281200&status=delivered&timestamp=${NOW_S}&to=ACME`;
  const sign = (method: string, secret = SECRET) => createHmac(method, secret).update(TEXT).digest('hex');

  test.each(WAYS)('a receipt by %s is believed', way => {
    for (const method of ['sha256', 'sha512']) {
      for (const sig of [sign(method), sign(method).toUpperCase()])
        expect(guarded.reportsOf?.(receiptBy(way, { ...SIGNED, sig }))).toEqual([DELIVERED]);
    }
  });

  test.each<[string, Params]>([
    ['no signature', {}],
    ['an empty one', { sig: '' }],
    ['one by another secret', { sig: sign('sha256', 'another') }],
    ['one by MD5', { sig: sign('md5') }],
    ['one by SHA-1', { sig: sign('sha1') }],
    [
      'one by MD5 without a key',
      {
        sig: createHash('md5')
          .update(TEXT + SECRET)
          .digest('hex'),
      },
    ],
    ['one that is cut', { sig: sign('sha256').slice(1) }],
    ['another status', { sig: sign('sha256'), status: 'failed' }],
    ['another message', { sig: sign('sha256'), messageId: '0A0000001234567C' }],
    ['one more parameter', { sig: sign('sha256'), more: '' }],
  ])('%s is forged', (_what, change) => {
    for (const way of WAYS) expect(guarded.reportsOf?.(receiptBy(way, { ...SIGNED, ...change }))).toBe('forged');
  });

  test('what is signed in the query says nothing of a body, and the reverse', () => {
    const sig = sign('sha256');
    const query = new URLSearchParams({ ...SIGNED, sig }).toString();
    const body = { ...SIGNED, status: 'failed' };
    expect(guarded.reportsOf?.({ ...receiptBy('form', body), url: `${RECEIPTS_URL}?${query}` })).toBe('forged');
    const form = receiptBy('form', { ...SIGNED, sig });
    expect(guarded.reportsOf?.({ ...form, url: `${RECEIPTS_URL}?status=failed` })).toEqual([DELIVERED]);
  });
});

describe('by a token', () => {
  const BODY = JSON.stringify(RECEIPT);
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const CLAIMS = {
    iat: NOW_S,
    jti: 'c5ba8f24',
    iss: 'Vonage',
    payload_hash: hash(BODY),
    api_key: VONAGE_ACCOUNT.apiKey,
  };

  const withToken = (token: string, body = BODY, scheme = 'Bearer'): ReportRequest => ({
    ...receiptBy('JSON', {}, { authorization: `${scheme} ${token}` }),
    body: Buffer.from(body),
  });
  // Without the members that are undefined.
  const tokenOf = (claims: object, options: Parameters<typeof jwt.sign>[2] = {}, secret = SECRET) =>
    jwt.sign(JSON.parse(JSON.stringify(claims)), secret, options);
  const verdict = (token: string, body = BODY) => guarded.reportsOf?.(withToken(token, body));

  test('a receipt is believed', () => {
    expect(verdict(tokenOf(CLAIMS))).toEqual([DELIVERED]);
    expect(guarded.reportsOf?.(withToken(tokenOf(CLAIMS), BODY, 'bearer'))).toEqual([DELIVERED]);
  });

  test.each([
    ['as old as a token may be', { iat: NOW_S - 300 }, true],
    ['older, by clocks that are apart', { iat: NOW_S - 360 }, true],
    ['too old', { iat: NOW_S - 361 }, false],
    ['a little early', { iat: NOW_S + 60 }, true],
    ['of the future', { iat: NOW_S + 61 }, false],
    ['old, though not ended', { iat: NOW_S - 900, exp: NOW_S + 1 }, true],
    ['just ended', { exp: NOW_S - 60 }, true],
    ['ended', { exp: NOW_S - 61 }, false],
    ['not begun', { nbf: NOW_S + 61 }, false],
  ])('a token that is %s', (_what, change, isBelieved) => {
    expect(verdict(tokenOf({ ...CLAIMS, ...change }))).toEqual(isBelieved ? [DELIVERED] : 'forged');
  });

  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const [, claims = ''] = tokenOf(CLAIMS).split('.');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const bySecret = (text: string) => createHmac('sha256', SECRET).update(text).digest('base64url');

  test.each<[string, string]>([
    ['by another secret', tokenOf(CLAIMS, {}, 'another-secret')],
    ['without an algorithm', jwt.sign(CLAIMS, '', { algorithm: 'none' })],
    [
      'that says none, with a signature by the secret',
      `${part({ alg: 'none' })}.${claims}.${bySecret(`${part({ alg: 'none' })}.${claims}`)}`,
    ],
    ['by RSA', jwt.sign(CLAIMS, privateKey, { algorithm: 'RS256' })],
    [
      'that says RS256, with a signature by the secret',
      `${part({ alg: 'RS256' })}.${claims}.${bySecret(`${part({ alg: 'RS256' })}.${claims}`)}`,
    ],
    ['keyed with a public key', tokenOf(CLAIMS, {}, publicKey.export({ type: 'spki', format: 'pem' }).toString())],
    ['by HS384', tokenOf(CLAIMS, { algorithm: 'HS384' })],
    ['by HS512', tokenOf(CLAIMS, { algorithm: 'HS512' })],
    ['of another body', tokenOf({ ...CLAIMS, payload_hash: hash(`${BODY} `) })],
    ['of no body', tokenOf({ ...CLAIMS, payload_hash: undefined })],
    ['that does not say when', tokenOf({ ...CLAIMS, iat: undefined }, { noTimestamp: true })],
    [
      'with claims that were changed',
      [tokenOf(CLAIMS).split('.')[0], part(CLAIMS), tokenOf({ ...CLAIMS, x: 1 }).split('.')[2]].join('.'),
    ],
    ['without a signature', tokenOf(CLAIMS).replace(/[^.]*$/, '')],
    ['with one part more', `${tokenOf(CLAIMS)}.x`],
    ['that is none', 'x'],
    ['that is empty', '..'],
  ])('a token %s is forged', (_what, token) => {
    expect(verdict(token)).toBe('forged');
  });

  test('a body that was changed is forged', () => {
    expect(verdict(tokenOf(CLAIMS), BODY.replace('delivered', 'failed'))).toBe('forged');
  });

  test('a token says nothing of a query', () => {
    const token = tokenOf({ ...CLAIMS, payload_hash: hash('') });
    expect(guarded.reportsOf?.(receiptBy('GET', RECEIPT, { authorization: `Bearer ${token}` }))).toBe('forged');
    const posted = { ...withToken(token, ''), url: `${RECEIPTS_URL}?${new URLSearchParams(RECEIPT)}` };
    expect(guarded.reportsOf?.(posted)).toEqual([]);
  });

  test('agrees with the library on what is right', () => {
    expect(() =>
      jwt.verify(tokenOf(CLAIMS), SECRET, { algorithms: ['HS256'], maxAge: 300, clockTimestamp: NOW_S }),
    ).not.toThrow();
  });
});

describe('what people write', () => {
  const WRITTEN: Params = { messageId: 'V1', msisdn: '12025550142', to: '15550000001', type: 'text', text: 'Yes' };
  const read = { providerMessageId: 'V1', from: '12025550142', to: '15550000001', type: 'text', text: 'Yes' };

  test.each(WAYS)('is read by %s', way => {
    expect(open.inboundOf?.(receiptBy(way, WRITTEN))).toEqual([read]);
  });

  test('needs a signature where there is a secret', () => {
    expect(guarded.inboundOf?.(receiptBy('form', WRITTEN))).toBe('forged');
  });

  test.each<[Params, object | undefined]>([
    [
      { 'concat-ref': 'r', 'concat-total': '3', 'concat-part': '2' },
      { reference: 'r', total: 3, number: 2 },
    ],
    [{ 'concat-ref': 'r', 'concat-total': '3', 'concat-part': '4' }, undefined],
    [{ 'concat-ref': 'r', 'concat-total': '1e9', 'concat-part': '1' }, undefined],
    [{ 'concat-ref': 'r', 'concat-total': '2.5', 'concat-part': '1' }, undefined],
    [{}, undefined],
  ])('with %j is the part %j', (concat, part) => {
    const [message] = open.inboundOf?.(receiptBy('form', { ...WRITTEN, ...concat })) ?? [];
    expect(message).toEqual({ ...read, ...(part && { part }) });
  });

  test('is binary where it has bytes, and nothing where it has neither', () => {
    const { text: _text, ...bare } = WRITTEN;
    const bytes = { ...bare, type: 'binary', data: '48656c6c6f' };
    expect(open.inboundOf?.(receiptBy('form', bytes))).toEqual([{ ...read, type: 'binary', text: null }]);
    expect(open.inboundOf?.(receiptBy('form', bare))).toEqual([]);
  });
});
