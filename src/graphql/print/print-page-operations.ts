/** Prints the operations of the dashboard: their types for the pages, and the documents that the gateway trusts them with. */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { createNoopProfiler } from '@graphql-codegen/plugin-helpers';
import { buildSchema, parse } from 'graphql';

/** The TypeScript types of scalars in JSON. Whole numbers beyond 2^53 are texts there. */
const SCALARS = {
  BigInt: 'number | string',
  DateTime: 'string',
  JSONObject: 'Record<string, unknown>',
  NonNegativeInt: 'number',
  PositiveInt: 'number',
  WebhookEventName: 'string',
};

/** The files that are generated from the operations of the pages. */
interface PageOperations {
  /** A module with the types of each operation's variables and result, and its hash. Pages send the hash instead of the text. */
  readonly types: string;
  /** JSON: the documents by their hashes. */
  readonly documents: string;
}

/** Reads the `.graphql` files in a folder and below it. */
export async function printPageOperations(sdl: string, folder: URL): Promise<PageOperations> {
  const files = globSync('**/*.graphql', { cwd: fileURLToPath(folder) }).sort();
  const documents = files.map(location => {
    const rawSDL = readFileSync(new URL(location, folder), 'utf8');
    return { location, rawSDL, document: parse(rawSDL) };
  });
  const parts = await preset.buildGeneratesSection({
    baseOutputDir: './',
    presetConfig: {
      persistedDocuments: { mode: 'replaceDocumentWithHash', hashAlgorithm: 'sha256', hashPropertyName: 'documentId' },
      fragmentMasking: false,
    },
    config: { documentMode: 'string', enumsAsTypes: true, useTypeImports: true, scalars: SCALARS },
    schema: parse(sdl),
    schemaAst: buildSchema(sdl),
    documents,
    plugins: [],
    pluginMap: {},
    profiler: createNoopProfiler(),
  });
  const write = async (name: string): Promise<string> => {
    const part = parts.find(({ filename }) => basename(filename) === name);
    if (!part) throw new Error(`the generator wrote no ${name}`);
    return `${await codegen(part)}\n`;
  };
  return { types: await write('graphql.ts'), documents: await write('persisted-documents.json') };
}
