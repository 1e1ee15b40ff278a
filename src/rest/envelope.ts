/** The envelope of the facade (contract §3): success, problem details, and the plant endpoint's own error body. */
import { type AppError, ERRORS } from '../kernel/errors.ts';
import { infobipFailure } from './doors/infobip/infobip-failure.ts';
import { supabaseFailure } from './doors/supabase/supabase-failure.ts';
import { twilioFailure, twilioVerifyFailure } from './doors/twilio/twilio-failure.ts';
import type { VendorFailure } from './doors/vendor-failure.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** The body of a failure: problem details, the documented `Error` of the plant endpoint, that of a GraphQL request, or a vendor's at a door. */
export type FailureStyle = OwnStyle | VendorStyle;

type OwnStyle = 'problem' | 'plant' | 'graphql';
type VendorStyle = keyof typeof VENDORS;

/** The failures of doors, by their style. */
const VENDORS = {
  twilio: twilioFailure,
  twilio_verify: twilioVerifyFailure,
  infobip: infobipFailure,
  supabase: supabaseFailure,
} as const satisfies Record<string, (error: AppError, status?: number) => VendorFailure>;

const json = { 'content-type': 'application/json; charset=utf-8' };

/** An id for a request whose caller gave none. */
export function newRequestId(): string {
  return `req_${crypto.randomUUID().replaceAll('-', '')}`;
}

/** The caller's own request id where it is a plain word, so that both sides' logs meet; else one of ours. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && /^[\w.:-]{1,64}$/.test(header) ? header : newRequestId();
}

/** The value that a schema shows, with times still as `Date`, before JSON makes texts of them. */
export type Shown<Value> = Value extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Shown<Value[Name]> }
    : Value | (string extends Value ? Date : never);

/** `{"success":true,"message","data"}`, status 200. */
export function success(message: string, data: unknown): PlainAnswer {
  return bare({ success: true, message, data });
}

/** A bare body, status 200. */
export function bare(data: unknown): PlainAnswer {
  return { status: 200, headers: json, body: JSON.stringify(data) };
}

/** Parts of a failure: `data` is a result to show, `headers` are added, such as `Allow`, and `status` replaces that of the code. */
export interface FailureMore {
  readonly data?: unknown;
  readonly headers?: Record<string, string>;
  readonly status?: number;
}

/** An answer, but for the headers that every answer has. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The error of a refusal; absent: the request was not refused. */
  readonly error?: AppError;
}

/** Answers that `respond` made, with all of their headers; these need not be asked, which would cost. */
const whole = new WeakSet<Response>();

/** The errors of answers that are failures. */
const refusals = new WeakMap<Response, AppError>();

/** The error of an answer of `respond` that is a failure; undefined: it is none. */
export function refusalOf(response: Response): AppError | undefined {
  return refusals.get(response);
}

/** An answer with the headers of every answer, made in one go: a `Headers` costs more than all that it holds. `more`: headers of its own. */
export function respond(
  { status, headers, body, error }: PlainAnswer,
  requestId: string,
  more?: Iterable<[string, string]>,
): Response {
  const all: Record<string, string> = { ...headers, ...SECURITY_HEADERS, 'x-request-id': requestId };
  for (const [name, value] of more ?? []) all[name.toLowerCase()] = value;
  const response = new Response(body, { status, headers: all });
  whole.add(response);
  if (error) refusals.set(response, error);
  return response;
}

/** Adds the headers of every answer to one that was not made by `respond`, where it does not say otherwise. */
export function completeHeaders(response: Response, requestId: string): void {
  if (whole.has(response)) return;
  response.headers.set('x-request-id', requestId);
  for (const [name, value] of SECURITY) if (!response.headers.has(name)) response.headers.set(name, value);
}

const SECURITY = Object.entries(SECURITY_HEADERS);

const MEDIA_TYPES: Readonly<Record<OwnStyle, string>> = {
  problem: 'application/problem+json',
  plant: json['content-type'],
  graphql: 'application/graphql-response+json; charset=utf-8',
};

/** A failure in its style. */
export function failure(error: AppError, requestId: string, style: FailureStyle, more: FailureMore = {}): PlainAnswer {
  const { retryAfter } = error.details;
  const { status, body, challenge } = isVendor(style)
    ? VENDORS[style](error, more.status)
    : ownFailure(error, requestId, style, more);
  const headers = {
    'content-type': isVendor(style) ? 'application/json' : MEDIA_TYPES[style],
    ...(status === 401 && challenge !== null ? { 'www-authenticate': challenge } : {}),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...more.headers,
  };
  return { status, headers, body: JSON.stringify(body), error };
}

function ownFailure(error: AppError, requestId: string, style: OwnStyle, more: FailureMore) {
  const { title, status: usual } = ERRORS[error.code];
  const status = more.status ?? usual;
  const body = BODIES[style](error, { title, status, requestId }, more.data);
  return { status, body, challenge: style === 'graphql' ? null : 'Bearer' };
}

function isVendor(style: FailureStyle): style is VendorStyle {
  return style in VENDORS;
}

interface FailureFacts {
  readonly title: string;
  readonly status: number;
  readonly requestId: string;
}

const BODIES: Readonly<Record<OwnStyle, (error: AppError, facts: FailureFacts, data: unknown) => object>> = {
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
