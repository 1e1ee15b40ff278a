/** Prints what follows from the schema into its files; with `--check` it only says which are not up to date (exit status 1). */
import { readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchema } from '../schema.ts';
import { printChannels } from './print-channels.ts';
import { printClientOperations } from './print-client-operations.ts';
import { printCommandOperations, printRouteOperations } from './print-operations.ts';
import { printPageOperations } from './print-page-operations.ts';

const ROOT = new URL('../../../', import.meta.url);

/** The text of `schema.graphql`: sorted, so that it does not depend on the order of files. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(buildSchema()))}\n`;
}

/** The files with their texts, by their paths from the root of the project. */
async function generated(): Promise<Record<string, string>> {
  const schema = buildSchema();
  const text = schemaText();
  const pages = await printPageOperations(text, new URL('src/dashboard/app/', ROOT));
  return {
    'src/dashboard/app/api/operations.generated.ts': pages.types,
    'src/dashboard/app/api/channels.generated.ts': printChannels(),
    'src/graphql/server/page-documents.generated.json': pages.documents,
    'schema.graphql': text,
    'src/rest/operations/operations.generated.ts': printRouteOperations(schema, new URL('src/rest/operations/', ROOT)),
    'src/cli/operations/operations.generated.ts': printCommandOperations(schema, new URL('src/cli/operations/', ROOT)),
    'src/client/operations.generated.ts': printClientOperations(schema, new URL('src/client/operations/', ROOT)),
  };
}

function readOrNothing(file: URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await generated())) {
    const file = new URL(path, ROOT);
    if (readOrNothing(file) === text) continue;
    if (process.argv.includes('--check')) {
      process.stderr.write(`${path} is not up to date: run npm run schema\n`);
      process.exitCode = 1;
    } else writeFileSync(file, text);
  }
}
