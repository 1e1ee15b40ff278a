import { createHash } from 'node:crypto';
import fc from 'fast-check';
// Loading it takes seconds: no other test does.
import sdk from 'twilio';
import { describe, expect, test } from 'vitest';
import type { ReportRequest } from '../../../../src/channels/contract.ts';
import { twilioConfig } from '../../../../src/channels/twilio/config.ts';
import { twilio } from '../../../../src/channels/twilio/provider.ts';
import { isSignedByTwilio } from '../../../../src/channels/twilio/signature.ts';
import { RECEIPTS_URL, SERVICES } from '../../../support/providers/http-peer.ts';
import { TWILIO_ACCOUNT } from '../../../support/providers/twilio-peer.ts';
import { assertProperty, runs } from '../../../support/runner/properties.ts';

type Params = Readonly<Record<string, string>>;

const { authToken } = TWILIO_ACCOUNT;
const URL_OF_ATTEMPT = `${RECEIPTS_URL}?attempt=att_1`;
const DELIVERED: Params = { MessageSid: 'SM77', MessageStatus: 'delivered', To: '+4915112345678', From: 'ACME' };

const provider = twilio.create(twilioConfig.parse(TWILIO_ACCOUNT), SERVICES);

/** A form that Twilio signed for `signedUrl`, as it comes to `url`. */
function signed(params: Params, url = URL_OF_ATTEMPT, signedUrl = url, token: string = authToken): ReportRequest {
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': sdk.getExpectedTwilioSignature(token, signedUrl, params),
    },
    body: Buffer.from(new URLSearchParams(params).toString()),
  };
}

test('the vector of the documentation', () => {
  const request = {
    method: 'POST',
    url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
    headers: { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
    body: Buffer.from(
      new URLSearchParams({
        CallSid: 'CA1234567890ABCDE',
        Caller: '+14158675309',
        Digits: '1234',
        From: '+14158675309',
        To: '+18005551212',
      }).toString(),
    ),
  } as const;
  expect(isSignedByTwilio('12345', request)).toBe(true);
  expect(isSignedByTwilio('12346', request)).toBe(false);
});

test('agrees with the SDK on any parameters', () => {
  const text = fc.string({ unit: 'grapheme' });
  const property = fc.property(fc.dictionary(text, text), fc.string({ minLength: 1 }), (params, token) => {
    expect(isSignedByTwilio(token, signed(params, URL_OF_ATTEMPT, URL_OF_ATTEMPT, token))).toBe(true);
  });
  assertProperty(property, { numRuns: runs(300) });
});

test('agrees with the SDK on a name that comes more than once', () => {
  const signature = sdk.getExpectedTwilioSignature(authToken, URL_OF_ATTEMPT, { b: ['2', '1', '2'], a: 'x' });
  const headers = { 'x-twilio-signature': signature };
  const request = { method: 'POST', url: URL_OF_ATTEMPT, headers, body: Buffer.from('b=2&b=1&a=x&b=2') } as const;
  expect(isSignedByTwilio(authToken, request)).toBe(true);
});

test.each([
  ['https://gw.example/r?attempt=a', 'https://gw.example:443/r?attempt=a', true],
  ['https://gw.example:443/r', 'https://gw.example/r', true],
  ['http://gw.example/r', 'http://gw.example:80/r', true],
  ['https://gw.example:8443/r', 'https://gw.example/r', true],
  ['https://[2001:db8::1]:8443/r', 'https://[2001:db8::1]/r', true],
  ['https://gw.example/r', 'https://gw.example:8443/r', false],
  ['https://gw.example/r', 'http://gw.example/r', false],
  ['https://gw.example/r', 'https://gw.example/R', false],
  ['https://gw.example/r', 'https://gx.example/r', false],
  ['https://gw.example/r?attempt=a', 'https://gw.example/r?attempt=b', false],
])('of an address %s that was signed as %s: %s, as the SDK says', (url, signedUrl, expected) => {
  const request = signed(DELIVERED, url, signedUrl);
  expect(isSignedByTwilio(authToken, request)).toBe(expected);
  expect(sdk.validateRequest(authToken, request.headers['x-twilio-signature'] ?? '', url, DELIVERED)).toBe(expected);
});

test('believes what is signed, and nothing that was changed', () => {
  const request = signed(DELIVERED);
  expect(provider.reportsOf?.(request)).toEqual([
    { providerMessageId: 'SM77', attemptId: 'att_1', status: 'delivered', errorCode: null, errorMessage: null },
  ]);
  const { headers, body } = request;
  const signature = headers['x-twilio-signature'] ?? '';
  const forgeries: ReportRequest[] = [
    { ...request, headers: {} },
    { ...request, headers: { ...headers, 'x-twilio-signature': '' } },
    { ...request, headers: { ...headers, 'x-twilio-signature': signature.slice(0, -1) } },
    { ...request, headers: { ...headers, 'x-twilio-signature': signature.toLowerCase() } },
    { ...request, headers: { ...headers, 'x-twilio-signature': `${signature}, ${signature}` } },
    { ...request, body: Buffer.from(`${body}&ErrorCode=30003`) },
    { ...request, body: Buffer.from(String(body).replace('SM77', 'SM78')) },
    { ...request, body: Buffer.alloc(0) },
    { ...request, url: `${RECEIPTS_URL}?attempt=att_2` },
    { ...request, url: RECEIPTS_URL },
    signed(DELIVERED, URL_OF_ATTEMPT, URL_OF_ATTEMPT, 'another-token'),
  ];
  for (const forgery of forgeries) expect(provider.reportsOf?.(forgery)).toBe('forged');
});

/** A body whose hash stands in the address, with the address signed. */
function hashed(body: string, said = body): ReportRequest {
  const url = `${URL_OF_ATTEMPT}&bodySHA256=${createHash('sha256').update(body).digest('hex')}`;
  const signature = sdk.getExpectedTwilioSignature(authToken, url, {});
  expect(sdk.validateRequestWithBody(authToken, signature, url, said)).toBe(said === body);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-twilio-signature': signature };
  return { method: 'POST', url, headers, body: Buffer.from(said) };
}

test('believes a JSON body by its hash, as the SDK does', () => {
  const body = JSON.stringify({ MessageSid: 'SM77', MessageStatus: 'undelivered', ErrorCode: 30_003, text: 'é' });
  expect(provider.reportsOf?.(hashed(body))).toEqual([
    { providerMessageId: 'SM77', attemptId: 'att_1', status: 'failed', errorCode: 'twilio_30003', errorMessage: null },
  ]);
  expect(provider.reportsOf?.(hashed(body, body.replace('SM77', 'SM78')))).toBe('forged');
});

test.each([
  ['sent', '', 'sent', null],
  ['delivered', '', 'delivered', null],
  ['partially_delivered', '', 'delivered', null],
  ['read', '', 'read', null],
  ['failed', '30007', 'failed', 'twilio_30007'],
  ['failed', 'Dear Ada', 'failed', null],
  ['undelivered', '30003', 'failed', 'twilio_30003'],
  ['undelivered', '30036', 'expired', 'twilio_30036'],
  ['canceled', '', 'failed', null],
])('%s with the code "%s" is %s', (word, code, status, errorCode) => {
  const params = { MessageSid: 'SM77', MessageStatus: word, ...(code === '' ? {} : { ErrorCode: code }) };
  expect(provider.reportsOf?.(signed(params, RECEIPTS_URL))).toEqual([
    { providerMessageId: 'SM77', attemptId: null, status, errorCode, errorMessage: null },
  ]);
});

test.each<Params>([
  { MessageSid: 'SM77', MessageStatus: 'queued' },
  { MessageSid: 'SM77', MessageStatus: 'sending' },
  { MessageSid: 'SM77', MessageStatus: 'accepted' },
  { MessageSid: 'SM77', MessageStatus: 'scheduled' },
  { MessageSid: 'SM77', MessageStatus: 'constructor' },
  { MessageSid: 'SM77' },
  { MessageStatus: 'delivered' },
  {},
])('%o says nothing', params => {
  expect(provider.reportsOf?.(signed(params))).toEqual([]);
});

describe('what people write', () => {
  const url = `${RECEIPTS_URL}/inbound`;
  const WRITTEN: Params = {
    MessageSid: 'SM78',
    From: '+4915112345678',
    To: '+15550000001',
    Body: 'Ja 👍',
    NumMedia: '0',
  };

  test('is read where Twilio signed it for this address', () => {
    expect(provider.inboundOf?.(signed(WRITTEN, url))).toEqual([
      { providerMessageId: 'SM78', from: '+4915112345678', to: '+15550000001', type: 'text', text: 'Ja 👍' },
    ]);
    expect(provider.inboundOf?.(signed(WRITTEN, url, RECEIPTS_URL))).toBe('forged');
    expect(provider.inboundOf?.(signed(WRITTEN, url, url, 'another-token'))).toBe('forged');
  });

  test.each([
    ['image/jpeg', '', 'image', null],
    ['image/png', 'My parcel', 'image', 'My parcel'],
    ['application/pdf', '', 'file', null],
  ])('with a medium %s and the text %j is of the type %s', (medium, Body, type, text) => {
    const params = { ...WRITTEN, Body, NumMedia: '1', MediaContentType0: medium };
    expect(provider.inboundOf?.(signed(params, url))).toMatchObject([{ type, text }]);
  });

  test('without a sender is nothing', () => {
    expect(provider.inboundOf?.(signed({ ...WRITTEN, From: '' }, url))).toEqual([]);
  });
});
