/** The choice between two statements: parts that write events cost as much where they find nothing to write. */
import type { Sql } from '../../../db/statements/sql.ts';

interface Runnable<Given, Row> {
  run(sql: Sql, given: Given): Promise<Row[]>;
}

/**
 * Runs `quiet`, or `telling`, which writes events too, by a guess: the `is_told` in the first row of the last run. If webhooks are told of an account,
 * `quiet` changes nothing, and `telling` runs after it.
 */
export function quietOrTelling<Given, Row extends { readonly is_told: boolean }>({
  quiet,
  telling,
}: Readonly<Record<'quiet' | 'telling', Runnable<Given, Row>>>): (sql: Sql, given: Given) => Promise<Row[]> {
  // Only a guess about the next group.
  let wasTold = false;
  return async (sql, given) => {
    const isQuiet = !wasTold;
    const rows = await (isQuiet ? quiet : telling).run(sql, given);
    wasTold = rows[0]?.is_told ?? false;
    return isQuiet && wasTold ? telling.run(sql, given) : rows;
  };
}
