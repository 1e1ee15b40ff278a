/** Reads the URLs of requests, finds the addresses of their hosts, and refuses those that a customer may not reach. */
import { isIP } from 'node:net';
import { isInNetworks } from '../kernel/network/address.ts';
import { isPublicAddress } from '../kernel/network/public-address.ts';
import { OutboundError, refused } from './faults.ts';
import type { Resolve } from './resolve.ts';

/** The target of a request. */
export interface Target {
  /** Scheme, host and port, as an HTTP client takes them. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly isSecure: boolean;
  /** An address without brackets, or a name. */
  readonly host: string;
  readonly port: number;
  /** Host and port as a person reads them: `[::1]:3000`, or `example.com` where the port is that of the scheme. */
  readonly authority: string;
}

/** The longest URL, in characters. */
const URL_LENGTH_MAX = 2_048;

/** Ports of web servers. Others would let a customer speak to mail servers and databases of strangers. */
const PUBLIC_PORTS: readonly number[] = [80, 443, 8080, 8443];

/** Begins what is said of a URL that leads to a network, or to a port, that deliveries may not reach. */
export const PUBLIC_ONLY = 'must be a public http(s) address';

/** Names that mean this machine whatever a server of names says (RFC 6761 §6.3). */
const LOCALHOST = /^(?:.+\.)?localhost\.?$/;
const LOOPBACK = ['127.0.0.1', '::1'] as const;

/** Reads a URL. A text is what is wrong with it, as the mend of the field that holds it. */
export function readTarget(text: string): Target | string {
  if (text.length > URL_LENGTH_MAX) return `must be at most ${URL_LENGTH_MAX} characters`;
  const url = URL.parse(text);
  if (url === null) return 'must be a whole URL, such as https://example.com/hooks';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://';
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or a password; the signature of each delivery proves who sent it';
  }
  const isSecure = url.protocol === 'https:';
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    isSecure,
    // Every spelling of an IPv4 address is its four decimal parts by now, and every one of IPv6 its shortest.
    host: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    authority: url.host,
  };
}

/** Finds where a target may be reached. */
export type FindAddresses = (target: Target, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Makes a `FindAddresses`. One address that may not be reached refuses the whole host: a name that points inside and outside at once is an attack.
 * @returns throws OutboundError `dns_failed` (the name has no address now) or `address_refused`
 */
export function createFindAddresses(allowedNetworks: readonly string[], resolve: Resolve): FindAddresses {
  const isAllowed = (address: string): boolean => isInNetworks(address, allowedNetworks);
  return async (target, signal) => {
    // The port says enough, so no server of names need be asked.
    if (allowedNetworks.length === 0 && !PUBLIC_PORTS.includes(target.port)) throw portRefused(target.port);
    const addresses = await addressesOf(target.host, signal, resolve, isAllowed);
    if (addresses.length === 0) {
      const message = `The host ${target.host} has no address. Check its spelling and its DNS records.`;
      throw new OutboundError('dns_failed', message);
    }
    const guarded = addresses.filter(address => !isAllowed(address));
    if (!guarded.every(isPublicAddress))
      throw refused(`${PUBLIC_ONLY}; the host ${target.host} has an address that is not public`);
    if (guarded.length > 0 && !PUBLIC_PORTS.includes(target.port)) throw portRefused(target.port);
    return addresses;
  };
}

function portRefused(port: number): OutboundError {
  return refused(`${PUBLIC_ONLY} on port ${PUBLIC_PORTS.join(', ')}, not ${port}`);
}

async function addressesOf(
  host: string,
  signal: AbortSignal,
  resolve: Resolve,
  isAllowed: (address: string) => boolean,
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  if (LOCALHOST.test(host)) {
    // Nobody's answer to be suspicious of, but this machine by two addresses, of which the operator may have allowed one.
    const allowed = LOOPBACK.filter(isAllowed);
    return allowed.length > 0 ? allowed : LOOPBACK;
  }
  return resolve(host, signal).catch(() => []);
}
