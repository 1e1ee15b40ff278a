/** The name of an operation, for the request log. */
import { Kind } from 'graphql';
import { parseDocument } from '../guards.ts';
import { pageDocumentIn } from './trusted-documents.ts';

/** A named operation at the beginning of a document: one that does not parse has been refused, too. */
const NAMED = /^[\s,]*(?:query|mutation|subscription)\s+([_A-Za-z]\w*)/;

/** The name that the request gives to its operation, else the first field that it asks for; null: neither is found. */
export function nameOperation(params: Readonly<Record<string, unknown>>): string | null {
  const { operationName, query } = params;
  if (typeof operationName === 'string' && operationName !== '') return operationName;
  const text = typeof query === 'string' ? query : pageDocumentIn(params);
  return text == null ? null : nameIn(text);
}

/** Parses the text anew, for logged requests alone: a request that was refused early has no parsed document. */
function nameIn(text: string): string | null {
  try {
    const operation = parseDocument(text).definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    if (operation?.kind !== Kind.OPERATION_DEFINITION) return null;
    const [first] = operation.selectionSet.selections;
    return operation.name?.value ?? (first?.kind === Kind.FIELD ? first.name.value : null);
  } catch {
    return NAMED.exec(text)?.[1] ?? null;
  }
}
