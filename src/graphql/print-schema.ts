/** Prints the schema into `schema.graphql`; with `--check` it only says whether the file is up to date (exit status 1: it is not). */
import { readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchema } from './schema.ts';

/** The text of `schema.graphql`: sorted, so that it does not depend on the order of files. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(buildSchema()))}\n`;
}

if (import.meta.main) {
  const file = new URL('../../schema.graphql', import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(file, schemaText());
  else if (readFileSync(file, 'utf8') !== schemaText()) {
    process.stderr.write('schema.graphql is not up to date: run npm run schema\n');
    process.exitCode = 1;
  }
}
