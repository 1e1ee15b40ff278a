/**
 * Addresses of clients: who really asks when proxies stand in front, and the unit by which limits count addresses. One machine may
 * write its address in many ways and choose freely within an IPv6 /64, so neither may be taken as text.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Whose `X-Forwarded-For` is believed: the nearest `hops` proxies (≥ 1), or the proxies in `networks` (CIDRs). */
export type TrustedProxies = { readonly hops: number } | { readonly networks: readonly string[] };

/** The prefix by which limits count IPv6: networks give each customer at least a /64 to choose addresses from. */
const IPV6_PREFIX = 64;
/** Where the IPv4 address begins within an IPv4-mapped IPv6 address. */
const MAPPED_PREFIX = 96;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/**
 * An address as the limits count it: IPv4 as it is, an IPv4-mapped IPv6 address as its IPv4, any other IPv6 address as its /64
 * (`2001:db8:0:1::/64`). Every way to write an address gives the same key; a zone (`%eth0`) does not count. Null where it is none.
 */
export function limitKey(text: string): string | null {
  const address = readAddress(text);
  if (address === null) return null;
  if (address.kind() === 'ipv4') return address.toString();
  const bytes = address.toByteArray().fill(0, IPV6_PREFIX / 8);
  return `${ipaddr.fromByteArray(bytes)}/${IPV6_PREFIX}`;
}

/**
 * Who really asks: the address of `peer`, the other end of the socket, unless it is a trusted proxy; then the nearest address of
 * `X-Forwarded-For` (`forwardedFor`, its lines joined by commas) that is none. Entries are read from the right, since what stands
 * further left than the trusted proxies wrote is the caller's own. Where an entry is no address, the one before it is the answer.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: TrustedProxies | null): string {
  let client = readAddress(peer);
  // A peer that is no address is none of the proxies.
  if (client === null) return peer;
  const entries = trusted === null ? [] : (forwardedFor ?? '').split(',');
  for (let hop = 0; trusted !== null && isTrusted(client, hop, trusted); hop++) {
    const next = readEntry(entries.pop() ?? '');
    if (next === null) break;
    client = next;
  }
  return client.toString();
}

/**
 * Whether an address lies in one of these networks (CIDRs). An IPv4-mapped IPv6 address counts as its IPv4; what is no address lies in
 * none. The lists are read once each: give the same array again rather than a copy.
 */
export function isInNetworks(text: string, networks: readonly string[]): boolean {
  const address = readAddress(text);
  return address !== null && isInAny(address, networks);
}

/** Whether what stands at this hop (the peer's is 0) is a proxy whose word on the hop before it is believed. */
function isTrusted(address: Address, hop: number, trusted: TrustedProxies): boolean {
  if ('hops' in trusted) return hop < trusted.hops;
  return isInAny(address, trusted.networks);
}

function isInAny(address: Address, networks: readonly string[]): boolean {
  return networksOf(networks).some(([network, prefix]) => isWithin(address, network, prefix));
}

function isWithin(address: Address, network: Address, prefix: number): boolean {
  return address.kind() === network.kind() && address.match(network, prefix);
}

/** The lists that were read already. Lists of proxies are long where a content network stands in front, and each request needs them. */
const networksRead = new WeakMap<readonly string[], readonly Network[]>();

function networksOf(cidrs: readonly string[]): readonly Network[] {
  let networks = networksRead.get(cidrs);
  if (!networks) {
    networks = cidrs.map(readNetwork);
    networksRead.set(cidrs, networks);
  }
  return networks;
}

/** Addresses are compared as IPv4 wherever they are such, so a network of mapped addresses is one of IPv4, too. */
function readNetwork(cidr: string): Network {
  const [address, prefix] = ipaddr.parseCIDR(cidr);
  const isMapped = 'isIPv4MappedAddress' in address && address.isIPv4MappedAddress() && prefix >= MAPPED_PREFIX;
  return isMapped ? [address.toIPv4Address(), prefix - MAPPED_PREFIX] : [address, prefix];
}

/** An entry of `X-Forwarded-For`: an address, which may have a port (`192.0.2.1:567`) and brackets (`[2001:db8::1]:443`). */
function readEntry(text: string): Address | null {
  const entry = text.trim();
  const [, bracketed, dotted] = /^(?:\[([^\]]*:[^\]]*)\]|([0-9.]+))(?::[0-9]{1,5})?$/.exec(entry) ?? [];
  return readAddress(bracketed ?? dotted ?? entry);
}

/** Reads an address strictly (IPv4 has four decimal parts): ipaddr.js alone takes `0x7f.1` and octal, as some resolvers do. */
function readAddress(text: string): Address | null {
  const family = isIP(text);
  if (family === 0) return null;
  // A zone names an interface of one machine: it tells nothing about who is there.
  return ipaddr.process(family === 4 ? text : text.replace(/%.*$/s, '').replace(DOTTED_TAIL, hexTail));
}

const DOTTED_TAIL = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/** The dotted end of an IPv6 address in hexadecimal. ipaddr.js takes `::192.0.2.1` for `::ffff:192.0.2.1`, which is another address. */
function hexTail(_dotted: string, ...parts: string[]): string {
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
