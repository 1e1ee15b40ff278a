/** Answers bytes that are no HTTP, or no whole request in time, as Node does by itself, but with a problem and a request id. */
import type { Duplex } from 'node:stream';
import { AppError } from '../../kernel/errors.ts';
import { newRequestId, plainFailure } from '../envelope.ts';

/** What Node's HTTP parser refuses, by its code; anything else is a bad request. */
const REFUSALS: Readonly<Record<string, readonly [line: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};

/** How long the client has to read why it is cut off. */
const LINGER_MS = 500;

/** Says what was wrong and ends the connection; says nothing where an answer `hasBegun`, or nobody is there. */
export function sendParseFailure(error: NodeJS.ErrnoException, socket: Duplex, hasBegun: boolean): void {
  if (!socket.writable || error.code === 'ECONNRESET' || hasBegun) {
    socket.destroy();
    return;
  }
  const [line, message] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'The request is no HTTP.'];
  const requestId = newRequestId();
  const { headers, body } = plainFailure(new AppError('invalid_input', message), requestId, 'problem', {
    status: Number.parseInt(line, 10),
    headers: { connection: 'close', 'x-request-id': requestId },
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${line}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
