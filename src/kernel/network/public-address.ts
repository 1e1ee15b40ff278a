/**
 * Which addresses belong to the public Internet. What the gateway calls for its customers must be one of them, or a customer could
 * reach through the gateway what only its own network may reach.
 */
import { isIP } from 'node:net';
import { isInNetworks } from './address.ts';

/** The blocks of IPv4 that are not for everybody (IANA's special-purpose registry), with multicast and what is reserved. */
export const SPECIAL_IPV4: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/**
 * What is allocated of IPv6. A list of what is public rather than of what is not: every form that holds an IPv4 address, and whatever
 * is invented next, lies outside it or in one of the blocks below.
 */
const GLOBAL_IPV6: readonly string[] = ['2000::/3'];

/** The blocks inside it that are not for everybody: Teredo and its neighbours, documentation (two), 6to4, and AS112. */
export const SPECIAL_IPV6: readonly string[] = [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
];

/**
 * Whether a text is a public address: IPv4 as four decimal parts, or IPv6 in any spelling, without brackets. An IPv4 address inside
 * an IPv6 one (mapped, compatible, translated, tunnelled) is never public, nor is one with a zone, nor what is no address.
 */
export function isPublicAddress(text: string): boolean {
  const family = isIP(text);
  if (family === 4) return !isInNetworks(text, SPECIAL_IPV4);
  if (family !== 6 || text.includes('%')) return false;
  return isInNetworks(text, GLOBAL_IPV6) && !isInNetworks(text, SPECIAL_IPV6);
}
