/** Limits of requests in the words of the header fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */

/** A limit as callers are told of it: at most `quota` requests at once, and as many again in each window. */
export interface RateLimitPolicy {
  /** Letters, digits, blanks and `-`. */
  readonly name: string;
  readonly quota: number;
  /** Whole seconds, at least 1. */
  readonly windowSeconds: number;
}

/**
 * The header fields of an answer, as names and values. `remaining` is how many requests may still come at once; `resetSeconds`
 * how long no more than these may come. Both become whole: requests by rounding down, seconds by rounding up.
 */
export function rateLimitHeaders(
  { name, quota, windowSeconds }: RateLimitPolicy,
  remaining: number,
  resetSeconds: number,
): [string, string][] {
  return [
    ['RateLimit-Policy', `"${name}";q=${quota};w=${windowSeconds}`],
    ['RateLimit', `"${name}";r=${Math.max(0, Math.floor(remaining))};t=${Math.max(0, Math.ceil(resetSeconds))}`],
  ];
}
