import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { SendRequest } from '../../../../src/channels/contract.ts';
import { httpSms } from '../../../../src/channels/http-sms/provider.ts';
import { GATEWAY_USER, gatewayConfig, gatewayProtocol } from '../../../support/providers/gateway-peer.ts';
import {
  farDeadline,
  openPeer,
  RECEIPTS_URL,
  type Received,
  requestTo,
  SERVICES,
} from '../../../support/providers/http-peer.ts';
import { assertProperty, runs } from '../../../support/runner/properties.ts';

const ANSWERED = { status: 200, body: '' };

/** Texts that mean something wherever they stand, and any others. */
const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.string({ unit: fc.constantFrom(...'%&=+?#/\\ .;:"\'{}[]<>\r\n\t\0€😀{{to}}'), minLength: 1 }),
  fc.constantFrom('.', '..', '../..', '%2e%2e', '{{secret.key}}', '%7B%7Bto%7D%7D', '$&', '$1', '+', ' ', '  a  '),
);

/** Sends random texts as a config says, and lets the test see what the server was asked, and what was meant. */
async function check(
  request: (origin: string) => Readonly<Record<string, unknown>>,
  look: (received: Received, meant: SendRequest & { readonly secret: string }) => void,
  secrets: fc.Arbitrary<string> = hostile,
  isRefused: (meant: SendRequest & { readonly secret: string }) => boolean = () => false,
): Promise<void> {
  const peer = await openPeer(gatewayProtocol);
  peer.say(ANSWERED);
  const property = fc.asyncProperty(hostile, hostile, secrets, async (text, from, secret) => {
    const provider = httpSms.create(
      httpSms.configSchema.parse({ secrets: { key: secret }, request: request(peer.origin) }),
      SERVICES,
    );
    const meant = requestTo('4915112345678', { text, from });
    const outcome = await provider.send(meant, farDeadline());
    await provider.close?.();
    const refused = isRefused({ ...meant, secret });
    expect(outcome.kind).toBe(refused ? 'rejected' : 'accepted');
    if (refused) return;
    const received = peer.received.pop();
    if (!received) throw new Error('nothing was received');
    look(received, { ...meant, secret });
  });
  await assertProperty(property, { numRuns: runs(200) });
}

test('in the query: each parameter is what was meant, and no other one is there', () =>
  check(
    origin => ({
      method: 'GET',
      url: `${origin}/send?fixed=1%20&own={{text}}`,
      query: { 'a name&': '{{from}}', text: '<{{text}}|{{from}}>', key: '{{secret.key}}' },
    }),
    ({ path, query }, { text, from, secret }) => {
      expect(path).toBe('/send');
      expect([...query]).toEqual([
        ['fixed', '1 '],
        ['own', text],
        ['a name&', from],
        ['text', `<${text}|${from}>`],
        ['key', secret],
      ]);
    },
  ));

/**
 * Whether a value in a path holds `.` or `..` as a step once it is decoded. Servers and proxies take it for a step however it is escaped.
 */
const holdsStep = (value: string): boolean => value.split(/[/\\]/).some(step => step === '.' || step === '..');

test('in the path: each step is what was meant', () =>
  check(
    origin => ({ method: 'GET', url: `${origin}/v1/{{text}}/{{ secret.key }}/x-{{from}}/end` }),
    ({ target }, { text, from, secret }) => {
      const steps = target.split('/').map(step => decodeURIComponent(step));
      expect(steps).toEqual(['', 'v1', text, secret, `x-${from}`, 'end']);
      expect(target).not.toMatch(/\/(?:\.|%2e){1,2}(?:\/|$)/i);
    },
    hostile,
    ({ text, from, secret }) => [text, secret, `x-${from}`].some(holdsStep),
  ));

test.each([
  ['.', '/v1/{{text}}'],
  ['..', '/v1/{{text}}/send'],
  ['.', '/v1/{{text}}./send'],
  ['.', '/v1/.{{text}}'],
  ['.', '/v1/{{text}}{{text}}?a=b'],
  ['a/../../b', '/v1/{{text}}/send'],
  ['..\\..', '/v1/{{text}}'],
  ['/.', '/v1/x{{text}}'],
])('in the path: %j in %s is refused, and nothing is asked', async (text, path) => {
  const peer = await openPeer(gatewayProtocol);
  const provider = httpSms.create(
    httpSms.configSchema.parse({ request: { method: 'GET', url: `${peer.origin}${path}` } }),
    SERVICES,
  );
  onTestFinished(() => provider.close?.());
  expect(await provider.send(requestTo('4915112345678', { text }), farDeadline())).toEqual({
    kind: 'rejected',
    code: 'text_not_possible',
    message: 'A step of the path at the gateway would be "." or "..", which servers follow instead of reading it.',
  });
  expect(peer.received).toEqual([]);
});

test.each(['. ', '...', '.a', 'a.', '..a/b..'])('in the path: %j is a value like others', async text => {
  const peer = await openPeer(gatewayProtocol);
  peer.say(ANSWERED);
  const provider = httpSms.create(
    httpSms.configSchema.parse({ request: { method: 'GET', url: `${peer.origin}/v1/{{text}}/send?a={{from}}/../b` } }),
    SERVICES,
  );
  onTestFinished(() => provider.close?.());
  expect(await provider.send(requestTo('4915112345678', { text, from: '..' }), farDeadline())).toMatchObject({
    kind: 'accepted',
  });
});

test('in a form', () =>
  check(
    origin => ({ url: `${origin}/`, form: { text: '{{text}}', both: '{{from}}&{{secret.key}}' } }),
    ({ form, headers }, { text, from, secret }) => {
      expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
      expect([...form]).toEqual([
        ['text', text],
        ['both', `${from}&${secret}`],
      ]);
    },
  ));

test('in JSON, at any depth', () =>
  check(
    origin => ({
      url: `${origin}/`,
      json: { '{{to}}': [1, null, true, { deep: '{{text}}' }], key: '"{{secret.key}}"', '__proto__ ': '{{from}}' },
    }),
    ({ body, headers }, { text, from, secret }) => {
      expect(headers['content-type']).toBe('application/json');
      expect(JSON.parse(body)).toEqual({
        '{{to}}': [1, null, true, { deep: text }],
        key: `"${secret}"`,
        '__proto__ ': from,
      });
    },
  ));

test('in headers: percent-encoded in one line, secrets as they are', () =>
  check(
    origin => ({
      url: `${origin}/`,
      headers: {
        'X-Text': '{{text}}',
        'X-Both': 'a {{from}} b',
        Authorization: 'Bearer {{secret.key}}',
        'User-Agent': 'own',
      },
    }),
    ({ headers }, { text, from, secret }) => {
      expect(decodeURIComponent(String(headers['x-text']))).toBe(text);
      expect(decodeURIComponent(String(headers['x-both']))).toBe(`a ${from} b`);
      expect(headers.authorization).toBe(`Bearer ${secret}`);
      expect(headers['user-agent']).toBe('own');
    },
    fc.string({ unit: fc.constantFrom(...'aZ09%+/=&"{}~!'), minLength: 1 }),
  ));

test('a URL in a parameter of a URL comes out whole, with its own parameters', async () => {
  const peer = await openPeer(gatewayProtocol);
  const provider = httpSms.create(httpSms.configSchema.parse(gatewayConfig(peer.origin)), SERVICES);
  onTestFinished(() => provider.close?.());
  const request = requestTo('4915112345678', { text: 'Grüße & 100 % €', from: 'A&B Ltd.' });
  expect(await provider.send(request, farDeadline())).toMatchObject({ kind: 'accepted' });
  expect(Object.fromEntries(peer.received[0]?.query ?? [])).toEqual({
    username: GATEWAY_USER.username,
    password: GATEWAY_USER.password,
    to: '4915112345678',
    from: 'A&B Ltd.',
    text: 'Grüße & 100 % €',
    'dlr-mask': '31',
    'dlr-url': `${RECEIPTS_URL}?attempt=${request.attemptId}&status=%d`,
  });
});
