/** Readers of single settings: each parses a variable, or says what is wrong with it and how to correct it. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { decodeSecretKey } from '../crypto/secrets.ts';
import type { TrustedProxies } from '../network/address.ts';
import { parseNetwork } from '../network/network.ts';
import type { Fault } from './config-error.ts';
import { readTlsFiles } from './postgres-tls.ts';
import { parsePostgresUrl } from './postgres-url.ts';

/** No real chain of proxies is longer: a larger number is a mistake that would let callers forge their address. */
const HOPS_MAX = 32;

/** Shows a value that is not secret: quoted, so that blanks are visible, and shortened. */
const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

const entriesOf = (text: string): string[] => text.split(',').flatMap(entry => entry.trim() || []);

/** Carries a fault out of a reader, so that readers need no result type in their loops. */
class Unusable extends Error {}

/** A variable that `read` parses; calling `fault` inside `read` makes it faulty. */
export const variable = <T>(read: (text: string, fault: Fault) => T) =>
  z.string().transform((text, context) => {
    try {
      return read(text, message => {
        throw new Unusable(message);
      });
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

/** A variable that takes one of a few words. */
export const oneOf = <const T extends readonly string[]>(name: string, words: T) =>
  z.enum(words, { error: issue => `${name} is ${quote(String(issue.input))}; set it to ${words.join(', ')}.` });

/** A variable that is a whole number within bounds, `preset` if unset; `description` is for docs/operating.md. */
export const wholeNumber = (
  name: string,
  { min, max, preset }: { readonly min: number; readonly max: number; readonly preset: number },
  description: string,
) =>
  variable((text, fault) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max)) {
      fault(`${name} is ${quote(text)}; set it to a whole number from ${min} to ${max}, such as ${preset}.`);
    }
    return number;
  })
    .prefault(String(preset))
    .meta({ default: `\`${preset}\``, description });

/** The most processes of one gateway: each has its own connections to the database. */
const PROCESSES_MAX = 64;

/** A number of processes, or `auto`. */
export function readProcesses(text: string, fault: Fault): number | 'auto' {
  if (text === 'auto') return text;
  const number = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= 1 && number <= PROCESSES_MAX))
    fault(`PROCESSES is ${quote(text)}; set it to a whole number from 1 to ${PROCESSES_MAX}, or to auto.`);
  return number;
}

/** An absolute path. */
export function readPath(name: string, what: string): (text: string, fault: Fault) => string {
  return (text, fault) => {
    if (text.includes('\0')) fault(`${name} holds a NUL character; set it to the path of a ${what}.`);
    return resolve(text);
  };
}

/** An address or a host name, without a port. */
export function readHost(text: string, fault: Fault): string {
  if (isIP(text) === 0 && !/^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?\.?$/i.test(text)) {
    fault(`HOST is ${quote(text)}; set it to an address or a host name alone, such as 127.0.0.1 or 0.0.0.0.`);
  }
  return text;
}

/** The URL unchanged, if it is valid. Its password is never quoted. */
export function readDatabaseUrl(name: string): (text: string, fault: Fault) => string {
  return (text, fault) => {
    // Each fault begins with the variable that has such a URL most often.
    const blame: Fault = message => fault(message.replace('DATABASE_URL', name));
    const { tls } = parsePostgresUrl(text, blame);
    readTlsFiles(tls, blame);
    return text;
  };
}

/** The keys of a list. A fault names an entry by its position, since a key must not be quoted. */
export function readFormerKeys(text: string, fault: Fault): Buffer[] {
  const mend = 'set it to former values of SECRET_KEY, separated by commas.';
  return entriesOf(text).map((entry, index) => {
    const key = decodeSecretKey(entry);
    return typeof key === 'string' ? fault(`SECRET_KEY_PREVIOUS (entry ${index + 1}) ${key}; ${mend}`) : key;
  });
}

/** A hop count or networks; 0 hops trusts nobody. */
export function readTrustedProxies(text: string, fault: Fault): TrustedProxies | null {
  if (!/^[+-]?\d+$/.test(text)) {
    const networks = readNetworks('TRUSTED_PROXIES')(text, fault);
    return networks.length === 0 ? null : { networks };
  }
  const hops = Number(text);
  if (!(hops >= 0 && hops <= HOPS_MAX)) {
    fault(`TRUSTED_PROXIES is ${quote(text)}; set it to a number of proxies from 0 to ${HOPS_MAX}, or to CIDRs.`);
  }
  return hops === 0 ? null : { hops };
}

/** The CIDRs of a list; a single address becomes the network of that address alone. */
export function readNetworks(name: string): (text: string, fault: Fault) => string[] {
  const mend = 'set it to addresses and CIDRs separated by commas, such as 10.0.0.0/8,fd00::/8.';
  return (text, fault) =>
    entriesOf(text).map(entry => parseNetwork(entry) ?? fault(`${name} holds ${quote(entry)}; ${mend}`));
}

/** Origins of web pages, as browsers send them. `*` is refused: each origin must be named. */
export function readOrigins(text: string, fault: Fault): string[] {
  const mend = 'set it to origins separated by commas, such as https://app.example.com,http://localhost:5173.';
  return entriesOf(text).map(entry => {
    const url = URL.parse(entry);
    if (url === null || !/^https?:$/.test(url.protocol) || entry.includes('*')) {
      fault(`CORS_ORIGINS holds ${quote(entry)}; ${mend}`);
    }
    // A browser compares origins exactly: another spelling, or more than an origin, would never match.
    if (url.origin !== entry)
      fault(`CORS_ORIGINS holds ${quote(entry)}, whose origin is ${quote(url.origin)}; ${mend}`);
    return entry;
  });
}

/** The address of this gateway as others reach it, without a slash at its end; a path in it stays. */
export function readPublicUrl(text: string, fault: Fault): string {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}${url.username}` === '';
  if (!isPlain) fault(`PUBLIC_URL is ${quote(text)}; set it to an address such as https://gateway.example.com.`);
  return url.href.replace(/\/+$/, '');
}

/** The address of a collector, without a slash at its end. A wrong one is not quoted, since it may hold a password. */
export function readCollector(text: string, fault: Fault): string {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}` === '';
  if (!isPlain)
    fault('OTEL_EXPORTER_OTLP_ENDPOINT is no address of HTTP; set it to one such as http://127.0.0.1:4318.');
  return url.href.replace(/\/+$/, '');
}

/** A part of a whole. */
export function readRatio(text: string, fault: Fault): number {
  const ratio = /^(?:0|1|[01]?\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(ratio >= 0 && ratio <= 1))
    fault(`OTEL_TRACES_SAMPLER_ARG is ${quote(text)}; set it to a number from 0 to 1, such as 0.1.`);
  return ratio;
}
