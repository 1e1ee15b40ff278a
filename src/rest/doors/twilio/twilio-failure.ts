/** Failures in Twilio's form: its own numbers by our codes, and a link to its page about the number. */
import { AppError, ERRORS, type ErrorCode } from '../../../kernel/errors.ts';
import { LimitError } from '../../../kernel/rate-limit.ts';
import { ownValue } from '../../own-value.ts';
import type { VendorFailure } from '../vendor-failure.ts';

/** Twilio's numbers. Codes that no door meets have the number of their status. */
const NUMBERS: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_input: 20001,
  unauthenticated: 20003,
  wrong_area: 20003,
  method_not_allowed: 20004,
  insufficient_balance: 20005,
  unified_api_disabled: 20005,
  plan_expired: 20005,
  sender_not_approved: 21606,
  recipient_suppressed: 21610,
  otp_not_found: 20404,
  otp_expired: 20404,
  otp_already_verified: 20404,
  otp_blocked: 60202,
  otp_cooldown: 60212,
  all_channels_failed: 30008,
};

/** Statuses where Twilio has another one than we have. */
const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  sender_not_approved: 400,
  recipient_suppressed: 400,
  otp_expired: 404,
  otp_already_verified: 404,
  otp_blocked: 429,
};

/** The number of a parameter that is wrong, where Twilio has one. */
const FIELDS: Readonly<Record<string, number>> = { To: 21211, From: 21212, Body: 21617, StatusCallback: 21609 };

/** Limits of passcodes have numbers of their own, by the beginning of their name. */
const LIMITS: readonly (readonly [name: string, number: number])[] = [
  ['otp-wrong-codes', 60202],
  ['otp-sends', 60203],
];

/** The number for all parameters of Verify. */
const VERIFY_PARAMETER = 60200;

/** `invalid_input` with a number of Twilio's own. */
export class TwilioError extends AppError {
  readonly number: number;

  constructor(number: number, field: string, message: string) {
    super('invalid_input', `${field}: ${message}`, { errors: [{ field, message }] });
    this.number = number;
  }
}

/** A failure of Messages. */
export function twilioFailure(error: AppError, status?: number): VendorFailure {
  return failureOf(error, ownValue(FIELDS, error.details.errors?.[0]?.field ?? ''), status);
}

/** A failure of Verify. */
export function twilioVerifyFailure(error: AppError, status?: number): VendorFailure {
  return failureOf(error, VERIFY_PARAMETER, status);
}

function failureOf(error: AppError, ofField: number | undefined, given: number | undefined): VendorFailure {
  const status = given ?? STATUSES[error.code] ?? ERRORS[error.code].status;
  const code = numberOf(error, ofField) ?? NUMBERS[error.code] ?? 20_000 + status;
  const body = { code, message: error.message, more_info: `https://www.twilio.com/docs/errors/${code}`, status };
  return { status, body, challenge: 'Basic realm="gateway"' };
}

function numberOf(error: AppError, ofField: number | undefined): number | undefined {
  if (error instanceof TwilioError) return error.number;
  if (error instanceof LimitError) return LIMITS.find(([name]) => error.policy.name.startsWith(name))?.[1];
  return error.code === 'invalid_input' ? ofField : undefined;
}
