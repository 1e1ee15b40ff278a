/** The envelope of the facade (contract §3): success, problem details, and the plant endpoint's own error body. */
import { type AppError, ERRORS } from '../kernel/errors.ts';

/** Which body a failure has: problem details, the documented `Error` of the plant endpoint, or that of a GraphQL request. */
export type FailureStyle = 'problem' | 'plant' | 'graphql';

const json = { 'content-type': 'application/json; charset=utf-8' };

/** An id for a request whose caller gave none. */
export function newRequestId(): string {
  return `req_${crypto.randomUUID().replaceAll('-', '')}`;
}

/** The caller's own request id where it is a plain word, so that both sides' logs meet; else one of ours. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && /^[\w.:-]{1,64}$/.test(header) ? header : newRequestId();
}

/** What a schema shows, before JSON makes texts of its times. */
export type Shown<Value> = Value extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Shown<Value[Name]> }
    : Value | (string extends Value ? Date : never);

/** `{"success":true,"message","data"}`, status 200. */
export function success(message: string, data: unknown): Response {
  return new Response(JSON.stringify({ success: true, message, data }), { headers: json });
}

/** A bare body, status 200. */
export function bare(data: unknown): Response {
  return new Response(JSON.stringify(data), { headers: json });
}

/** What is told with a failure: `data` is a result to show, `headers` are added, such as `Allow`; `status` stands for that of the code. */
export interface FailureMore {
  readonly data?: unknown;
  readonly headers?: Record<string, string>;
  readonly status?: number;
}

/** An answer as it goes to a socket. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const MEDIA_TYPES: Readonly<Record<FailureStyle, string>> = {
  problem: 'application/problem+json',
  plant: json['content-type'],
  graphql: 'application/graphql-response+json; charset=utf-8',
};

/** A failure in its style. */
export function failure(error: AppError, requestId: string, style: FailureStyle, more: FailureMore = {}): Response {
  const { status, headers, body } = plainFailure(error, requestId, style, more);
  return new Response(body, { status, headers });
}

/** A failure in its style, for those that answer without the application. */
export function plainFailure(
  error: AppError,
  requestId: string,
  style: FailureStyle,
  more: FailureMore = {},
): PlainAnswer {
  const { title, status: usual } = ERRORS[error.code];
  const status = more.status ?? usual;
  const { retryAfter } = error.details;
  const headers = {
    'content-type': MEDIA_TYPES[style],
    ...(status === 401 && style !== 'graphql' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...more.headers,
  };
  const facts = { title, status, requestId };
  return { status, headers, body: JSON.stringify(BODIES[style](error, facts, more.data)) };
}

interface FailureFacts {
  readonly title: string;
  readonly status: number;
  readonly requestId: string;
}

const BODIES: Readonly<Record<FailureStyle, (error: AppError, facts: FailureFacts, data: unknown) => object>> = {
  problem: problemOf,
  plant: (error, { status }) => ({ error: status, message: error.message }),
  graphql: error => ({
    errors: [{ message: error.message, extensions: { code: error.code.toUpperCase(), ...error.details } }],
  }),
};

function problemOf(error: AppError, { title, status, requestId }: FailureFacts, given: unknown): object {
  // How many codes may still be tried is a result to show (contract §5), not a member of the problem.
  const { attemptsRemaining, ...details } = error.details;
  const data = given ?? (attemptsRemaining === undefined ? undefined : { attemptsRemaining });
  return {
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
}
