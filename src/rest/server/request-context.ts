/** What the headers of a request say to a verb, and where the request came from. */
import type { Exchange } from '../../context.ts';
import { clientAddress, type TrustedProxies } from '../../kernel/network/address.ts';
import type { Connection } from './listen.ts';

/** The exchange of a request with these headers that came by this connection. */
export function exchangeOf(
  headers: Headers,
  { peer, stepAside }: Connection,
  trusted: TrustedProxies | null,
): Exchange {
  return {
    idempotencyKey: unquoted(headers.get('idempotency-key')),
    clientAddress: clientAddress(peer, headers.get('x-forwarded-for'), trusted),
    isCrossOrigin: isCrossOrigin(headers.get('origin'), headers.get('host')),
    headers: new Map(),
    stepAside,
  };
}

/**
 * Whether a page of another origin asks. Only browsers send `Origin`, and no page can leave it out. The scheme does not count: where
 * a proxy ends TLS, the page and this process have two.
 */
function isCrossOrigin(origin: string | null, host: string | null): boolean {
  return origin !== null && (host === null || URL.parse(origin)?.host !== URL.parse(`http://${host}`)?.host);
}

/** The header as the IETF draft has it, a quoted string, or bare, as many callers send it. */
function unquoted(header: string | null): string | null {
  if (header === null) return null;
  return /^"(.*)"$/.exec(header)?.[1] ?? header;
}
