/** Gives up a session that was just taken, and cannot be used. */
import type { Database } from '../../db/orm.ts';
import { NOTE_SESSION } from './lease.sql.ts';

/** Notes that a number is to be linked again, and why; what its session was made of is forgotten. @throws errors of the database */
export async function noteRelink(database: Database, owner: string, connection: string, error: string): Promise<void> {
  const noted = { state: 'relink', isOpen: false, error, ends: true, wipes: true, ifUntaken: false };
  await NOTE_SESSION.run(database.sql(), { connection, owner, ...noted });
}
