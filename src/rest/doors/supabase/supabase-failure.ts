/** Failures in the form of a Supabase hook. */
import { type AppError, ERRORS } from '../../../kernel/errors.ts';
import type { VendorFailure } from '../vendor-failure.ts';

/** Statuses that say enough without a sentence. Supabase shows its user the sentence of an answer with status 200 alone. */
const WORDLESS: ReadonlySet<number> = new Set([401, 405, 500, 503]);

/** A failure of a hook. */
export function supabaseFailure(error: AppError): VendorFailure {
  const { status } = ERRORS[error.code];
  const body = { error: { http_code: status, message: error.message } };
  return { status: WORDLESS.has(status) ? status : 200, body, challenge: 'StandardWebhooks' };
}
