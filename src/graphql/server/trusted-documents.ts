/**
 * Trusted documents: a list of those that clients may run, by their hash. With a list nothing else runs, but for the operator, and but for
 * what the pages of the gateway ask, which no token may.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { GraphQLError, type GraphQLSchema, specifiedRules } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { StartError } from '../../kernel/process/start-error.ts';
import { parseDocument, validateDocument } from '../guards.ts';
import pageDocuments from './page-documents.generated.json' with { type: 'json' };
import { oneSensitiveField } from './sensitive-fields.ts';

/** The documents by the SHA-256 of their text, in lower-case hex. */
type TrustedDocuments = ReadonlyMap<string, string>;

/** The file: `{"<sha-256 of the document, in hex>": "<document>"}`. */
const fileSchema = z.record(z.string(), z.string());

/** The two ways to name a document: that of Apollo, and `documentId` of urql and the draft of GraphQL over HTTP. */
const namesSchema = z.union([
  z.object({ extensions: z.object({ persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string() }) }) }),
  z.object({ documentId: z.string() }),
]);

/** Reads the list. @throws StartError if it cannot be read, or a document is not named by its hash, misfits the schema or is above a limit */
export function readTrustedDocuments(path: string, schema: GraphQLSchema): TrustedDocuments {
  const documents = new Map(Object.entries(readList(path)));
  for (const [name, text] of documents) {
    if (sha256(text) !== name)
      throw unfit(name, `is not named by its hash; its SHA-256 in lower-case hex is ${sha256(text)}`);
    const [fault] = faultsOf(text, schema);
    if (fault !== undefined) throw unfit(name, `cannot be asked here: ${fault}`);
  }
  return documents;
}

function readList(path: string): Record<string, string> {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new StartError(
      'TRUSTED_DOCUMENTS names a file that cannot be read as {"<sha-256 in hex>": "<document>"}; set it to the path of such a JSON file, or unset it.',
      error,
    );
  }
}

function unfit(name: string, fault: string): StartError {
  const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
  return new StartError(`The document ${JSON.stringify(shown)} of TRUSTED_DOCUMENTS ${fault}.`);
}

function faultsOf(text: string, schema: GraphQLSchema): string[] {
  try {
    const faults = validateDocument(schema, parseDocument(text), [...specifiedRules, oneSensitiveField]);
    return faults.map(({ message }) => message.replace(/\.$/, ''));
  } catch (error) {
    if (error instanceof GraphQLError) return [error.message.replace(/\.$/, '')];
    throw error;
  }
}

/** The documents of the gateway's pages, allowed whatever the list says. Before somebody signs in, pages ask as a stranger. */
const ofPages: TrustedDocuments = new Map(
  Object.entries(pageDocuments).map(([name, text]) => [withoutAlgorithm(name), text]),
);

/** The text of a document that a page of the gateway names; undefined: it names none. */
export function pageDocumentIn(params: unknown): string | undefined {
  const name = nameIn(params);
  return name === null ? undefined : ofPages.get(name);
}

/** Puts the document where a request names one, and refuses what is not on the list. `documents` null: there is no list. */
export function trustedDocuments(documents: TrustedDocuments | null): Plugin<Ctx, { ctx: Ctx }> {
  return {
    onParams({ params, setParams, context }) {
      if (params.query != null) {
        const isOpen = documents === null || context.ctx?.actor.kind === 'operator';
        if (!isOpen && !documents.has(sha256(String(params.query)))) throw refusal(ONLY_LISTED, 'PERSISTED_QUERY_ONLY');
        return;
      }
      const name = nameIn(params);
      const isOfPage = documents === null || context.ctx?.actor.kind !== 'token';
      const page = name === null || !isOfPage ? undefined : ofPages.get(name);
      if (page !== undefined) {
        setParams({ ...params, query: page });
        return;
      }
      if (documents === null) {
        if (name !== null) throw refusal('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED');
        return;
      }
      if (name === null) throw refusal(ONLY_LISTED, 'PERSISTED_QUERY_ONLY');
      const query = documents.get(name);
      if (query === undefined) throw refusal('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND');
      setParams({ ...params, query });
    },
  };
}

/** The hash that a request names; null: none. */
function nameIn(params: unknown): string | null {
  const { data } = namesSchema.safeParse(params);
  if (!data) return null;
  const name = 'extensions' in data ? data.extensions.persistedQuery.sha256Hash : data.documentId;
  return withoutAlgorithm(name);
}

function withoutAlgorithm(name: string): string {
  return name.replace(/^sha256:/, '');
}

const ONLY_LISTED = 'Only documents of the list of this gateway are answered: send the hash of one.';

/** Clients know the messages of the two that Apollo has. */
function refusal(message: string, code: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { spec: true, status: 400 } } });
}

function sha256(text: string): string {
  return hash('sha256', text);
}
