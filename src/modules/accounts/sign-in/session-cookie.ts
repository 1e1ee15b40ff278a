/** The cookies of the pages, hidden from scripts and for this site alone; most of all the one that holds the token of a session. */
import { randomBytes } from 'node:crypto';

const SESSION = 'heliograph_session';

/** How long the browser keeps it: as long as a session lasts at most. */
const MAX_AGE_SECONDS = 30 * 86_400;

const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Makes the token of a session or of an invitation, with 256 random bits. */
export function newSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The header `Set-Cookie` that keeps a session; null takes it away. @param publicUrl `PUBLIC_URL`: where people reach the pages */
export function sessionCookie(publicUrl: string, token: string | null): string {
  return cookie(publicUrl, SESSION, token ?? '', token === null ? 0 : MAX_AGE_SECONDS);
}

/** The token in a header `Cookie`; null: none that could be one. */
export function readSessionCookie(publicUrl: string | null, cookies: string | null): string | null {
  const token = readCookie(publicUrl, cookies, SESSION);
  return token !== null && TOKEN_PATTERN.test(token) ? token : null;
}

/** By HTTPS the name has a prefix that browsers honour: no other host and no plain page can set a cookie of that name. */
function nameOf(publicUrl: string | null, name: string): string {
  return isSecure(publicUrl) ? `__Host-${name}` : name;
}

function isSecure(publicUrl: string | null): boolean {
  return publicUrl !== null && URL.parse(publicUrl)?.protocol === 'https:';
}

/** A header `Set-Cookie`. @param publicUrl `PUBLIC_URL`: where people reach the pages @param maxAge seconds that the browser keeps it */
export function cookie(publicUrl: string, name: string, value: string, maxAge: number): string {
  const parts = [
    `${nameOf(publicUrl, name)}=${value}`,
    'Path=/',
    `Max-Age=${maxAge}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure(publicUrl) ? ['Secure'] : []),
  ];
  return parts.join('; ');
}

/** The value of a cookie in a header `Cookie`; null: it is not there, or more than once. */
export function readCookie(publicUrl: string | null, cookies: string | null, name: string): string | null {
  const start = `${nameOf(publicUrl, name)}=`;
  const values = (cookies ?? '')
    .split(';')
    .map(text => text.trim())
    .filter(text => text.startsWith(start))
    .map(text => text.slice(start.length));
  const [value] = values;
  // Of two nobody knows which is ours.
  return values.length === 1 && value !== undefined ? value : null;
}
