/** Failures on the bare socket, which cost less than asking the application, or come before it could be asked. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../kernel/errors.ts';
import { type FailureStyle, failure, newRequestId, requestIdOf } from '../envelope.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';
import { pathOf } from './request-head.ts';

/** The style of the failures of a path. */
export type StyleOf = (path: string) => FailureStyle;

/** A request that was refused on the bare socket. */
interface EarlyRefusal {
  readonly requestId: string;
  readonly status: number;
  readonly error: AppError;
}

/** Is called with each request that was refused so. */
export type OnRefused = (request: IncomingMessage, refused: EarlyRefusal) => void;

/** Answers a request with a failure; `status` stands for that of the code. Null: the caller is gone. */
export function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  styleOf: StyleOf,
  error: AppError,
  status?: number,
): EarlyRefusal | null {
  if (response.destroyed) return null;
  const requestId = requestIdOf(request.headers['x-request-id']?.toString());
  const answer = failure(error, requestId, styleOf(pathOf(request)), status === undefined ? {} : { status });
  // The rest of it is not waited for.
  if (!request.complete) response.shouldKeepAlive = false;
  response.writeHead(answer.status, {
    ...answer.headers,
    ...SECURITY_HEADERS,
    'content-length': Buffer.byteLength(answer.body),
    'x-request-id': requestId,
  });
  response.end(answer.body);
  return { requestId, status: answer.status, error };
}

/** The refusals of Node's HTTP parser, by its code; any other is a bad request. */
const REFUSALS: Readonly<Record<string, readonly [line: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};

/** How long the client has to read why it is cut off. */
const LINGER_MS = 500;

/** Answers bytes that are no HTTP, or no whole request in time, and ends the connection; silently where an answer `hasBegun`. */
export function sendParseFailure(error: NodeJS.ErrnoException, socket: Duplex, hasBegun: boolean): void {
  if (!socket.writable || error.code === 'ECONNRESET' || hasBegun) {
    socket.destroy();
    return;
  }
  const [line, message] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'The request is no HTTP.'];
  const requestId = newRequestId();
  const { headers, body } = failure(new AppError('invalid_input', message), requestId, 'problem', {
    status: Number.parseInt(line, 10),
    headers: { connection: 'close', 'x-request-id': requestId },
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${line}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
