/** Takes a turn of a number for a person. */
import type { Database } from '../../../db/orm.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import { CLAIM_CHAT_TURN, LOCK_NUMBER } from './turn.sql.ts';

/** The wish for a turn. */
export type TurnWish = Parameters<typeof CLAIM_CHAT_TURN.run>[1];

/**
 * Takes the turn, or answers why there is none; undefined: the session is another process's. A statement counts what was there as it began: whoever waited
 * for the number within it would count too few people. @throws errors of the database
 */
export function claimTurn(database: Database, wish: TurnWish): Promise<Answer<typeof CLAIM_CHAT_TURN> | undefined> {
  return database.fork().transactional(async em => {
    const sql = em.getKysely();
    await LOCK_NUMBER.run(sql, { connection: wish.connection });
    return CLAIM_CHAT_TURN.first(sql, wish);
  });
}
