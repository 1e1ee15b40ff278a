/** Failures in the form of a Supabase hook. */
import { type AppError, ERRORS } from '../../../kernel/errors.ts';
import type { VendorFailure } from '../vendor-failure.ts';

/** A failure of a hook. */
export function supabaseFailure(error: AppError, given?: number): VendorFailure {
  const status = given ?? ERRORS[error.code].status;
  const body = { error: { http_code: status, message: error.message } };
  return { status, body, challenge: 'StandardWebhooks' };
}
