/** The place of a value in a gateway's answer or receipt: `json:<pointer>`, `query:<name>`, `form:<name>`, `header:<name>`, `body:/<pattern>/`. */
import { jsonOf } from '../http/json.ts';
import { readPattern } from './pattern.ts';

/** An answer or a receipt, as far as places look into it. */
export interface Said {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The query of a receipt; an answer has none. */
  readonly query?: URLSearchParams;
}

/** Finds the value; null where there is none. */
export type Place = (said: Said) => string | null;

/** Reads a place. @returns a text: what is wrong with it, as the mend of its field */
export function readPlace(text: string): Place | string {
  const [, kind, rest = ''] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  switch (kind) {
    case 'json':
      return rest === '' || rest.startsWith('/')
        ? said => fromJson(said.body, rest)
        : 'must be json: and a JSON pointer, like json:/message/id';
    case 'query':
      return named(rest, name => said => said.query?.get(name) ?? null);
    case 'form':
      return named(rest, name => said => new URLSearchParams(said.body).get(name));
    case 'header':
      return named(
        rest.toLowerCase(),
        name => said => (Object.hasOwn(said.headers, name) ? (said.headers[name] ?? null) : null),
      );
    case 'body': {
      const pattern = readPattern(rest);
      return typeof pattern === 'string' ? pattern : said => pattern.find(said.body);
    }
    default:
      return 'must begin with json:, query:, form:, header: or body:';
  }
}

function named(name: string, place: (name: string) => Place): Place | string {
  return name === '' ? 'must name what it reads' : place(name);
}

/** The text or number at a JSON pointer (RFC 6901); null: neither is there. */
function fromJson(body: string, pointer: string): string | null {
  let value = jsonOf(body, keepDigits);
  for (const escaped of pointer.split('/').slice(1)) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = Reflect.get(value, name);
  }
  return typeof value === 'string' ? value : null;
}

/** A number as it was written: ids of twenty digits are more than a number holds. */
function keepDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}
