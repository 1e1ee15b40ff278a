/** Calls of HTTP gateways, and configurations that say where values stand in them. */
import { ANSWER_BYTES_MAX } from '../../../../src/channels/http/client.ts';
import { httpSmsConfig } from '../../../../src/channels/http-sms/config.ts';
import { readPlace } from '../../../../src/channels/http-sms/place.ts';
import { httpSms } from '../../../../src/channels/http-sms/provider.ts';
import { hold, holdInbound, holdReport, same } from '../check.ts';
import type { FuzzTarget } from '../search.ts';
import { partsOf, SERVICES } from './shared.ts';

const MAP = { D: 'delivered', F: 'failed', E: 'expired', S: 'sent' };
const REQUEST = { method: 'POST', url: 'https://sms.example/send', form: { to: '{{to}}', id: '{{attemptId}}' } };

/** One for each kind of place. */
const providers = [
  { attemptId: 'query:attempt', status: 'query:status', errorCode: 'query:code' },
  { attemptId: 'json:/data/0/id', status: 'json:/data/0/status', errorCode: 'json:/data/0/code' },
  { attemptId: 'form:id', status: 'form:status', errorCode: 'header:x-code' },
  { attemptId: 'body:/id=(\\w+)/', status: 'body:/st=(\\w)/', errorCode: 'body:/err=(\\S*)/' },
].map(receipt =>
  httpSms.create(httpSmsConfig.parse({ request: REQUEST, receipt: { ...receipt, map: MAP } }), SERVICES),
);

/** The first byte says which config; then stand the query, a header and the body, a line each. */
export const httpSmsReceipt: FuzzTarget = {
  name: 'http-sms-receipt',
  tokens: [
    'attempt=',
    '&status=',
    '&code=',
    'id=',
    'st=',
    'err=',
    '{"data":[{"id":"',
    '","status":"D"}]}',
    '"code":',
    '%00',
    '\\u0000',
    'att_',
    ...Object.keys(MAP),
  ],
  seeds: [
    '0attempt=att_1&status=D&code=7\n\n',
    '1\n\n{"data":[{"id":"att_1","status":"F","code":12345678901234567890}]}',
    '2\nE17\nid=att_1&status=F',
    '3\n\nid=att_1 st=E err=EXPIRED',
  ],
  run: input => {
    const [query, header, body] = partsOf(input.subarray(1), '\n', 3);
    const provider = providers[(input[0] ?? 0) % providers.length];
    const url = `${SERVICES.receiptsUrl}?${encodeURI(query.toWellFormed())}`;
    const reports = provider?.reportsOf?.({
      method: 'POST',
      url,
      headers: { 'x-code': header },
      body: Buffer.from(body),
    });
    hold(reports !== 'forged' && reports !== undefined, 'no reports');
    hold(reports.length <= 1, `${reports.length} reports of one receipt`);
    for (const report of reports) {
      holdReport(report, { errorCode: 64 });
      hold(report.providerMessageId.length <= ANSWER_BYTES_MAX, 'an id that is longer than what was said');
    }
  },
};

/** The value at a JSON pointer, read without the code under test. @returns undefined: there is none */
function pointed(json: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return json;
  if (typeof json !== 'object' || json === null) return undefined;
  const entry = Object.entries(json).find(([key]) => key === name);
  return entry && pointed(entry[1], rest);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A place, a header and a body, a line each. */
export const httpSmsPlace: FuzzTarget = {
  name: 'http-sms-place',
  tokens: [
    'json:',
    'query:',
    'form:',
    'header:',
    'body:/',
    '/',
    '~0',
    '~1',
    '{"a":',
    '"b"',
    '[1,',
    'null',
    '}',
    ']',
    '__proto__',
    'length',
    'x-id',
  ],
  // A search has a bound of steps.
  cpuMsMax: 1_500,
  seeds: [
    'json:/a/0/b\n\n{"a":[{"b":"1"}]}',
    'json:/a~1b/c~0d\n\n{"a/b":{"c~d":12345678901234567890}}',
    'json:\n\n"x"',
    'query:a\n\n',
    'form:a\n\na=1&b=2',
    'header:X-Id\n7\n',
    'body:/id=(\\d+)/\n\nid=77',
  ],
  run: input => {
    const [text, header, body] = partsOf(input, '\n', 3);
    const place = readPlace(text);
    if (typeof place === 'string') return hold(/^(must|is) /.test(place), `a mend that says ${place}`);
    // Patterns are a trusted part of the configuration, and stopped where they take too long.
    if (text.startsWith('body:')) return;
    const value = place({ headers: { 'x-id': header }, query: new URLSearchParams(header), body });
    if (text.startsWith('header:')) return same(value, /^header:x-id$/i.test(text) ? header : null, 'a header');
    if (!text.startsWith('json:')) return hold(value === null || value.length <= input.length * 3, 'a long value');
    const names = text
      .slice('json:'.length)
      .split('/')
      .slice(1)
      .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    const expected = pointed(jsonOf(body), names);
    if (typeof expected === 'number')
      return hold(Object.is(Number(value), expected), `the number ${value}, and not ${expected}`);
    same(value, typeof expected === 'string' ? expected : null, 'a JSON value');
  },
};

const writers = [
  { from: 'query:from', to: 'query:to', text: 'query:text', messageId: 'query:id' },
  { from: 'json:/0/from', to: 'json:/0/to', text: 'json:/0/text' },
].map(inbound => httpSms.create(httpSmsConfig.parse({ request: REQUEST, inbound }), SERVICES));

/** The first byte says which config; then stand the query and the body, a line each. */
export const httpSmsInbound: FuzzTarget = {
  name: 'http-sms-inbound',
  tokens: ['from=', '&to=', '&text=', '&id=', '[{"from":"', '","to":"', '","text":', '%00', '\\u0000', '+'],
  seeds: ['0from=12025550100&to=1&text=Hello&id=7\n\n', '1\n\n[{"from":"12025550100","to":"1","text":"Hello"}]'],
  run: input => {
    const [query, , body] = partsOf(input.subarray(1), '\n', 3);
    const provider = writers[(input[0] ?? 0) % writers.length];
    const url = `${SERVICES.receiptsUrl}/inbound?${encodeURI(query.toWellFormed())}`;
    const messages = provider?.inboundOf?.({ method: 'POST', url, headers: {}, body: Buffer.from(body) });
    hold(messages !== 'forged' && messages !== undefined, 'no messages');
    if (messages === 'unreadable') return;
    for (const message of messages) {
      holdInbound(message);
      hold(message.from !== '' && message.to !== '', 'nobody wrote to anybody');
    }
  },
};

/** A config in JSON: refused with a mend for each field, or a provider can be made of it. */
export const httpSmsConfigs: FuzzTarget = {
  name: 'http-sms-config',
  tokens: [
    '"request":',
    '"url":"',
    'https://sms.example/{{to}}',
    '{{secret.a}}',
    '{{',
    '}}',
    '"receipt":',
    '"map":',
    '"json:/',
    '"body:/',
    '(a',
    '"status":',
    'null',
    '__proto__',
  ],
  cpuMsMax: 1_500,
  seeds: [
    JSON.stringify({ request: REQUEST, secrets: { key: 'a' } }),
    JSON.stringify({
      request: {
        method: 'POST',
        url: 'https://sms.example/send',
        headers: { 'x-key': '{{secret.key}}' },
        json: { a: ['{{text}}'] },
      },
      secrets: { key: 'a' },
      accepted: { status: [200], body: '/^OK/' },
      messageId: 'json:/id',
      receipt: { messageId: 'query:id', status: 'form:status', map: MAP },
      inbound: { from: 'query:a', to: 'query:b', text: 'body:/t=(.*)/' },
    }),
  ],
  run: input => {
    const { success, data, error } = httpSmsConfig.safeParse(jsonOf(input.toString('utf8')));
    if (success) return void httpSms.create(data, SERVICES);
    hold(error.issues.length > 0 && error.issues.every(({ message }) => message !== ''), 'a fault without a word');
  },
};
