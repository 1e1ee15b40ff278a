/** Prepared statements: planned once for each connection, which is a third of their cost; the number of rows changes no text. */
import { hash } from 'node:crypto';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { patienceMs } from '../postgres/bounded-client.ts';
import { type Sql, sqlState } from './sql.ts';

/** Runs prepared statements. */
export interface Prepared {
  /** Each in a transaction of its own, whatever transaction the caller is in. */
  sql(): Sql;
  /**
   * Several in one transaction, which is rolled back when `run` throws. Inside, await nothing but its statements.
   * @param by the time of the database's clock by which it must commit, in ISO 8601; later it is rolled back. PGlite commits at once.
   */
  transaction<Result>(run: (sql: Sql) => Promise<Result>, by?: string): Promise<Result>;
}

/** `invalid_sql_statement_name` and `duplicate_prepared_statement`: raised before the statement does anything. */
const NOT_KEPT: ReadonlySet<string | null> = new Set(['26000', '42P05']);

/**
 * A kept plan may be older than the size of its tables and read all of a large one. With an index for every statement that is never better.
 * The setting decides about plans alone: a pooler in transaction mode may lose it, or share it.
 */
export const INDEXES_ONLY = 'set enable_seqscan = off';

/** A statement that reads a whole table looks so dear then that it would be compiled first, for longer than it runs. */
const NO_COMPILING = 'set jit = off';

/** A process that stands still in a transaction must not keep its locks: a server sets no bound by itself. */
const NOT_IDLE = "set idle_in_transaction_session_timeout = '10s'";

/** Makes a new connection ready before anything else runs on it. `statementTimeoutMs` 0: what the server says. */
export function readyConnection(statementTimeoutMs: number): (client: ClientBase) => Promise<void> {
  // Not said as the connection begins: a pooler (PgBouncer) refuses what it does not know there.
  const bounded = statementTimeoutMs > 0 ? `; set statement_timeout = ${statementTimeoutMs}` : '';
  return async client => {
    await client.query(`${INDEXES_ONLY}; ${NO_COMPILING}; ${NOT_IDLE}${bounded}`);
  };
}

/**
 * Runs the statements of a pool as prepared ones, named by their text. Poolers that do not keep them (PgBouncer before 1.21) make all
 * of them plain from the first one that is missing, which is run again.
 */
export function prepareStatements(pool: Pool): Prepared {
  const names = new Map<string, string>();
  let isKept = true;
  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `heliograph_${hash('sha256', text).slice(0, 16)}`;
    names.set(text, name);
    return name;
  };
  const runnerOf = (on: Pool | PoolClient): Sql => ({
    async executeQuery<Row>({ sql: text, parameters }: CompiledQuery<Row>): Promise<QueryResult<Row>> {
      // Told here: a pool may hand it over in another's turn.
      const statement = { text, values: [...parameters], patienceMs: patienceMs() };
      const { rows } = await on.query(isKept ? { ...statement, name: nameOf(text) } : statement);
      return { rows };
    },
  });
  const again = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      if (!NOT_KEPT.has(sqlState(error))) throw error;
      isKept = false;
      return run();
    }
  };
  const pooled = runnerOf(pool);
  const prepared: Sql = { executeQuery: query => again(() => pooled.executeQuery(query)) };
  return {
    sql: () => prepared,
    transaction: (run, by) => again(() => inTransaction(pool, client => run(runnerOf(client)), by)),
  };
}

/** How long a server waits for the next statement of a transaction: a process that stands still must not keep its locks. */
const IDLE_SECONDS = 5;

async function inTransaction<Result>(
  pool: Pool,
  run: (client: PoolClient) => Promise<Result>,
  by: string | undefined,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(`begin; set local idle_in_transaction_session_timeout = '${IDLE_SECONDS}s'`);
    const result = await run(client);
    // In one message: a server that hangs before it finds both.
    await client.query(by === undefined ? 'commit' : `select in_time('${by}'); commit`);
    client.release();
    return result;
  } catch (error) {
    const isBroken = await client.query('rollback').then(
      () => false,
      () => true,
    );
    client.release(isBroken);
    throw error;
  }
}
