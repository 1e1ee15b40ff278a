import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Runs one statement on a connection of its own and gives its rows; the connection is closed whatever happens. */
export async function runSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'heliograph-tests' });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

/** The URL of another database on the same server. */
export function databaseUrl(url: string, name: string): string {
  const result = new URL(url);
  result.pathname = `/${name}`;
  return result.href;
}

/** A database name that no other test, worker or run has: the given start, an underscore and 48 random bits. */
export function uniqueName(start: string): string {
  return `${start}_${randomBytes(6).toString('hex')}`;
}
