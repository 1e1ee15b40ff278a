import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMetrics } from '../../../../src/observability/metrics.ts';
import { styleOf } from '../../../../src/rest/http.ts';
import { createAdmission } from '../../../../src/rest/overload/admission.ts';
import { ConcurrencyLimit } from '../../../../src/rest/overload/concurrency-limit.ts';
import { routes } from '../../../../src/rest/routes.ts';
import { type Connection, type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { readAnswer, speak } from '../../../support/processes/raw-http.ts';

let listener: Listener;
/** The paths that came through. */
let entered: string[];

beforeAll(async () => {
  const styles = { styleOf: (path: string) => styleOf(routes, path) };
  const admission = createAdmission({ limit: new ConcurrencyLimit(4), metrics: createMetrics(false), ...styles });
  const answer = async (request: Request, { takeBody }: Connection): Promise<Response> => {
    entered.push(new URL(request.url).pathname);
    return new Response(String(takeBody?.() ?? ''));
  };
  listener = await listen(answer, { host: '127.0.0.1', port: 0, admission, ...styles });
});
beforeEach(() => {
  entered = [];
});
afterAll(() => listener.drain(1_000));

const SEND = 'POST /api/omni/send HTTP/1.1';

/** Says a head, and then a request that must never be read; answers what came back until the connection was closed. */
async function sayOf(lines: readonly string[], body = ''): Promise<string> {
  const client = await speak(listener.url, `${lines.join('\r\n')}\r\n\r\n${body}`);
  client.socket.write('GET /smuggled HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  return client.closed();
}

const say = async (lines: readonly string[], body = '') => readAnswer(await sayOf(lines, body));

describe('is refused by the name of the header, and ends the connection:', () => {
  test.each([
    ['a second Host', 'Host', ['Host: a', 'Host: b']],
    ['the same Host again', 'Host', ['Host: a', 'host: a']],
    ['no Host', 'Host', []],
    ['an empty Host', 'Host', ['Host:']],
    ['a Host with a path', 'Host', ['Host: a/b']],
    ['a Host with a user', 'Host', ['Host: a@b']],
    ['a Host that is two', 'Host', ['Host: a, b']],
    ['a Host with a port that is none', 'Host', ['Host: a:b']],
    ['a second Authorization', 'Authorization', ['Host: a', 'Authorization: Bearer a', 'Authorization: Bearer b']],
    ['a second Content-Type', 'Content-Type', ['Host: a', 'Content-Type: application/json', 'content-type: text/html']],
    ['a second Idempotency-Key', 'Idempotency-Key', ['Host: a', 'Idempotency-Key: a', 'Idempotency-Key: b']],
    ['a second X-Account-Id', 'X-Account-Id', ['Host: a', 'X-Account-Id: a', 'X-Account-Id: b']],
    ['a second Origin', 'Origin', ['Host: a', 'Origin: http://a', 'Origin: http://b']],
    ['a second Content-Encoding', 'Content-Encoding', ['Host: a', 'Content-Encoding: gzip', 'Content-Encoding: br']],
  ])('%s', async (_title, field, lines) => {
    const { status, headers, body } = await say([SEND, ...lines]);
    expect([status, headers.get('content-type'), headers.get('connection')]).toEqual([
      400,
      'application/problem+json',
      'close',
    ]);
    expect(body).toMatchObject({ success: false, code: 'invalid_input', status: 400, errors: [{ field }] });
    expect(body.requestId).toBe(headers.get('x-request-id'));
    expect(entered).toEqual([]);
  });
});

test.each([
  ['/plants', { error: 400, message: expect.stringContaining('Host') }],
  [
    '/graphql',
    { errors: [{ message: expect.any(String), extensions: expect.objectContaining({ code: 'INVALID_INPUT' }) }] },
  ],
  ['/healthz', expect.objectContaining({ code: 'invalid_input' })],
])('two hosts are refused at %s in its own style', async (path, expected) => {
  const { status, body } = await say([`POST ${path} HTTP/1.1`, 'Host: a', 'Host: b']);
  expect([status, body]).toEqual([400, expected]);
});

describe('what two readers would read in two ways is no request:', () => {
  test.each([
    ['two lengths', ['Content-Length: 1', 'Content-Length: 2']],
    ['the same length twice', ['Content-Length: 1', 'Content-Length: 1']],
    ['a list of lengths', ['Content-Length: 1, 1']],
    ['a length with a sign', ['Content-Length: +1']],
    ['a length that is negative', ['Content-Length: -1']],
    ['a length in hex', ['Content-Length: 0x1']],
    ['a length beyond all numbers', ['Content-Length: 99999999999999999999999']],
    ['a length and chunks', ['Content-Length: 1', 'Transfer-Encoding: chunked']],
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 1']],
    ['chunks that are not the last coding', ['Transfer-Encoding: chunked, identity']],
    ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity']],
    ['a header that goes on in the next line', ['X-Folded: a', ' b']],
    ['a name before a blank', ['Content-Length : 1']],
    ['a NUL in a value', ['X-Nul: a\0b']],
    ['a control character in a value', ['X-Control: a\x01b']],
    ['a control character in a name', ['X-\x01: a']],
    ['a carriage return in a value', ['X-Return: a\rContent-Length: 1']],
    ['a line without a carriage return', ['X-Line: a\nContent-Length: 1']],
    ['a line without a colon', ['X-Colon']],
  ])('%s', async (_title, lines) => {
    const { status, headers, body } = await say([SEND, 'Host: a', ...lines], 'a');
    expect([status, body.code, headers.get('connection')]).toEqual([400, 'invalid_input', 'close']);
    expect(body.requestId).toBe(headers.get('x-request-id'));
    expect(entered).toEqual([]);
  });

  test.each([
    ['a chunk of a length that is none', 'x\r\na\r\n0\r\n\r\n'],
    ['a chunk that is longer than it says', '1\r\nab\r\n0\r\n\r\n'],
    ['a chunk of a line without a carriage return', '1\na\n0\n\n'],
    ['a chunk of a length beyond all numbers', 'fffffffffffffffff\r\na'],
  ])('%s', async (_title, chunks) => {
    const { status, body } = await say([SEND, 'Host: a', 'Transfer-Encoding: chunked'], chunks);
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(entered).toEqual([]);
  });
});

test.each(['gzip, chunked', 'identity, chunked'])('Transfer-Encoding: %s is not spoken', async coding => {
  const { status, body } = await say([SEND, 'Host: a', `Transfer-Encoding: ${coding}`], '0\r\n\r\n');
  expect([status, body.code, entered]).toEqual([501, 'invalid_input', []]);
});

test('more than 200 headers are refused, whatever the last of them says', async () => {
  const lines = Array.from({ length: 200 }, (_, index) => `X-${index}: a`);
  const { status, headers, body } = await say([SEND, 'Host: a', ...lines, 'Content-Length: 5'], 'hello');
  expect([status, body.code, headers.get('connection')]).toEqual([431, 'invalid_input', 'close']);
  expect(entered).toEqual([]);
});

test('200 headers are read, the last of them too', async () => {
  const lines = Array.from({ length: 197 }, (_, index) => `X-${index}: a`);
  const heard = await sayOf([SEND, 'Host: a', ...lines, 'Connection: close', 'Content-Length: 5'], 'hello');
  expect(heard).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nhello$/);
});

describe('is read', () => {
  test.each([
    ['a name with a port', ['Host: gateway.test:4000']],
    ['an address of IPv6', ['Host: [::1]:4000']],
    [
      'several addresses that the request was forwarded for',
      ['Host: a', 'X-Forwarded-For: 192.0.2.1', 'X-Forwarded-For: 192.0.2.2'],
    ],
  ])('%s', async (_title, lines) => {
    expect(await sayOf(['GET /a HTTP/1.1', 'Connection: close', ...lines])).toContain('HTTP/1.1 200 ');
    expect(entered).toEqual(['/a']);
  });

  test('HTTP/1.0 without a host', async () => {
    expect(await sayOf(['GET /a HTTP/1.0'])).toContain('HTTP/1.1 200 ');
    expect(entered).toEqual(['/a']);
  });

  test('a target with its host, as by a proxy', async () => {
    expect(await sayOf(['GET http://a/healthz?b HTTP/1.1', 'Host: a', 'Connection: close'])).toContain('200 ');
    expect(entered).toEqual(['/healthz']);
  });
});

test.each(['*', '//', '/%', '/%00', '/../../etc/passwd', 'http://', 'a'])(
  'the target %s is answered as it may be',
  async target => {
    const heard = await sayOf([`OPTIONS ${target} HTTP/1.1`, 'Host: a', 'Connection: close']);
    expect(heard).toMatch(/^HTTP\/1\.1 (200|400) /);
    expect(entered).not.toContain('/smuggled');
  },
);
