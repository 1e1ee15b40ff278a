/** Samples of a request of an operation, and the GraphQL that runs behind its path. */
import { documentOf, type Language, programOf } from '../samples.ts';
import { areasOf, type Placed } from './document.ts';

/** A request of an operation. */
export interface Asked {
  readonly operation: Placed;
  /** The name of the example, for the variables of GraphQL. */
  readonly name: string;
  /** The body; of a GET, the parameters of the query string. */
  readonly value: unknown;
}

/** A request in a language. */
export function sampleOf(language: Language, { operation, name, value }: Asked): string {
  const { query = '', variables = {} } = operation['x-graphql'] ?? {};
  if (language === 'GraphQL') return documentOf(query, variables[name] ?? {});
  return programOf(language, {
    url: addressOf(operation, value),
    area: areasOf(operation)[0] ?? 'unified',
    body: operation.method === 'GET' ? null : value,
  });
}

/** The whole address of a request; the parameters of a GET stand in it. */
export function addressOf({ method, path }: Placed, value: unknown): string {
  const query = method === 'GET' ? new URLSearchParams(Object(value)).toString() : '';
  return `${location.origin}${path}${query === '' ? '' : `?${query}`}`;
}
