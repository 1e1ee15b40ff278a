import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BODY_BYTES_MAX, bodyBytesMax } from '../../../../src/rest/json-body.ts';
import { type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { type Customer, createTestApp, type TestApp } from '../../../support/app.ts';
import { Told } from '../../../support/leaks/leak-scan.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';

/** Everything that the process logs. */
const told = new Told();

let on: TestApp;
let customer: Customer;
let listener: Listener;

beforeAll(async () => {
  on = await createTestApp({ log: told.logger() });
  customer = await on.customer();
  listener = await listen(on.app.fetch, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await listener.drain(1_000);
  await on.close();
});

/** A send of exactly so many bytes, padded with blanks, which JSON ignores. */
function bodyOf(bytes: number): string {
  return JSON.stringify(SMS).padEnd(bytes, ' ');
}

/** Writes bytes to the port and gives what came back until the server closed, or until the answer was whole. */
function speak(head: readonly string[], body: string): Promise<string> {
  const { port } = new URL(listener.url);
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    });
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      heard += chunk;
      if (/\r\n\r\n.*\}$/s.test(heard)) socket.destroy();
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', error => (heard === '' ? reject(error) : resolve(heard)));
  });
}

const head = (path: string): string[] => [
  `POST ${path} HTTP/1.1`,
  'Host: gateway.test',
  'Content-Type: application/json',
  `Authorization: Bearer ${customer.tokens.unified}`,
];

describe.each(['/api/omni/send', '/plants', '/graphql'])('%s refuses 64 KiB and one byte', path => {
  test('that say their length', async () => {
    const { status } = await on.rest('POST', path, {
      token: customer.tokens.unified,
      body: bodyOf(BODY_BYTES_MAX + 1),
      headers: { 'content-length': String(BODY_BYTES_MAX + 1) },
    });
    expect(status).toBe(413);
  });

  test('that come in pieces without a length', async () => {
    const body = new Blob([bodyOf(BODY_BYTES_MAX + 1)]).stream();
    const { status } = await on.rest('POST', path, { token: customer.tokens.unified, body });
    expect(status).toBe(413);
  });

  test('that say they are fewer', async () => {
    const { status } = await on.rest('POST', path, {
      token: customer.tokens.unified,
      body: bodyOf(BODY_BYTES_MAX + 1),
      headers: { 'content-length': '10' },
    });
    expect(status).toBe(413);
  });
});

test.each(['', '/inbound'])(
  'an address of receipts%s refuses 3 MiB and one byte, which is no error of ours',
  async end => {
    told.forget();
    const { status } = await on.rest('POST', `/receipts/con_1/token${end}`, {
      body: bodyOf(bodyBytesMax('/receipts/') + 1),
    });
    expect(status).toBe(413);
    expect(told.find({ codes: new Set(), lines: new Set(['"level":50']) })).toEqual([]);
  },
);

test('64 KiB to the byte are read', async () => {
  const { status } = await on.rest('POST', '/api/omni/send', {
    token: customer.tokens.unified,
    body: bodyOf(BODY_BYTES_MAX),
  });
  expect(status).toBe(200);
});

describe('over a socket', () => {
  test('a length above the limit is refused before the body comes', async () => {
    const answer = await speak([...head('/api/omni/send'), `Content-Length: ${BODY_BYTES_MAX + 1}`], '{');
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('body_too_large');
  });

  test('a body in pieces is refused when it passes the limit', async () => {
    const piece = bodyOf(BODY_BYTES_MAX + 1);
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n0\r\n\r\n`;
    const answer = await speak([...head('/api/omni/send'), 'Transfer-Encoding: chunked'], chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a length that is too small leaves bytes that are no request', async () => {
    const answer = await speak([...head('/api/omni/send'), 'Content-Length: 10', 'Connection: close'], bodyOf(200));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.toLowerCase()).toContain('x-request-id: ');
  });

  test('a length and pieces together are refused', async () => {
    const answer = await speak(
      [...head('/api/omni/send'), 'Content-Length: 10', 'Transfer-Encoding: chunked', 'Connection: close'],
      '2\r\n{}\r\n0\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('a host that is none is refused with a request id, and nothing about the server', async () => {
    const lines = head('/api/omni/send').map(line => (line.startsWith('Host') ? 'Host: a b/c' : line));
    const answer = await speak([...lines, 'Content-Length: 2', 'Connection: close'], '{}');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.toLowerCase()).toContain('x-request-id: ');
  });
});
