/** Samples that ask the gateway the same from a program, by GraphQL. */
import { documentOf, type Language, programOf } from '../../samples.ts';

/** A question with the names of its variables put to their values. */
export interface Asked {
  /** The document. */
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The area of the token that it needs. */
  readonly area: 'unified' | 'management';
}

/** A question in a language. */
export function sampleOf(language: Language, { query, variables, area }: Asked): string {
  if (language === 'GraphQL') return documentOf(query, variables);
  // The JSON of curl has no line breaks in a text, so the query is put on one line.
  const shown = language === 'curl' ? query.trim().replaceAll(/\s+/g, ' ') : query.trim();
  return programOf(language, { url: `${location.origin}/graphql`, area, body: { query: shown, variables } });
}
