/** Plain statements with `$1` parameters, for the places where the number of rows must not change the text of the statement. */
import { CompiledQuery, type QueryResult } from 'kysely';
import { ConnectError } from '../postgres/postgres-dial.ts';

/** Runs statements: the pool, or the transaction of a unit of work. */
export interface Sql {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
}

/** Runs one statement and answers its rows, whose shape the caller names. @throws the driver's error, with its SQLSTATE in `code`. */
export async function runSql<Row>(sql: Sql, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  const statement: CompiledQuery<Row> = { ...CompiledQuery.raw(text, [...parameters]) };
  const result: QueryResult<Row> = await sql.executeQuery(statement);
  return result.rows;
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

/** Whether a statement waited for a lock as long as it may (`lock_timeout`): PostgreSQL's `lock_not_available`. */
export function isLockedOut(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/** The answer of the database did not come in time: nobody knows what became of the statement. */
export class OverdueError extends Error {
  /** As the system says it of a connection. */
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('The database did not answer in time.');
  }
}

/** The SQLSTATE of a statement that came too late (`in_time`, made by a migration): nothing of it took effect. */
export const TOO_LATE = 'HG001';

/**
 * A database that cannot work for now: no connection (08), no resources (53), ended or cancelled (57), the system's errors (58). So is one that
 * takes no writes, and a session that was ended since it took too long.
 */
const AWAY = /^(08|53|57|58)/;
const AWAY_CODES: ReadonlySet<string> = new Set(['25006', '25P03', '25P04', TOO_LATE]);

/** Whether the database could not be reached, went away or cannot work, so that a later try may succeed. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  return state === null ? isCutOff(error) : AWAY.test(state) || AWAY_CODES.has(state);
}

/** Errors from before anything of a statement has left. */
const NEVER_SENT =
  /timeout exceeded when trying to connect|due to connection timeout|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT/;

/**
 * Whether nobody knows if the statement took effect: its connection broke, or the answer was overdue. A server that ends itself (57P), or a
 * pooler in front of one that is gone (08), may say so when it has committed.
 */
export function isInDoubt(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== null) return /^(08|57P)/.test(state);
  if (!isCutOff(error)) return false;
  for (let current = error; current instanceof Error; current = current.cause)
    if (
      current instanceof ConnectError ||
      NEVER_SENT.test(`${current.message} ${'code' in current ? current.code : ''}`)
    )
      return false;
  return true;
}

function isCutOff(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = 'code' in current ? String(current.code) : '';
    if (current instanceof ConnectError) return true;
    if (UNREACHED.has(code)) return true;
    // A server's socket file that is gone; any other file that is missing is another matter.
    if (code === 'ENOENT' && 'syscall' in current && current.syscall === 'connect') return true;
    if (BROKEN.test(current.message)) return true;
  }
  return false;
}

const UNREACHED: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]);

const BROKEN =
  /connection terminated|connection ended|timeout exceeded when trying to connect|client has encountered a connection error|client was closed/i;

/** The unique indexes of what a newer row takes the place of: who runs into one was overtaken, and finds the row the next time. */
const OVERTAKEN: ReadonlySet<unknown> = new Set(['otps_live_unique']);

/** Whether the same transaction may succeed once more: serialization failure, deadlock, or overtaken by another one. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  if (state === '40001' || state === '40P01') return true;
  return state === '23505' && error instanceof Error && 'constraint' in error && OVERTAKEN.has(error.constraint);
}

/**
 * Whether the database refuses a row for what it is: a value that cannot be read, or one against a constraint or its column. A missing partition names
 * neither. A race may be told so too, and passes at the next try.
 */
export function isMisfit(error: unknown): boolean {
  const state = sqlState(error) ?? '';
  return state.startsWith('22') || (state.startsWith('23') && namesPlace(error));
}

function namesPlace(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const { constraint, column } = current as { constraint?: unknown; column?: unknown };
    if (constraint !== undefined || column !== undefined) return true;
  }
  return false;
}
