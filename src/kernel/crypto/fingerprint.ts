/** Fingerprints tell whether a repeated reference carries the same request (contract §4). */
import { hash } from 'node:crypto';

/** Deeper than any valid request, and far from a stack overflow. */
const DEPTH_MAX = 100;

/**
 * SHA-256 of a value's canonical JSON: sorted keys (RFC 8785), no undefined members, bigints as integers. @throws RangeError beyond 100
 * levels, TypeError on what JSON cannot express (a function, a symbol, a Map, a Set)
 */
export function fingerprint(value: unknown): Buffer {
  return hash('sha256', canonicalJson(value, 0), 'buffer');
}

function canonicalJson(value: unknown, depth: number): string {
  if (depth > DEPTH_MAX) throw new RangeError('the value is nested too deeply');
  switch (typeof value) {
    case 'undefined':
      return 'null';
    case 'bigint':
      return value.toString();
    case 'function':
    case 'symbol':
      throw new TypeError(`a ${typeof value} has no JSON form`);
    case 'object':
      return value === null ? 'null' : canonicalObject(value, depth);
    default:
      return JSON.stringify(value);
  }
}

function canonicalObject(value: object, depth: number): string {
  if (Array.isArray(value)) return `[${value.map(item => canonicalJson(item, depth + 1)).join(',')}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON(), depth + 1);
  if (value instanceof Map || value instanceof Set) throw new TypeError('a Map or a Set has no JSON form');
  let members = '';
  for (const key of Object.keys(value).sort()) {
    const member: unknown = Reflect.get(value, key);
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member, depth + 1)}`;
  }
  return `{${members}}`;
}
