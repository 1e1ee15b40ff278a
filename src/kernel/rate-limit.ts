/** The header fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
import { AppError, type ErrorCode } from './errors.ts';

/** A limit as the headers state it: at most `quota` requests at once, and as many again in each window. */
export interface RateLimitPolicy {
  /** Letters, digits, blanks and `-`. */
  readonly name: string;
  readonly quota: number;
  /** Whole seconds, at least 1. */
  readonly windowSeconds: number;
}

/** A refusal by a limit, with the limit that refused. `retryAfter` is in whole seconds, at least 1. */
export class LimitError extends AppError {
  readonly policy: RateLimitPolicy;

  constructor(
    code: Extract<ErrorCode, 'rate_limited' | 'otp_cooldown'>,
    message: string,
    policy: RateLimitPolicy,
    retryAfterSeconds: number,
  ) {
    super(code, message, { retryAfter: Math.max(1, Math.ceil(retryAfterSeconds)) });
    this.policy = policy;
  }
}

/** Adds a limit to the headers of an answer, beside earlier ones. `remaining` requests are rounded down, `resetSeconds` up. */
export function tellLimit(
  headers: Map<string, string>,
  { name, quota, windowSeconds }: RateLimitPolicy,
  remaining: number,
  resetSeconds: number,
): void {
  const add = (field: string, value: string): void => {
    const told = headers.get(field);
    headers.set(field, told === undefined ? value : `${told}, ${value}`);
  };
  add('RateLimit-Policy', `"${name}";q=${quota};w=${windowSeconds}`);
  add('RateLimit', `"${name}";r=${Math.max(0, Math.floor(remaining))};t=${Math.max(0, Math.ceil(resetSeconds))}`);
}

/** Awaits `run`; if a limit refuses it, adds that limit to the headers. @throws errors of `run`. */
export async function tellingLimits<Result>(headers: Map<string, string>, run: Promise<Result>): Promise<Result> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof LimitError) tellLimit(headers, error.policy, 0, error.details.retryAfter ?? 1);
    throw error;
  }
}
