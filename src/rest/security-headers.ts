/** What every answer tells a browser, whether it came by one or not. */

/**
 * An answer of the API is data for who asked: kept nowhere, shown in no frame, taken for nothing but what it says it is. Pages and
 * their files say more exactly what they are. HTTPS is not spoken here: whoever ends it sends `Strict-Transport-Security`.
 */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
