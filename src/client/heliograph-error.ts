/** The failure of a call: told by the gateway, or met on the way to it. */
import type { GatewayErrorCode } from './operations.generated.ts';

/** Codes of the client itself: no answer of the gateway came, the deadline passed first, or the answer is none of a gateway. */
export type ClientErrorCode = 'unreachable' | 'timed_out' | 'unexpected_answer';

/** The code of a failure. A newer gateway may answer others, which are texts too. */
export type HeliographErrorCode = GatewayErrorCode | ClientErrorCode | (string & Record<never, never>);

/** The facts of a failure beside its message. */
export interface HeliographErrorDetails {
  readonly field?: string | null;
  readonly requestId?: string | null;
  readonly retryAfter?: number | null;
  readonly attemptsRemaining?: number | null;
  readonly isBegun?: boolean;
}

/** A call that failed. Decide by `code`; the message is for people. */
export class HeliographError extends Error {
  override readonly name = 'HeliographError';
  /** The code in small letters, as in the documentation of errors. */
  readonly code: HeliographErrorCode;
  /** The first field at fault; null: none is. */
  readonly field: string | null;
  /** The id of the request, which the gateway logs; null where no answer came. */
  readonly requestId: string | null;
  /** Seconds to wait before the next try; null: the gateway did not say. */
  readonly retryAfter: number | null;
  /** How many codes may still be tried, of `otp_incorrect`; null otherwise. */
  readonly attemptsRemaining: number | null;
  /** Whether the gateway had begun the document: of several mutations, some may be done. */
  readonly isBegun: boolean;

  constructor(code: HeliographErrorCode, message: string, details: HeliographErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.field = details.field ?? null;
    this.requestId = details.requestId ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.attemptsRemaining = details.attemptsRemaining ?? null;
    this.isBegun = details.isBegun ?? false;
  }
}
