import { expect, test } from 'vitest';
import { z } from 'zod';
import { httpSmsConfig } from '../../../../src/channels/http-sms/config.ts';
import { gatewayConfig } from '../../../support/providers/gateway-peer.ts';

const GIVEN = gatewayConfig('http://127.0.0.1:13013');

type Part = Readonly<Record<string, unknown>>;

/** A config that is right but for what is put into its request. */
function asking(request: Part, rest: Part = {}): unknown {
  return { secrets: { password: 'p' }, request: { url: 'http://gateway/send', ...request }, ...rest };
}

/** The first fault of a config, with where it is; null where there is none. */
function faultOf(config: unknown): string | null {
  const issue = httpSmsConfig.safeParse(config).error?.issues[0];
  return issue ? `${issue.path.join('.')} ${issue.message}` : null;
}

test('takes the config of the contract, and keeps all of it', () => {
  expect(httpSmsConfig.parse(GIVEN)).toEqual(GIVEN);
});

test('needs a URL alone', () => {
  expect(httpSmsConfig.parse({ request: { url: 'https://gateway.example/send?to={{to}}' } })).toEqual({
    secrets: {},
    request: { method: 'POST', url: 'https://gateway.example/send?to={{to}}' },
    accepted: { status: [200, 201, 202] },
    throttled: { status: [429] },
  });
});

test.each<[string, unknown, string]>([
  ['no URL', { request: {} }, 'request.url '],
  ['an address that is no URL', asking({ url: 'gateway/send' }), 'request.url must be a whole URL'],
  ['another scheme', asking({ url: 'ftp://gateway/send' }), 'request.url must be a whole URL'],
  ['a placeholder in the host', asking({ url: 'http://{{to}}.example/' }), 'request.url must be a whole URL'],
  ['a placeholder in the port', asking({ url: 'http://gateway:{{to}}/' }), 'request.url must be a whole URL'],
  ['a password in the URL', asking({ url: 'http://me:it@gateway/' }), 'request.url must hold no user name'],
  ['a fragment', asking({ url: 'http://gateway/#{{to}}' }), 'request.url must hold no fragment'],
  [
    'an unknown placeholder',
    asking({ query: { to: '{{too}}' } }),
    'request.query holds the unknown placeholder {{too}}',
  ],
  [
    'an unknown secret',
    asking({ form: { key: '{{secret.key}}' } }),
    'request.form holds the unknown placeholder {{secret.key}}',
  ],
  ['one deep in JSON', asking({ json: { a: [{ b: '{{x}}' }] } }), 'request.json holds the unknown placeholder {{x}}'],
  ['an inherited name', asking({ query: { to: '{{constructor}}' } }), 'request.query holds the unknown placeholder'],
  ['an open placeholder', asking({ form: { to: '{{to}' } }), 'request.form holds {{ without a placeholder'],
  ['two bodies', asking({ form: {}, json: {} }), 'request.json must stand alone'],
  ['a body of a GET', asking({ method: 'GET', form: {} }), 'request.method must be POST or PUT'],
  ['another method', asking({ method: 'DELETE' }), 'request.method must be GET, POST or PUT'],
  [
    'a header of two lines',
    asking({ headers: { 'x-a': 'a\r\nb: c' } }),
    'request.headers.x-a must be the name of a header',
  ],
  ['a name that is no header', asking({ headers: { 'x a': 'b' } }), 'request.headers.x a must be the name of a header'],
  [
    'a header of the client',
    asking({ headers: { 'Content-Length': '1' } }),
    'request.headers.Content-Length must not be given',
  ],
  [
    'a secret that no header can hold',
    { secrets: { key: 'ключ' }, request: { url: 'http://gateway/', headers: { 'x-key': '{{secret.key}}' } } },
    'request.headers.x-key must hold only secrets of printable ASCII',
  ],
  [
    'a pattern that does not compile',
    asking({}, { accepted: { body: '/(/' } }),
    'accepted.body is a pattern that does not compile',
  ],
  [
    'a pattern without slashes',
    asking({}, { accepted: { body: 'OK' } }),
    'accepted.body must be a pattern between slashes',
  ],
  ['a rule of nothing', asking({}, { rejected: {} }), 'rejected must have a status, a body, or both'],
  ['a rule of no status', asking({}, { rejected: { status: [] } }), 'rejected.status must name at least one status'],
  ['a status that is none', asking({}, { rejected: { status: [20] } }), 'rejected.status.0 must be from 100 to 599'],
  ['a place that is none', asking({}, { messageId: 'xml:/id' }), 'messageId must begin with json:'],
  ['a pointer without a slash', asking({}, { messageId: 'json:id' }), 'messageId must be json: and a JSON pointer'],
  ['a place without a name', asking({}, { messageId: 'header:' }), 'messageId must name what it reads'],
  ['the query of an answer', asking({}, { messageId: 'query:id' }), 'messageId must stand in the answer'],
  [
    'a receipt of nobody',
    asking({}, { receipt: { status: 'form:s', map: {} } }),
    'receipt must name attemptId or messageId',
  ],
  [
    'a status that does not exist',
    asking(
      { form: { id: '{{attemptId}}' } },
      { receipt: { attemptId: 'form:id', status: 'form:s', map: { 1: 'gone' } } },
    ),
    'receipt.map.1 must be one of sent, delivered',
  ],
  [
    'an attempt that the gateway is not told',
    asking({}, { receipt: { attemptId: 'form:id', status: 'form:s', map: {} } }),
    'receipt.attemptId must not be read where',
  ],
  [
    'an id that nobody knows from the answer',
    asking({}, { receipt: { messageId: 'form:id', status: 'form:s', map: {} } }),
    'receipt.messageId must stand in the answer too',
  ],
  ['an empty secret', { secrets: { key: '' }, request: { url: 'http://gateway/' } }, 'secrets.key must not be empty'],
  ['a name of a secret with a dot', { secrets: { 'a.b': 'c' }, request: { url: 'http://gateway/' } }, 'secrets.a.b '],
  ['a member that does not exist', asking({}, { acepted: {} }), ' Unrecognized key'],
  ['a member of the request that does not exist', asking({ body: '' }), 'request Unrecognized key'],
])('refuses %s', (_what, config, expected) => {
  const fault = faultOf(config);
  expect(fault?.slice(0, expected.length)).toBe(expected);
});

test('does not repeat a secret in a fault', () => {
  const config = {
    secrets: { key: 'ключ-от-всего' },
    request: { url: 'http://gateway/', headers: { a: '{{secret.key}}' } },
  };
  expect(JSON.stringify(httpSmsConfig.safeParse(config).error)).not.toContain('ключ');
});

test('can be made a form of: every member has a title, and what is secret says so', () => {
  const schema = z.toJSONSchema(httpSmsConfig, { io: 'input' });
  expect(schema).toMatchObject({
    title: 'HTTP gateway',
    additionalProperties: false,
    properties: { secrets: { secret: true } },
  });
  const untitled = Object.entries(schema.properties ?? {}).filter(
    ([, member]) => typeof member !== 'object' || !member.title || !member.description,
  );
  expect(untitled).toEqual([]);
});
