/** One sample of each failure, for the document: what the gateway says when it happens. */
import { AppError, type ErrorCode, internalError, invalidInput } from '../../kernel/errors.ts';

const said = (code: ErrorCode, message: string, retryAfter?: number): AppError =>
  new AppError(code, message, retryAfter === undefined ? {} : { retryAfter });

/** A failure of each code. */
export const PROBLEM_SAMPLES: Readonly<Record<ErrorCode, AppError>> = {
  invalid_input: invalidInput('to', 'must be a phone number with country code, like +12025550100'),
  invalid_json: said('invalid_json', 'The body is not valid JSON.'),
  otp_incorrect: new AppError('otp_incorrect', 'The code is wrong. 4 tries are left.', { attemptsRemaining: 4 }),
  unauthenticated: said('unauthenticated', 'A token is required: Authorization: Bearer <token>.'),
  insufficient_balance: said(
    'insufficient_balance',
    'The balance of the account has too few credits for this SMS. Top it up and send again.',
  ),
  wrong_area: said('wrong_area', 'This token is of another area than the path.'),
  unified_api_disabled: said('unified_api_disabled', 'The unified API is switched off for this account.'),
  plan_expired: said('plan_expired', 'The plan of this account has expired.'),
  sender_not_approved: said('sender_not_approved', 'The account has no approved SMS sender name for this message.'),
  recipient_suppressed: said(
    'recipient_suppressed',
    'The recipient asked for no more messages, or the account put it on its list (`suppressions`).',
  ),
  not_found: said('not_found', 'There is nothing at this path.'),
  otp_not_found: said('otp_not_found', 'There is no such passcode.'),
  method_not_allowed: said('method_not_allowed', 'Use POST here.'),
  reference_in_flight: said('reference_in_flight', 'A request with this reference is still running.', 1),
  recipient_in_flight: said(
    'recipient_in_flight',
    'A send to this recipient is under way, so nothing was erased. Try again in a few seconds.',
    5,
  ),
  otp_already_verified: said('otp_already_verified', 'This passcode was used already. Send a new one.'),
  otp_expired: said('otp_expired', 'This passcode is over. Send a new one.'),
  body_too_large: said('body_too_large', 'The body has more than 65536 bytes, the most that is read.'),
  unsupported_media_type: said('unsupported_media_type', 'Send JSON with the header Content-Type: application/json.'),
  reference_reused: said('reference_reused', 'The reference was used for another request. Use a new one.'),
  otp_blocked: said('otp_blocked', 'Too many wrong codes were given for this passcode. Send a new one.'),
  rate_limited: said('rate_limited', 'Too many requests with this token. Try again in 1 s.', 1),
  otp_cooldown: said('otp_cooldown', 'A passcode was sent to this recipient a moment ago.', 42),
  internal_error: internalError(),
  all_channels_failed: said('all_channels_failed', 'No channel accepted the message.'),
  overloaded: said('overloaded', 'There is too much to do. Try again in a moment.', 1),
  database_unavailable: said('database_unavailable', 'The database is unavailable. Try again in a moment.', 1),
};
