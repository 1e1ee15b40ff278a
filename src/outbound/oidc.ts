/** The OIDC provider that people sign in by, as the settings name it. Addresses that it names elsewhere are fetched by `https` alone. */
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import type { OidcSettings } from '../kernel/settings/oidc.ts';

/** How long the provider may take for an answer, in seconds. */
const TIMEOUT_SECONDS = 8;

/** Values that bind an answer of the provider to the browser that asked. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The claims of the provider about a person. */
export type OidcClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Why the provider let nobody in. */
export class OidcError extends Error {
  /** Whether the provider itself refused the person; else it, or what came back, was at fault. */
  readonly isRefusal: boolean;
  /** Whether the provider was not there to say anything of the person. */
  readonly isAway: boolean;

  constructor(message: string, isRefusal: boolean, isAway = false, cause?: unknown) {
    super(message, { cause });
    this.isAway = isAway;
    this.name = 'OidcError';
    this.isRefusal = isRefusal;
  }
}

/** The provider. */
export interface Oidc {
  readonly settings: OidcSettings;
  /** The address at which the browser signs in, and the checks to keep until it is back. @throws OidcError */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly checks: OidcChecks }>;
  /** The person who came back with this address. @throws OidcError */
  finish(address: URL, checks: OidcChecks): Promise<OidcClaims>;
}

/** Opens the provider of the settings. Nothing is fetched before the first sign-in. */
export function createOidc(settings: OidcSettings): Oidc {
  let found: Promise<Configuration> | null = null;
  const configuration = (): Promise<Configuration> => {
    // A failure is not kept: the next sign-in tries again.
    found ??= discover(settings).catch(error => {
      found = null;
      throw oidcErrorOf(error, true);
    });
    return found;
  };
  return {
    settings,
    async begin(redirectUri) {
      const [client, config] = [await import('openid-client'), await configuration()];
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scope,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, checks };
    },
    async finish(address, { state, nonce, verifier }) {
      const [client, config] = [await import('openid-client'), await configuration()];
      try {
        const tokens = await client.authorizationCodeGrant(config, address, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const told = tokens.claims();
        if (!told) throw new OidcError('The provider answered without an ID token.', false);
        // Most providers tell names and roles there alone.
        const more = config.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(config, tokens.access_token, told.sub)
          : {};
        return { ...more, ...told };
      } catch (error) {
        throw oidcErrorOf(error);
      }
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const client = await import('openid-client');
  const [basic, post] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)];
  const authenticate: ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
  const fetchThere: CustomFetch = (address, options) => {
    const { origin, protocol } = new URL(address);
    // Big providers take codes at another host than they are called by.
    if (protocol !== 'https:' && origin !== issuer.origin)
      throw new OidcError(`The provider names ${origin}, which is neither its own nor behind TLS.`, false);
    return fetch(address, options as RequestInit);
  };
  return client.discovery(issuer, clientId, undefined, authenticate, {
    timeout: TIMEOUT_SECONDS,
    [client.customFetch]: fetchThere,
    // The settings take http for this machine alone.
    execute: [
      client.enableNonRepudiationChecks,
      ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ],
  });
}

function oidcErrorOf(error: unknown, isAway = isOfServer(error)): OidcError {
  if (error instanceof OidcError) return error;
  if (error instanceof Error && error.cause instanceof OidcError) return error.cause;
  const isRefusal = error instanceof Error && error.name === 'AuthorizationResponseError';
  return new OidcError(error instanceof Error ? error.message : String(error), isRefusal, isAway, error);
}

/** Whether the provider could not be reached, took too long, or says that it is at fault. */
function isOfServer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError) return error.message === 'fetch failed';
  if ('code' in error && error.code === 'OAUTH_TIMEOUT') return true;
  // By its member: the server puts a `Response` of its own in the place of the system's.
  return [error, error.cause].some(one => Number(Object(one).status) >= 500);
}
