/** The client's address behind proxies, and its key for limits: addresses have many spellings, and IPv6 clients choose within a /64. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Whose `X-Forwarded-For` is trusted: the nearest `hops` proxies (≥ 1), or the proxies in `networks` (CIDRs). */
export type TrustedProxies = { readonly hops: number } | { readonly networks: readonly string[] };

/** Limits count IPv6 by this prefix: a customer gets at least a /64 to choose addresses from. */
const IPV6_PREFIX = 64;
/** The most that an internet provider gives to one customer, as a rule: all networks of that customer lie within it. */
const WIDER_PREFIX = { ipv4: 24, ipv6: 48 } as const;
/** The bit at which the IPv4 address begins in an IPv4-mapped IPv6 address. */
const MAPPED_PREFIX = 96;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** The key by which limits count an address: IPv4 (mapped too) as it is, IPv6 as its /64 without zone. Null if the text is no address. */
export function limitKey(text: string): string | null {
  const address = readAddress(text);
  if (address === null) return null;
  if (address.kind() === 'ipv4') return address.toString();
  return networkOf(address, IPV6_PREFIX);
}

/** The key of the network around an address: IPv4 (mapped too) as its /24, IPv6 as its /48. Null if the text is no address. */
export function networkKey(text: string): string | null {
  const address = readAddress(text);
  return address === null ? null : networkOf(address, WIDER_PREFIX[address.kind()]);
}

/** `prefix` is of whole bytes. */
function networkOf(address: Address, prefix: number): string {
  return `${ipaddr.fromByteArray(address.toByteArray().fill(0, prefix / 8))}/${prefix}`;
}

/**
 * The client's address: the socket's `peer`, or, behind trusted proxies, the nearest untrusted one in `X-Forwarded-For`. Read from the
 * right, since the caller can forge what stands left; an invalid entry ends the search at the address before it.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: TrustedProxies | null): string {
  let client = readAddress(peer);
  if (client === null) return peer;
  const entries = trusted === null ? [] : (forwardedFor ?? '').split(',');
  for (let hop = 0; trusted !== null && isTrusted(client, hop, trusted); hop++) {
    const next = readEntry(entries.pop() ?? '');
    if (next === null) break;
    client = next;
  }
  return client.toString();
}

/** Whether an address, mapped IPv4 as IPv4, lies in one of these CIDRs, which are parsed once by array: pass the same one again. */
export function isInNetworks(text: string, networks: readonly string[]): boolean {
  const address = readAddress(text);
  return address !== null && isInAny(address, networks);
}

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Whether a host is this machine itself. @param host a name or an address, without brackets */
export function isThisMachine(host: string): boolean {
  return host === 'localhost' || isInNetworks(host, LOOPBACK);
}

/** Whether the address at this hop (0 is the peer) is a trusted proxy. */
function isTrusted(address: Address, hop: number, trusted: TrustedProxies): boolean {
  if ('hops' in trusted) return hop < trusted.hops;
  return isInAny(address, trusted.networks);
}

function isInAny(address: Address, networks: readonly string[]): boolean {
  return networksOf(networks).some(
    ([network, prefix]) => address.kind() === network.kind() && address.match(network, prefix),
  );
}

/** Parsed CIDRs by list: each request needs them, and lists of a CDN's proxies are long. */
const networksRead = new WeakMap<readonly string[], readonly Network[]>();

function networksOf(cidrs: readonly string[]): readonly Network[] {
  let networks = networksRead.get(cidrs);
  if (!networks) {
    networks = cidrs.map(readNetwork);
    networksRead.set(cidrs, networks);
  }
  return networks;
}

/** Addresses are compared as IPv4 where they can be, so a network of mapped addresses becomes one of IPv4. */
function readNetwork(cidr: string): Network {
  const [address, prefix] = ipaddr.parseCIDR(cidr);
  const isMapped = 'isIPv4MappedAddress' in address && address.isIPv4MappedAddress() && prefix >= MAPPED_PREFIX;
  return isMapped ? [address.toIPv4Address(), prefix - MAPPED_PREFIX] : [address, prefix];
}

/** Reads an entry of `X-Forwarded-For`, which may have a port (`192.0.2.1:567`) and brackets (`[2001:db8::1]:443`). */
function readEntry(text: string): Address | null {
  const entry = text.trim();
  const [, bracketed, dotted] = /^(?:\[([^\]]*:[^\]]*)\]|([0-9.]+))(?::[0-9]{1,5})?$/.exec(entry) ?? [];
  return readAddress(bracketed ?? dotted ?? entry);
}

/** Accepts four decimal parts only for IPv4: ipaddr.js alone also accepts `0x7f.1` and octal. */
function readAddress(text: string): Address | null {
  const family = isIP(text);
  if (family === 0) return null;
  // Drop the zone: it names an interface of one machine, not a client.
  return ipaddr.process(family === 4 ? text : text.replace(/%.*$/s, '').replace(DOTTED_TAIL, hexTail));
}

const DOTTED_TAIL = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/** Writes the dotted end of an IPv6 address in hex: ipaddr.js mistakes `::192.0.2.1` for `::ffff:192.0.2.1`. */
function hexTail(_dotted: string, ...parts: string[]): string {
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
