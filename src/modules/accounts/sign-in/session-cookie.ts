/** The cookie that holds the token of a session, and which requests it counts in. */
import { randomBytes } from 'node:crypto';

/** How long the browser keeps it: as long as a session lasts at most. */
const MAX_AGE_SECONDS = 30 * 86_400;

const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Makes the token of a session or of an invitation, with 256 random bits. */
export function newSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** By HTTPS the name has a prefix that browsers honour: no other host and no plain page can set a cookie of that name. */
function nameOf(publicUrl: string | null): string {
  return isSecure(publicUrl) ? '__Host-heliograph_session' : 'heliograph_session';
}

function isSecure(publicUrl: string | null): boolean {
  return publicUrl !== null && URL.parse(publicUrl)?.protocol === 'https:';
}

/** The header `Set-Cookie` that keeps a session; null takes it away. @param publicUrl `PUBLIC_URL`: where people reach the pages */
export function sessionCookie(publicUrl: string, token: string | null): string {
  const parts = [
    `${nameOf(publicUrl)}=${token ?? ''}`,
    'Path=/',
    `Max-Age=${token === null ? 0 : MAX_AGE_SECONDS}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure(publicUrl) ? ['Secure'] : []),
  ];
  return parts.join('; ');
}

/** The token in a header `Cookie`; null: none that could be one. */
export function readSessionCookie(publicUrl: string | null, cookies: string | null): string | null {
  const start = `${nameOf(publicUrl)}=`;
  const values = (cookies ?? '')
    .split(';')
    .map(cookie => cookie.trim())
    .filter(cookie => cookie.startsWith(start))
    .map(cookie => cookie.slice(start.length));
  const [token] = values;
  // Of two nobody knows which is ours.
  return values.length === 1 && token !== undefined && TOKEN_PATTERN.test(token) ? token : null;
}
