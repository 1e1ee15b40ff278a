/** Statements on a number that a process has to itself, to the end of a transaction. */
import type { Database, Em } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { NOTE_SESSION, TAKE_TO_LINK, UNLINK_SESSION } from './lease.sql.ts';
import { LEASE_SECONDS } from './lease-time.ts';
import { CLAIM_CHAT_TURN, LOCK_NUMBER } from './pace/turn.sql.ts';

/**
 * Runs statements in a transaction that has locked a number by a statement of its own. One that waits for the lock sees what was there as it began, and
 * nothing that was stored meanwhile. @throws errors of the database
 */
function withLockedNumber<Made>(
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

/** How a session is, and whose it is. */
export type Note = Parameters<typeof NOTE_SESSION.run>[1];

/** Notes how a session is, and answers whether it was noted. A wipe takes every key that the process has stored. @throws errors of the database */
export async function noteSession(database: Database, note: Note): Promise<boolean> {
  const row = note.wipes
    ? await withLockedNumber(database, note.connection, sql => NOTE_SESSION.first(sql, note))
    : await NOTE_SESSION.first(database.sql(), note);
  return row !== undefined;
}

/** Gives up a session that was just taken, and cannot be used: its number is to be linked again. @throws errors of the database */
export async function noteRelink(database: Database, owner: string, connection: string, error: string): Promise<void> {
  const noted = { state: 'relink', isOpen: false, error, ends: true, wipes: true, ifUntaken: false } as const;
  await noteSession(database, { connection, owner, ...noted });
}

/**
 * Ends a session for good, with all of its keys, in the caller's transaction. One that waits for the lock sees no key that was stored meanwhile.
 * Answers whether it was linked, or about to be.
 */
export async function unlinkSession(em: Pick<Em, 'getKysely'>, connection: string): Promise<boolean> {
  await LOCK_NUMBER.run(em.getKysely(), { connection });
  return (await UNLINK_SESSION.first(em.getKysely(), { connection })) !== undefined;
}
