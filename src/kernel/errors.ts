/**
 * The failures that the gateway names. Every expected failure is an `AppError` with a code of this table; edges translate
 * it (REST: status and problem details, GraphQL: `extensions.code`), jobs read its kind. Codes and statuses: contract §3.
 */

/** What sort of failure it is; decides log level, retry and placement, whatever the transport. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'limited'
  | 'failed'
  | 'unavailable';

/** One row of the table: the kind, the HTTP status of the contract, and the title of the problem (RFC 9457). */
interface ErrorRow {
  readonly kind: ErrorKind;
  readonly status: number;
  readonly title: string;
}

/** Every code that a caller can meet. */
export const ERRORS = {
  invalid_input: { kind: 'invalid', status: 400, title: 'The input is not valid' },
  invalid_json: { kind: 'invalid', status: 400, title: 'The body is not valid JSON' },
  otp_incorrect: { kind: 'invalid', status: 400, title: 'The code is wrong' },
  unauthenticated: { kind: 'unauthenticated', status: 401, title: 'A valid token is required' },
  insufficient_balance: { kind: 'limited', status: 402, title: 'Not enough credits' },
  wrong_area: { kind: 'forbidden', status: 403, title: 'The token does not open this area' },
  unified_api_disabled: { kind: 'forbidden', status: 403, title: 'The unified API is off for this account' },
  plan_expired: { kind: 'forbidden', status: 403, title: 'The plan of this account has expired' },
  sender_not_approved: { kind: 'forbidden', status: 403, title: 'The sender is not approved' },
  not_found: { kind: 'not_found', status: 404, title: 'Not found' },
  otp_not_found: { kind: 'not_found', status: 404, title: 'There is no such passcode' },
  method_not_allowed: { kind: 'invalid', status: 405, title: 'The method is not allowed here' },
  reference_in_flight: { kind: 'conflict', status: 409, title: 'A request with this reference is still running' },
  otp_already_verified: { kind: 'conflict', status: 409, title: 'The passcode was used already' },
  otp_expired: { kind: 'conflict', status: 410, title: 'The passcode is over' },
  body_too_large: { kind: 'invalid', status: 413, title: 'The body is too large' },
  unsupported_media_type: { kind: 'invalid', status: 415, title: 'The content type is not supported' },
  reference_reused: { kind: 'conflict', status: 422, title: 'The reference was used for another request' },
  otp_blocked: { kind: 'limited', status: 423, title: 'The passcode is blocked' },
  rate_limited: { kind: 'limited', status: 429, title: 'Too many requests' },
  otp_cooldown: { kind: 'limited', status: 429, title: 'A passcode was sent a moment ago' },
  internal_error: { kind: 'failed', status: 500, title: 'Something went wrong' },
  all_channels_failed: { kind: 'failed', status: 502, title: 'No channel accepted the message' },
  overloaded: { kind: 'unavailable', status: 503, title: 'The gateway is overloaded' },
  database_unavailable: { kind: 'unavailable', status: 503, title: 'The database is unavailable' },
} as const satisfies Record<string, ErrorRow>;

/** A code of the table. */
export type ErrorCode = keyof typeof ERRORS;

/** One fault of the input: the field as the caller wrote it, and a message that names the mend. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** What a caller may be told beside code and message. */
export interface ErrorDetails {
  /** The faulty fields, for `invalid_input`. */
  readonly errors?: readonly FieldError[];
  /** Seconds to wait before the next try; also the `Retry-After` header. */
  readonly retryAfter?: number;
  /** How many codes may still be tried, for `otp_incorrect`. */
  readonly attemptsRemaining?: number;
}

/** An expected failure. `message` is public; `cause` is for the log only. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message?: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message ?? `${ERRORS[code].title}.`, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }

  /** The kind of this failure, from the table. */
  get kind(): ErrorKind {
    return ERRORS[this.code].kind;
  }
}

/** How many faults of one input are told at most, and how many characters of a name or value that came from the caller. */
export const FAULTS_MAX = 20;
const SHOWN_LENGTH_MAX = 100;

/** Room for the faults and for the sentence about them, which problem details hold twice, in an answer of 4 KiB; bytes of JSON. */
const FAULTS_BYTES_MAX = 1_800;
const SENTENCE_BYTES_MAX = 600;

/** `invalid_input` on one field. */
export function invalidInput(field: string, message: string): AppError {
  return faultyInput([{ field, message }]);
}

/**
 * `invalid_input` for the faults of an input, however many there are and however long their names: the answer has its bounds, and says
 * how many more there are. Everything that names faults is made here.
 */
export function faultyInput(faults: readonly FieldError[], cause?: unknown): AppError {
  const shown = faults.slice(0, FAULTS_MAX).map(fault => ({ ...fault, field: shorten(fault.field) }));
  const errors = firstThatFit(shown, FAULTS_BYTES_MAX);
  const sentences = firstThatFit(
    errors.map(({ field, message }) => `${field}: ${message}`),
    SENTENCE_BYTES_MAX,
  );
  const more = faults.length - sentences.length;
  const message = sentences.join('; ') + (more > 0 ? `; and ${more} more` : '');
  return new AppError('invalid_input', message, { errors }, cause);
}

/** A text from the caller as it may be repeated: its first 100 characters at most. */
export function shorten(text: string, lengthMax = SHOWN_LENGTH_MAX): string {
  // Half of a character is none.
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The first parts whose JSON has so many bytes together; one at least. */
function firstThatFit<Part>(parts: readonly Part[], bytesMax: number): readonly Part[] {
  let bytes = 0;
  const end = parts.findIndex(part => {
    bytes += Buffer.byteLength(JSON.stringify(part));
    return bytes > bytesMax;
  });
  return end < 0 ? parts : parts.slice(0, Math.max(end, 1));
}
