/** The statements that run while something is asked. */
import type { Database } from '../../../src/db/orm.ts';
import type { Sql } from '../../../src/db/statements/sql.ts';

/** Runs something, and answers the texts of the statements that were run meanwhile, by the ORM and past it. `run` is given those so far. */
export async function statementsOf(
  database: Database,
  run: (seen: readonly string[]) => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = [];
  const { config } = database.orm;
  const [onQuery, sql] = [config.get('onQuery'), database.sql];
  config.set('onQuery', (query: string) => {
    seen.push(query);
    return query;
  });
  const recording = (signal?: AbortSignal): Sql => ({
    executeQuery(query) {
      seen.push(query.sql);
      return sql(signal).executeQuery(query);
    },
  });
  Object.assign(database, { sql: recording });
  try {
    await run(seen);
  } finally {
    config.set('onQuery', onQuery);
    Object.assign(database, { sql });
  }
  return seen;
}
