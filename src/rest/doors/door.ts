/** Doors: paths in the form of another vendor, for callers who come from there. Each answers by our operations and in the vendor's words. */
import type { Ctx } from '../../context.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import type { FailureStyle, PlainAnswer } from '../envelope.ts';
import type { Operations } from '../operations/operations.generated.ts';
import type { OperationName } from '../operations/run-operation.ts';
import { ownValue } from '../own-value.ts';

/** Asks an operation of ours as a client of GraphQL does, and answers its field `result`. */
export type Ask = <Name extends OperationName>(
  name: Name,
  variables: Operations[Name]['variables'],
) => Promise<Operations[Name]['result']>;

/** A request as it came to a door. */
export interface Knock {
  readonly headers: Headers;
  /** The body, read once. */
  readonly body: () => Promise<Buffer>;
}

/** A request that shows a token of ours. */
export interface DoorRequest extends Knock {
  readonly ctx: Ctx;
  readonly ask: Ask;
  /** A parameter of the path. */
  readonly part: (name: string) => string;
  readonly query: URLSearchParams;
}

/** A path of a door. */
export interface DoorRoute {
  readonly method: 'GET' | 'POST';
  /** With its parameters as `:name`. */
  readonly path: string;
  readonly facts: { readonly failureStyle: FailureStyle };
  /** Names of the arguments of operations, as the vendor calls them. */
  readonly fieldNames?: Readonly<Record<string, string>>;
  /** Whether the query string may hold something; absent: what stands there is refused, since it would be lost silently. */
  readonly takesQuery?: true;
  /** The headers that our own paths would be sent: `Authorization` with a token of ours. @throws AppError `unauthenticated` */
  headersOf(knock: Knock): Headers | Promise<Headers>;
  /** @throws AppError, which is answered in the style of the path */
  answer(asked: DoorRequest): Promise<PlainAnswer>;
}

/** The headers of a request with a token of ours. */
export function withToken(headers: Headers, token: string): Headers {
  const made = new Headers(headers);
  made.set('authorization', `Bearer ${token}`);
  return made;
}

/** A JSON body as an answer. */
export function jsonAnswer(status: number, body: object): PlainAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The id of our own behind an id of a vendor, 32 hexadecimal digits after a prefix; null: it is none. */
export function ownId(prefix: 'msg' | 'pin', vendorPrefix: string, id: string): string | null {
  const digits = id.slice(vendorPrefix.length);
  return id.startsWith(vendorPrefix) && /^[0-9a-f]{32}$/i.test(digits) ? `${prefix}_${digits.toLowerCase()}` : null;
}

/** Parameters of a request, each of which is read by name, given once, and none left over. */
export class Fields {
  readonly #given: ReadonlyMap<string, string>;

  /** @param known the names that are read. @throws AppError `invalid_input` on any other, since it would be lost silently */
  constructor(pairs: URLSearchParams, known: readonly string[], whyNot: Readonly<Record<string, string>> = {}) {
    const given = new Map<string, string>();
    for (const [name, value] of pairs) {
      if (given.has(name)) throw invalidInput(name, 'must be given once');
      if (!known.includes(name))
        throw invalidInput(name, ownValue(whyNot, name) ?? 'is not carried over by this door; leave it out');
      given.set(name, value);
    }
    this.#given = given;
  }

  /** A parameter; undefined: it is absent or empty. */
  get(name: string): string | undefined {
    return this.#given.get(name) || undefined;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The parameters of a form. @throws AppError `unsupported_media_type`, `invalid_input` for broken UTF-8, `body_too_large` */
export async function readForm({ headers, body }: Knock): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers.get('content-type') ?? ''))
    throw new AppError('unsupported_media_type', 'Send a form: Content-Type: application/x-www-form-urlencoded.');
  const bytes = await body();
  try {
    const text = UTF8.decode(bytes);
    // Escapes are read leniently below: broken ones would be other characters.
    decodeURIComponent(text);
    return new URLSearchParams(text);
  } catch {
    throw invalidInput('body', 'must be a form in UTF-8, with % and & of values escaped');
  }
}
