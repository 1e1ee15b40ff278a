/** The envelope of the facade (contract §3): success, problem details, and the plant endpoint's own error body. */
import { type AppError, ERRORS } from '../kernel/errors.ts';

/** Which body a failure has: problem details, or the documented `Error` of the plant endpoint. */
export type FailureStyle = 'problem' | 'plant';

const json = { 'content-type': 'application/json; charset=utf-8' };

/** An id for a request whose caller gave none. */
export function newRequestId(): string {
  return `req_${crypto.randomUUID().replaceAll('-', '')}`;
}

/** `{"success":true,"message","data"}`, status 200. */
export function success(message: string, data: unknown): Response {
  return new Response(JSON.stringify({ success: true, message, data }), { headers: json });
}

/** A bare body, status 200. */
export function bare(data: unknown): Response {
  return new Response(JSON.stringify(data), { headers: json });
}

/** A failure in its style. `data` is a result to show with it; `headers` are added, such as `Allow`. */
export function failure(
  error: AppError,
  requestId: string,
  style: FailureStyle,
  more: { data?: unknown; headers?: Record<string, string> } = {},
): Response {
  const { status, title } = ERRORS[error.code];
  // How many codes may still be tried is a result to show (contract §5), not a member of the problem.
  const { attemptsRemaining, ...details } = error.details;
  const { retryAfter } = details;
  const data = more.data ?? (attemptsRemaining === undefined ? undefined : { attemptsRemaining });
  const headers: Record<string, string> = {
    'content-type': style === 'plant' ? json['content-type'] : 'application/problem+json',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...more.headers,
  };
  const body =
    style === 'plant'
      ? { error: status, message: error.message }
      : {
          success: false,
          message: error.message,
          type: `urn:heliograph:problem:${error.code}`,
          title,
          status,
          detail: error.message,
          code: error.code,
          requestId,
          ...details,
          ...(data === undefined ? {} : { data }),
        };
  return new Response(JSON.stringify(body), { status, headers });
}
