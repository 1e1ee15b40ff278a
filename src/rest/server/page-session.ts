/** The session of a browser counts in requests of the gateway's own pages alone. */
import type { Actor } from '../../context.ts';
import type { Authenticator } from '../../modules/accounts/authenticate.ts';
import { readSessionCookie } from '../../modules/accounts/sign-in/session-cookie.ts';
import { askingPage } from './asking-page.ts';

/**
 * The session's token that a request may use; null: it has none, or does not show that a page of this gateway sent it. A header
 * `Authorization` wins. The cookie is `SameSite=Strict`, but other ports and subdomains are the same site.
 */
function sessionTokenOf({ method, headers }: Request, publicUrl: string | null): string | null {
  if (method !== 'POST' || headers.has('authorization')) return null;
  if (askingPage(headers, publicUrl) !== 'own') return null;
  return readSessionCookie(publicUrl, headers.get('cookie'));
}

/** Finds the signed-in caller of a request; a stranger where nobody is. @param publicUrl `PUBLIC_URL`; null: it is not set */
export function whoIsSignedIn(authenticator: Authenticator, publicUrl: string | null) {
  return async (request: Request): Promise<Actor> => {
    const token = sessionTokenOf(request, publicUrl);
    if (token === null) return { kind: 'anonymous' };
    return authenticator.session(token, request.headers.get('x-account-id') ?? undefined);
  };
}
