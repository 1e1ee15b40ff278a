/** Purges: they change many rows in short statements, so that nobody waits long for their locks. */
import type { Sql } from './sql.ts';
import { statement } from './statement.ts';

/** How many rows one statement changes. */
const CHUNK_SIZE = 5_000;

/** Runs a statement until it finds less than a whole chunk, and answers how many rows it changed. Each chunk is a commit of its own. */
export async function inChunks(
  run: (limit: number) => Promise<{ readonly count: number } | undefined>,
): Promise<number> {
  for (let total = 0; ; ) {
    const { count } = (await run(CHUNK_SIZE)) ?? { count: 0 };
    total += count;
    if (count < CHUNK_SIZE) return total;
  }
}

/**
 * Defines a purge: it deletes the rows of a table for which `isOver` holds, in chunks, and answers how many. A row that somebody has
 * locked is left to the next run. @param key the columns of the primary key
 */
export function definePurge(table: string, key: string, isOver: string): (sql: Sql) => Promise<number> {
  const chunk = statement(`purge ${table}`, {
    takes: { limit: 'int' },
    gives: { count: 'int' },
    sql: p => `
    with over as materialized (
      select ${key} from ${table} where ${isOver} limit ${p.limit} for update skip locked
    ), deleted as (
      delete from ${table} where (${key}) in (select ${key} from over) returning 1
    )
    select count(*)::int as count from deleted`,
  });
  return sql => inChunks(limit => chunk.first(sql, { limit }));
}
