/** Plain statements with `$1` parameters, for the places where the number of rows must not change the text of the statement. */
import { CompiledQuery, type QueryResult } from 'kysely';
import { ConnectError } from './postgres-dial.ts';

/** What runs a statement: the pool, or the transaction of a unit of work. */
export interface Sql {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
}

/** Runs one statement and answers its rows, whose shape the caller names. @throws the driver's error, with its SQLSTATE in `code`. */
export async function runSql<Row>(sql: Sql, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  const statement: CompiledQuery<Row> = { ...CompiledQuery.raw(text, [...parameters]) };
  const result: QueryResult<Row> = await sql.executeQuery(statement);
  return result.rows;
}

/** Rows as one parameter for `json_populate_recordset`, so that one prepared text inserts any number of rows. */
export function asJson(rows: readonly object[]): string {
  return JSON.stringify(rows);
}

/** The SQLSTATE of a database error, or null for any other. */
export function sqlState(error: unknown): string | null {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = 'code' in current ? current.code : undefined;
    // No SQLSTATE begins with E, and the system's errors (EPIPE) do.
    if (typeof code === 'string' && /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code)) return code;
  }
  return null;
}

/** Whether the database could not be reached or went away, so that a later try may succeed. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== null) return state.startsWith('08') || state.startsWith('57P') || state === '53300';
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = 'code' in current ? String(current.code) : '';
    if (current instanceof ConnectError) return true;
    if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'].includes(code)) return true;
    // A server's socket file that is gone; any other file that is missing is another matter.
    if (code === 'ENOENT' && 'syscall' in current && current.syscall === 'connect') return true;
    if (
      /connection terminated|connection ended|timeout exceeded when trying to connect|client has encountered a connection error/i.test(
        current.message,
      )
    )
      return true;
  }
  return false;
}

/** The unique indexes of what a newer row takes the place of: who runs into one was overtaken, and finds the row the next time. */
const OVERTAKEN: ReadonlySet<unknown> = new Set(['otps_live_unique']);

/** Whether the same transaction may succeed once more: serialization failure, deadlock, or overtaken by another one. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  if (state === '40001' || state === '40P01') return true;
  return state === '23505' && error instanceof Error && 'constraint' in error && OVERTAKEN.has(error.constraint);
}
