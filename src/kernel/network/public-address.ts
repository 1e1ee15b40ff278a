/** Outbound calls go to public addresses only, or a customer could reach the gateway's own network (SSRF). */
import { isIP } from 'node:net';
import { isInNetworks } from './address.ts';

/** The IPv4 blocks that are not public: IANA's special-purpose registry, multicast and reserved space. */
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

/** The public IPv6 space. An allow list, so that later blocks, and forms that embed an IPv4 address, are refused. */
const GLOBAL_IPV6: readonly string[] = ['2000::/3'];

/** The blocks inside it that are not public: Teredo and its neighbours, documentation (two), 6to4, and AS112. */
export const SPECIAL_IPV6: readonly string[] = [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
];

/** Whether a text is a public address. IPv6 ones with a zone, or that embed an IPv4 one (mapped, translated, tunnelled), are not. */
export function isPublicAddress(text: string): boolean {
  const family = isIP(text);
  if (family === 4) return !isInNetworks(text, SPECIAL_IPV4);
  if (family !== 6 || text.includes('%')) return false;
  return isInNetworks(text, GLOBAL_IPV6) && !isInNetworks(text, SPECIAL_IPV6);
}
