import { isIP } from 'node:net';

/** Reads a CIDR such as `10.0.0.0/8`, or an address as its /32 or /128. Null for others, a too long prefix, or a zone. */
export function parseNetwork(text: string): string | null {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : Number(prefix);
  return family === 0 || length > bits ? null : `${address}/${length}`;
}
