/** Tells whose page in a browser sends a request, by headers that no page can write. */

/** `own`: a page of this gateway. `other`: one of another origin. `none`: no page, or a browser that names none. */
type AskingPage = 'own' | 'other' | 'none';

/**
 * The page that sends a request with these headers. `Sec-Fetch-Site` counts first; older browsers, and all of them over plain HTTP,
 * send `Origin` alone. An own page has the host of the request there, or `PUBLIC_URL`: a proxy may have changed `Host`.
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
