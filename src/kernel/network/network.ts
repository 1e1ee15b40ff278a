import { isIP } from 'node:net';

/**
 * Reads a CIDR such as `10.0.0.0/8`; a single address becomes its /32 or /128. Null if it is neither, if the prefix is
 * too long, or if the address has a zone.
 */
export function parseNetwork(text: string): string | null {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : Number(prefix);
  return family === 0 || length > bits ? null : `${address}/${length}`;
}
