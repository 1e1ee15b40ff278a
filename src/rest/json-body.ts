/** Reads the JSON body of a request, and says clearly what is wrong with one that cannot be read. */
import { AppError, invalidInput } from '../kernel/errors.ts';

/** The largest body, in bytes (contract §3). */
export const BODY_BYTES_MAX = 64 * 1024;

/** The largest report of a provider: Meta puts many statuses into one call, up to 3 MB, and repeats refused ones for days. */
const REPORT_BYTES_MAX = 3 * 1024 * 1024;

/** The largest body at an address, in bytes. @param url as it was asked, with its path first */
export function bodyBytesMax(url = ''): number {
  return url.startsWith('/receipts/') ? REPORT_BYTES_MAX : BODY_BYTES_MAX;
}

/** How deep a body may be nested: far more than any request needs, far less than what a parser or a walker minds. */
const DEPTH_MAX = 32;

/** More digits than any integer of 64 bits has. */
const DIGITS_MAX = 40;

/** The decoder for all texts: it keeps nothing of one. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a request's body, as UTF-8. `takeBody` answers its bytes where they were read already.
 * @throws AppError `unsupported_media_type` for anything but plain JSON, `body_too_large`, `invalid_json` for broken UTF-8.
 */
export function readJsonText(request: Request, takeBody?: () => Buffer): Promise<string> {
  return decodeJsonText(request.headers, () => readBytes(request, takeBody));
}

/** The text of a body with these headers. @throws AppError as `readJsonText` */
export async function decodeJsonText(headers: Headers, body: () => Promise<Buffer>): Promise<string> {
  const [type, ...parameters] = (headers.get('content-type') ?? '').split(';').map(part => part.trim().toLowerCase());
  if (type !== 'application/json' || parameters.some(isOtherCharset)) {
    throw new AppError('unsupported_media_type', 'Send JSON in UTF-8 with the header Content-Type: application/json.');
  }
  const encoding = headers.get('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity')
    throw new AppError('unsupported_media_type', 'Send the body without a Content-Encoding.');
  const bytes = await body();
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new AppError('invalid_json', 'The body is not valid UTF-8.');
  }
}

/** Whether a parameter of a media type (RFC 9110 §8.3.1) names a charset that is not UTF-8. The others say nothing of JSON. */
function isOtherCharset(parameter: string): boolean {
  return /^charset\s*=/.test(parameter) && !/=\s*"?utf-?8"?$/.test(parameter);
}

/** The bytes of a request's body; `takeBody` answers them where they were read already. @throws AppError `body_too_large` */
export async function readBytes(request: Request, takeBody?: () => Buffer): Promise<Buffer> {
  const max = bodyBytesMax(new URL(request.url).pathname);
  if (Number(request.headers.get('content-length') ?? 0) > max) throw tooLarge(max);
  const bytes = takeBody ? takeBody() : await readPieces(request, max);
  if (bytes.byteLength > max) throw tooLarge(max);
  return bytes;
}

/** Stops reading beyond the limit, whatever the header said. */
async function readPieces(request: Request, max: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > max) break;
  }
  return Buffer.concat(chunks);
}

function tooLarge(max: number): AppError {
  return new AppError('body_too_large', `The body has more than ${max} bytes, the most that is read.`);
}

/** A body as an object, with `int64` its whole numbers as exact `bigint`. @throws AppError `invalid_json`; `invalid_input` where it is no object */
export function parseJsonObject(text: string, options: { int64?: boolean } = {}): Record<string, unknown> {
  if (isDeeperThan(text, DEPTH_MAX))
    throw new AppError('invalid_json', `The body is nested deeper than ${DEPTH_MAX} levels.`);
  const value = options.int64 ? parseJson(text, keepInt64) : parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidInput('body', 'must be a JSON object');
  }
  return { ...value };
}

/** The value of a text; what is wrong with it has no stack, which nobody would read. */
function parseJson(text: string, reviver?: typeof keepInt64): unknown {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    throw new AppError('invalid_json', 'The body is not valid JSON.', {}, error);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Whether brackets outside of strings are nested deeper than `depthMax`. Looks at the text, so that nothing deep is ever built. */
function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (isString) {
      if (unit === 0x5c) index++;
      else if (unit === 0x22) isString = false;
    } else if (unit === 0x22) isString = true;
    else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > depthMax) return true;
    } else if (unit === 0x7d || unit === 0x5d) depth--;
  }
  return false;
}

/** A number as it was written, not as it was rounded: `1e3` and `5.0` are whole, `9007199254740993.5` and `1e99` are not ours. */
function keepInt64(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const exact = wholeNumber(context.source);
  // A number that is not whole must not look so because it was rounded.
  return exact ?? (Number.isInteger(value) ? Number.NaN : value);
}

/** The whole number that a JSON number is, or null; of at most 40 digits. */
function wholeNumber(source: string): bigint | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/.exec(source) ?? [];
  const digits = (whole + fraction).replace(/0+$/, '');
  const zeros = whole.length + Number(exponent) - digits.length;
  if (digits === '') return whole === '' ? null : 0n;
  if (zeros < 0 || digits.length + zeros > DIGITS_MAX) return null;
  return BigInt(`${sign}${digits}${'0'.repeat(zeros)}`);
}
