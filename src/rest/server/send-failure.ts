import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError } from '../../kernel/errors.ts';
import { type FailureStyle, plainFailure, requestIdOf } from '../envelope.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';
import { pathOf } from './request-head.ts';

/** The style of the failures of a path. */
export type StyleOf = (path: string) => FailureStyle;

/** Answers a request with a failure on the bare socket, which costs less than asking the application. `status` stands for that of the code. */
export function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  styleOf: StyleOf,
  error: AppError,
  status?: number,
): void {
  if (response.destroyed) return;
  const requestId = requestIdOf(request.headers['x-request-id']?.toString());
  const answer = plainFailure(error, requestId, styleOf(pathOf(request)), status === undefined ? {} : { status });
  // The rest of it is not waited for.
  if (!request.complete) response.shouldKeepAlive = false;
  response.writeHead(answer.status, {
    ...answer.headers,
    ...SECURITY_HEADERS,
    'content-length': Buffer.byteLength(answer.body),
    'x-request-id': requestId,
  });
  response.end(answer.body);
}
