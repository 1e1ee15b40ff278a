/** Has a number to itself, to the end of a transaction. */
import type { Database } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { TAKE_TO_LINK } from './lease.sql.ts';
import { LEASE_SECONDS } from './lease-time.ts';
import { CLAIM_CHAT_TURN, LOCK_NUMBER } from './pace/turn.sql.ts';

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

/** The wish of a person for a turn of a number. */
export type TurnWish = Parameters<typeof CLAIM_CHAT_TURN.run>[1];

/**
 * Takes the turn, or answers why there is none; undefined: the session is another process's. People are counted after the number is locked: before, they
 * would be too few. @throws errors of the database
 */
export function claimTurn(database: Database, wish: TurnWish): Promise<Answer<typeof CLAIM_CHAT_TURN> | undefined> {
  return withLockedNumber(database, wish.connection, sql => CLAIM_CHAT_TURN.first(sql, wish));
}

/** Takes a session to link it, without any key that its owner before has stored. Answers whether it was to be had. @throws errors of the database */
export async function takeToLink(database: Database, connection: string, owner: string): Promise<boolean> {
  const lease = { connection, owner, leaseSeconds: LEASE_SECONDS };
  return (await withLockedNumber(database, connection, sql => TAKE_TO_LINK.first(sql, lease))) !== undefined;
}
