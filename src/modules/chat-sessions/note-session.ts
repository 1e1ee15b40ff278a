/** Notes how a session is, by the process that owns it. */
import type { Database } from '../../db/orm.ts';
import { NOTE_SESSION } from './lease.sql.ts';
import { withLockedNumber } from './locked-number.ts';

type Note = Parameters<typeof NOTE_SESSION.run>[1];

/** Notes it, and answers whether it was noted. A wipe takes every key that the process has stored. @throws errors of the database */
export async function noteSession(database: Database, note: Note): Promise<boolean> {
  const row = note.wipes
    ? await withLockedNumber(database, note.connection, sql => NOTE_SESSION.first(sql, note))
    : await NOTE_SESSION.first(database.sql(), note);
  return row !== undefined;
}

/** Gives up a session that was just taken, and cannot be used: its number is to be linked again. @throws errors of the database */
export async function noteRelink(database: Database, owner: string, connection: string, error: string): Promise<void> {
  const noted = { state: 'relink', isOpen: false, error, ends: true, wipes: true, ifUntaken: false };
  await noteSession(database, { connection, owner, ...noted });
}
