/** A real OIDC provider in this process, whose only person signs in without being asked. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

/** The claims of the person who signs in there. */
export type PeerClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** The running provider. */
export interface OidcPeer {
  readonly issuer: string;
  /** The claims of whoever signs in next. */
  claims: PeerClaims;
  /** Whether whoever comes is refused. */
  refuses: boolean;
  /** The status that the place for codes answers with, 0: it hangs up; null: it does its work. */
  fault: number | null;
  /** The paths that the gateway fetched, and browsers asked for. */
  readonly asked: readonly string[];
  /** Follows the redirects of the provider as a browser does, and answers the address that it leads back to. */
  visit(url: string): Promise<URL>;
  close(): Promise<void>;
}

/** The client as which the provider knows the gateway. */
export const CLIENT = { id: 'heliograph', secret: 'a secret of the client for tests' } as const;

/** The path to which the provider sends people back, at whatever address the gateway listens. */
const RETURN_PATH = '/dashboard/oidc';

/** Starts the provider. */
export async function startOidcPeer(): Promise<OidcPeer> {
  let handle: ReturnType<Provider['callback']> | null = null;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push((request.url ?? '').split('?')[0] ?? '');
    if (peer.fault === null || !request.url?.startsWith('/token')) void handle?.(request, response);
    else if (peer.fault === 0) request.socket.destroy();
    else response.writeHead(peer.fault).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const peer: OidcPeer = {
    issuer,
    claims: { sub: 'nobody' },
    refuses: false,
    fault: null,
    asked,
    visit: url => visit(issuer, url),
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  const provider = new Provider(issuer, configuration(peer));
  provider.Client.prototype.redirectUriAllowed = uri => new URL(uri).pathname === RETURN_PATH;
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next();
    const result = peer.refuses
      ? { error: 'access_denied', error_description: 'not today' }
      : { login: { accountId: peer.claims.sub } };
    ctx.respond = false;
    await provider.interactionFinished(ctx.req, ctx.res, result);
  });
  handle = provider.callback();
  return peer;
}

function configuration(peer: OidcPeer): Configuration {
  return {
    clients: [
      { client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [`https://gateway.example${RETURN_PATH}`] },
    ],
    claims: { openid: ['sub'], email: ['email'], profile: ['name', 'roles', 'realm_access'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the cookies for tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ ...peer.claims, sub: accountId }) }),
    // Nobody is asked whether the gateway may know.
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client?.clientId ?? '',
        accountId: ctx.oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
}

async function visit(issuer: string, url: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(url);
  while (at.origin === issuer) {
    const header = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie: header } });
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      cookies.set(name, value);
    }
    const to = response.headers.get('location');
    if (to === null)
      throw new Error(`the provider answers ${response.status} at ${at.pathname}: ${await response.text()}`);
    at = new URL(to, at);
  }
  return at;
}
