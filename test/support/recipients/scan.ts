/** A search of a whole database for words. */
import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TestApp } from '../app.ts';
import { findBinaries } from '../databases/cluster.ts';
import type { TestDatabase } from '../databases/database.ts';

const run = promisify(execFile);

/** More than a database of a test. */
const DUMP_BYTES_MAX = 64 * 1024 * 1024;

const COLUMNS = `
  select n.nspname as schema, c.relname as name, a.attname as column
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  order by 1, 2, 3`;

/** The columns of every table, the queue's too, in which one of these words stands. */
export async function findWords(on: Pick<TestApp, 'sql'>, words: readonly string[]): Promise<string[]> {
  const pattern = words.map(word => word.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`)).join('|');
  const columns = await on.sql<{ schema: string; name: string; column: string }>(COLUMNS);
  const found: string[] = [];
  for (const { schema, name, column } of columns) {
    const [row] = await on.sql<{ text: string }>(
      `select "${column}"::text as text from "${schema}"."${name}" where "${column}"::text ~ $1 limit 1`,
      [pattern],
    );
    if (row) found.push(`${name.replace(/_p\d{6}$/, '')}.${column}`);
  }
  return [...new Set(found)].sort();
}

/** A database as `pg_dump` writes it; empty where there is none of that server. */
export async function dumpDatabase(database: TestDatabase): Promise<string> {
  const bin = database.kind === 'postgres' ? await findBinaries() : null;
  if (database.kind !== 'postgres' || bin === null) return '';
  // The folder may hold links to some of the programs alone.
  const home = dirname(await realpath(join(bin, 'initdb')));
  const { stdout } = await run(join(home, 'pg_dump'), [database.url], { maxBuffer: DUMP_BYTES_MAX });
  return stdout;
}
