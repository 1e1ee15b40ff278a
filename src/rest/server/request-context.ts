/** Makes the context of a request from its headers and the address of its caller. */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Actor, type Clock, Ctx, type RequestFacts, type Services } from '../../context.ts';
import { clientAddress, limitKey, type TrustedProxies } from '../../kernel/network/address.ts';
import { LazySignal } from '../../kernel/process/lazy-signal.ts';
import type { Authenticator } from '../../modules/accounts/authenticate.ts';
import { readSessionCookie } from '../../modules/accounts/sign-in/session-cookie.ts';
import type { Logger } from '../../observability/logger.ts';
import { plainRequestId } from '../../observability/plain-words.policy.ts';
import { logFieldsOf } from '../../observability/traces/traces.ts';
import { askingPage } from './asking-page.ts';
import { type Connection, IN_PROCESS, peerOf } from './listen.ts';

/** Makes the context of a request, a command or a job. Without a request it comes from this machine, and ends by itself. */
export type MakeCtx = (actor: Actor, requestId: string, request?: Request, connection?: Connection) => Ctx;

interface ContextParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** The proxies whose `X-Forwarded-For` is believed; null: none. */
  readonly trustedProxies: TrustedProxies | null;
  /** `PUBLIC_URL`, whose pages are the gateway's own; null: it is not set. */
  readonly publicUrl: string | null;
  /** A function, since the services make contexts for themselves. */
  services(): Services;
}

const NO_HEADERS = new Headers();

/** Makes the contexts of a process. */
export function contextMaker(parts: ContextParts): MakeCtx {
  const { clock, log, services } = parts;
  return (actor, requestId, request, connection = IN_PROCESS) => {
    const unending = new LazySignal();
    const { traces } = services();
    const facts = requestFactsOf(request?.headers ?? NO_HEADERS, connection, parts);
    if (traces && request) traces.join(request, facts);
    return new Ctx({
      actor,
      requestId,
      clock,
      services: services(),
      request: facts,
      // Most requests log nothing, and end by themselves.
      log: () => log.child({ requestId: plainRequestId(requestId), ...logFieldsOf(traces?.spanOf(facts)) }),
      signal: () => request?.signal ?? unending.signal,
    });
  };
}

/** The facts of a request with these headers that came by this connection. */
export function requestFactsOf(
  headers: Headers,
  { peer, stepAside }: Connection,
  { trustedProxies, publicUrl }: Pick<ContextParts, 'trustedProxies' | 'publicUrl'>,
): RequestFacts {
  return {
    idempotencyKey: headers.get('idempotency-key'),
    clientAddress: clientAddress(peer, headers.get('x-forwarded-for'), trustedProxies),
    isCrossOrigin: askingPage(headers, publicUrl) === 'other',
    userAgent: headers.get('user-agent'),
    cookies: headers.get('cookie'),
    answerHeaders: new Map(),
    gap: { rows: 0 },
    answerCookies: [],
    stepAside,
  };
}

/** Authenticates requests by their token. The caller's address is noted as that of the token's last use. */
export function holderOf(
  { authenticate }: Pick<Authenticator, 'authenticate'>,
  { trustedProxies }: Pick<ContextParts, 'trustedProxies'>,
) {
  return (request: Request, connection: Connection): Promise<Actor> => {
    const { headers } = request;
    const [authorization, accountId] = [
      headers.get('authorization') ?? undefined,
      headers.get('x-account-id') ?? undefined,
    ];
    return authenticate(authorization, accountId, () =>
      clientAddress(connection.peer, headers.get('x-forwarded-for'), trustedProxies),
    );
  };
}

/** The addresses at the other ends of connections, as limits count them. */
const peerKeys = new WeakMap<Socket, string>();

/** The address of a request's caller, as limits count it: a client with many addresses of one network counts once. */
export function addressKeyOf(request: IncomingMessage, trusted: TrustedProxies | null): string {
  if (trusted !== null) {
    const forwarded = request.headers['x-forwarded-for']?.toString() ?? null;
    return keyOf(clientAddress(peerOf(request), forwarded, trusted));
  }
  const known = peerKeys.get(request.socket);
  if (known !== undefined) return known;
  const key = keyOf(peerOf(request));
  peerKeys.set(request.socket, key);
  return key;
}

function keyOf(address: string): string {
  return limitKey(address) ?? address;
}

/** The last key of each connection: its next request mostly brings the same token. */
const tokenKeys = new WeakMap<Socket, { readonly text: string; readonly key: string }>();

/**
 * A key for the token of a request, however it is written, else for the session of a page, whatever its other cookies. Without either
 * the key is empty. @param publicUrl `PUBLIC_URL`; null: it is not set
 */
export function tokenKeyOf({ headers, socket }: IncomingMessage, publicUrl: string | null): string {
  const authorization = headers.authorization?.trim();
  const text = authorization || headers.cookie;
  if (!text) return '';
  const last = tokenKeys.get(socket);
  if (last?.text === text) return last.key;
  const shown = authorization ? tokenIn(text) : sessionIn(text, publicUrl);
  const key = shown === null ? '' : hash('sha256', shown, 'base64');
  tokenKeys.set(socket, { text, key });
  return key;
}

function sessionIn(cookies: string, publicUrl: string | null): string | null {
  const session = readSessionCookie(publicUrl, cookies);
  return session === null ? null : `session ${session}`;
}

/** The token in a header `Authorization`. A name before it in Basic credentials makes no other caller. */
function tokenIn(authorization: string): string {
  const shown = authorization.slice(authorization.lastIndexOf(' ') + 1);
  if (!/^basic /i.test(authorization)) return shown;
  const credentials = Buffer.from(shown, 'base64').toString();
  return credentials.slice(credentials.indexOf(':') + 1);
}
