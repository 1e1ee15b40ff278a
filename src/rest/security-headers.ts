/** The security headers of every answer, whether a browser asked or not. */

/**
 * An answer of the API is data for its caller: cached nowhere, shown in no frame, and read as its own type alone. Pages and their
 * files have headers of their own. The proxy that ends HTTPS has to send `Strict-Transport-Security`.
 */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
