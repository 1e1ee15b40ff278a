/** What an operation is called, for the request log: read from the text, as one that does not parse has been refused, too. */
import { pageDocumentIn } from './trusted-documents.ts';

/** How much of a document is looked at, in characters. */
const LOOKED_AT = 1_000;

/** An operation at the begin of a document, and the first field of one without a name. */
const NAMED = /^[\s,]*(?:query|mutation|subscription)\s+([_A-Za-z]\w*)/;
const FIRST_FIELD = /^[\s,]*(?:(?:query|mutation|subscription)\b[^{]*)?\{\s*(?:\w+\s*:\s*)?([_A-Za-z]\w*)/;

/** The name that the request gives to its operation, else the first field that it asks for; null: neither is found. */
export function nameOperation(params: Readonly<Record<string, unknown>>): string | null {
  const { operationName, query } = params;
  if (typeof operationName === 'string' && operationName !== '') return operationName;
  const text = (typeof query === 'string' ? query : pageDocumentIn(params))?.slice(0, LOOKED_AT) ?? '';
  return NAMED.exec(text)?.[1] ?? FIRST_FIELD.exec(text)?.[1] ?? null;
}
