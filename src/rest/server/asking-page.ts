/** Whose page of a browser sends a request. A page can write none of the headers that this is read from. */

/** `own`: a page of this gateway. `other`: one of another origin. `none`: no page, or a browser that names none. */
export type AskingPage = 'own' | 'other' | 'none';

/**
 * The page that sends a request with these headers. What the browser says itself is believed first; older ones, and all of them at a plain
 * address, send `Origin` only, which must be the host asked or that of `PUBLIC_URL`: a proxy may have changed the header `Host`.
 * @param publicUrl null: it is not set
 */
export function askingPage(headers: Headers, publicUrl: string | null): AskingPage {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' ? 'own' : site === 'none' ? 'none' : 'other';
  const origin = headers.get('origin');
  if (origin === null) return 'none';
  return isHost(origin, headers.get('host')) || isOrigin(origin, publicUrl) ? 'own' : 'other';
}

/** The scheme does not count: a proxy may end TLS. */
function isHost(origin: string, host: string | null): boolean {
  return host !== null && URL.parse(origin)?.host === URL.parse(`http://${host}`)?.host;
}

function isOrigin(origin: string, publicUrl: string | null): boolean {
  return publicUrl !== null && URL.parse(publicUrl)?.origin === origin;
}
