/** Has a number to itself, to the end of a transaction. */
import type { Database } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { LOCK_NUMBER } from './pace/turn.sql.ts';

/**
 * Runs statements in a transaction that has locked a number by a statement of its own. One that waits for the lock sees what was there as it began, and
 * nothing that was stored meanwhile. @throws errors of the database
 */
export function withLockedNumber<Made>(
  database: Database,
  connection: string,
  run: (sql: Sql) => Promise<Made>,
): Promise<Made> {
  return database.fork().transactional(async em => {
    const sql = em.getKysely();
    await LOCK_NUMBER.run(sql, { connection });
    return run(sql);
  });
}
