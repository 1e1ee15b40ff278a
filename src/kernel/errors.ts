/** The table of error codes (contract §3). Every expected failure is an `AppError` with one of them. */

/** The HTTP status of the contract, and the title of the problem (RFC 9457). */
interface ErrorRow {
  readonly status: number;
  readonly title: string;
}

/** Every error code that a caller can get. */
export const ERRORS = {
  invalid_input: { status: 400, title: 'The input is not valid' },
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  otp_incorrect: { status: 400, title: 'The code is wrong' },
  unauthenticated: { status: 401, title: 'A valid token is required' },
  insufficient_balance: { status: 402, title: 'Not enough credits' },
  wrong_area: { status: 403, title: 'The token does not open this area' },
  unified_api_disabled: { status: 403, title: 'The unified API is off for this account' },
  plan_expired: { status: 403, title: 'The plan of this account has expired' },
  sender_not_approved: { status: 403, title: 'The sender is not approved' },
  recipient_suppressed: { status: 403, title: 'The recipient wants no messages of this account' },
  not_found: { status: 404, title: 'Not found' },
  otp_not_found: { status: 404, title: 'There is no such passcode' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  reference_in_flight: { status: 409, title: 'A request with this reference is still running' },
  recipient_in_flight: { status: 409, title: 'A send to this recipient is still running' },
  otp_already_verified: { status: 409, title: 'The passcode was used already' },
  otp_expired: { status: 410, title: 'The passcode is over' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  reference_reused: { status: 422, title: 'The reference was used for another request' },
  otp_blocked: { status: 423, title: 'The passcode is blocked' },
  rate_limited: { status: 429, title: 'Too many requests' },
  otp_cooldown: { status: 429, title: 'A passcode was sent a moment ago' },
  internal_error: { status: 500, title: 'Something went wrong' },
  all_channels_failed: { status: 502, title: 'No channel accepted the send' },
  overloaded: { status: 503, title: 'The gateway is overloaded' },
  database_unavailable: { status: 503, title: 'The database is unavailable' },
} as const satisfies Record<string, ErrorRow>;

/** A code of the table. */
export type ErrorCode = keyof typeof ERRORS;

/** One fault of the input: the field as the caller wrote it, and a message that says how to correct it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Why a request was refused, for the request log: the code in lower case, and the first field at fault. */
export interface Refusal {
  readonly code: string;
  readonly field: string | null;
}

interface ErrorDetails {
  /** The faulty fields, for `invalid_input`. */
  readonly errors?: readonly FieldError[];
  /** Seconds to wait before the next try; also sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** How many more codes may be tried, for `otp_incorrect`. */
  readonly attemptsRemaining?: number;
}

/** An expected failure, without a stack, which nobody would read. `message` is public; `cause` is for the log only. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message?: string, details: ErrorDetails = {}, cause?: unknown) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message ?? `${ERRORS[code].title}.`, cause === undefined ? undefined : { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }
}

/** At most so many faults of one input are reported, and so many characters of a name or value from the caller. */
export const SHOWN_FAULTS_MAX = 20;
const SHOWN_LENGTH_MAX = 100;

/** Bytes of JSON for the faults, and for the sentence about them: an answer stays below 4 KiB. */
const FAULTS_BYTES_MAX = 1_800;
const SENTENCE_BYTES_MAX = 600;

/** The answer to a caller for an error that nobody expected. The log has that error under the requestId. */
export function internalError(): AppError {
  return new AppError('internal_error', 'Something went wrong. Name the requestId when you report it.');
}

/** The answer for an account that does not exist, or is another's. */
export function noSuchAccount(): AppError {
  return new AppError('not_found', 'There is no such account. The operator lists them with `accounts`.');
}

/** The answer to people who must turn a second factor on, and ask for something else. */
export function mustEnrolFirst(): AppError {
  return new AppError('wrong_area', 'The account requires a second factor. Turn yours on first, in the dashboard.');
}

/** `invalid_input` on one field. */
export function invalidInput(field: string, message: string): AppError {
  return faultyInput([{ field, message }]);
}

/** `invalid_input` for many faults, shortened to fit an answer. Use it wherever faults are reported. */
export function faultyInput(faults: readonly FieldError[], cause?: unknown): AppError {
  const shown = faults.slice(0, SHOWN_FAULTS_MAX).map(fault => ({ ...fault, field: shorten(fault.field) }));
  const errors = firstThatFit(shown, FAULTS_BYTES_MAX);
  const sentences = firstThatFit(
    errors.map(({ field, message }) => `${field}: ${message}`),
    SENTENCE_BYTES_MAX,
  );
  const more = faults.length - sentences.length;
  const message = sentences.join('; ') + (more > 0 ? `; and ${more} more` : '');
  return new AppError('invalid_input', message, { errors }, cause);
}

/** A text from the caller, shortened to `lengthMax` characters for an answer. */
export function shorten(text: string, lengthMax = SHOWN_LENGTH_MAX): string {
  // Do not end with half of a surrogate pair.
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The first parts whose JSON fits into `bytesMax` together; at least one. */
function firstThatFit<Part>(parts: readonly Part[], bytesMax: number): readonly Part[] {
  let bytes = 0;
  const end = parts.findIndex(part => {
    bytes += Buffer.byteLength(JSON.stringify(part));
    return bytes > bytesMax;
  });
  return end < 0 ? parts : parts.slice(0, Math.max(end, 1));
}
