/** Checks the head of a request, whatever it asks for: above all for parts that a proxy in front may have read differently. */
import type { IncomingMessage } from 'node:http';
import { AppError, invalidInput } from '../../kernel/errors.ts';

/** Why a request is refused before anything of it is read. */
interface HeadFault {
  readonly error: AppError;
  /** The status, where it is not that of the error's code. */
  readonly status?: number;
}

/** The longest request target, in characters. */
const TARGET_LENGTH_MAX = 8 * 1024;

/** The most headers of a request: more than any client sends. */
const HEADERS_MAX = 200;

/** Headers that say one thing each. Of two, Node would take the first or join them; a proxy in front may have taken the other. */
const SINGLE = [
  'Host',
  'Authorization',
  'Content-Type',
  'Content-Encoding',
  'Idempotency-Key',
  'X-Account-Id',
  'Origin',
];
const SINGLE_BY_KEY: ReadonlyMap<string, number> = new Map(SINGLE.map((name, index) => [name.toLowerCase(), index]));

/** A name or an address, and a port (RFC 9110 §7.2). A comma is left out: it is what joins two of them. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]+)(?::\d{0,5})?$/i;

/** A path of what RFC 3986 §3.3 lets stand in one. */
const PATH = /^\/(?:[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2})*$/i;

/** Parts of a path that readers take differently: empty and dot steps, needless escapes, and those of slashes and controls. */
const TWO_WAYS = /\/\/|\/\.{1,2}(?:\/|$)|%(?:3\d|[46][1-9a-f]|[57][\da]|2[def]|5[cf]|7[ef]|[01][\da-f])/i;

/** The first fault of the head of a request; null: there is none. */
export function findHeadFault(request: IncomingMessage): HeadFault | null {
  if ((request.url?.length ?? 0) > TARGET_LENGTH_MAX)
    return { error: new AppError('invalid_input', 'The address of the request is too long.'), status: 414 };
  const path = pathOf(request);
  if (!PATH.test(path) || TWO_WAYS.test(path))
    return { error: invalidInput('path', 'must be written in one way: without //, dot steps and needless escapes') };
  // Names and values take turns in the list.
  if (request.rawHeaders.length > 2 * HEADERS_MAX)
    return { error: new AppError('invalid_input', `At most ${HEADERS_MAX} headers are read.`), status: 431 };
  const repeated = findRepeated(request.rawHeaders);
  if (repeated !== undefined) return { error: invalidInput(repeated, 'must be given once') };
  const { host, 'transfer-encoding': coding } = request.headers;
  if (host === undefined ? request.httpVersion === '1.1' : !HOST.test(host))
    return { error: invalidInput('Host', 'must be the name and the port that the request is for') };
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return { error: invalidInput('Transfer-Encoding', 'must be chunked or absent'), status: 501 };
  return null;
}

/** The first of those headers that is given more than once, in their own order. */
function findRepeated(rawHeaders: readonly string[]): string | undefined {
  const counts = SINGLE.map(() => 0);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const single = SINGLE_BY_KEY.get(rawHeaders[index]?.toLowerCase() ?? '');
    if (single !== undefined) counts[single] = (counts[single] ?? 0) + 1;
  }
  return SINGLE[counts.findIndex(count => count > 1)];
}

/** The path of a request as it was written, without its parameters, also where the whole address stands, as for a proxy. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#\\]+/, '') || '/';
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}
