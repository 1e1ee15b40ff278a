/** Networks of addresses, as the settings list them. */
import { isIP } from 'node:net';

/**
 * Reads a CIDR such as `10.0.0.0/8`. A single address becomes the network of that address alone (/32 or /128). Null where it is
 * neither, where the prefix is longer than the address, or where the address has a zone.
 */
export function parseNetwork(text: string): string | null {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : Number(prefix);
  return family === 0 || length > bits ? null : `${address}/${length}`;
}
