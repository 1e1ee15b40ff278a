/** Failures in Infobip's form. */
import { type AppError, ERRORS } from '../../../kernel/errors.ts';
import type { VendorFailure } from '../vendor-failure.ts';

/** Infobip's words by status. */
const WORDS: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
  500: 'GENERAL_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

/** A failure of 2FA. */
export function infobipFailure(error: AppError, given?: number): VendorFailure {
  const status = given ?? ERRORS[error.code].status;
  const messageId = error.code === 'otp_not_found' ? 'PIN_NOT_FOUND' : (WORDS[status] ?? 'BAD_REQUEST');
  const body = { requestError: { serviceException: { messageId, text: error.message } } };
  return { status, body, challenge: 'App' };
}
