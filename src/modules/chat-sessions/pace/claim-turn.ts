/** Takes a turn of a number for a person. */
import type { Database } from '../../../db/orm.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import { withLockedNumber } from '../locked-number.ts';
import { CLAIM_CHAT_TURN } from './turn.sql.ts';

/** The wish for a turn. */
export type TurnWish = Parameters<typeof CLAIM_CHAT_TURN.run>[1];

/**
 * Takes the turn, or answers why there is none; undefined: the session is another process's. People are counted after the number is locked: before, they
 * would be too few. @throws errors of the database
 */
export function claimTurn(database: Database, wish: TurnWish): Promise<Answer<typeof CLAIM_CHAT_TURN> | undefined> {
  return withLockedNumber(database, wish.connection, sql => CLAIM_CHAT_TURN.first(sql, wish));
}
