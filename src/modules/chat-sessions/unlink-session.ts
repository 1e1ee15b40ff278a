/** Ends a session for good, with all of its keys. */
import type { Em } from '../../db/orm.ts';
import { UNLINK_SESSION } from './lease.sql.ts';
import { LOCK_NUMBER } from './pace/turn.sql.ts';

/**
 * Ends it, in the caller's transaction. The session is locked by a statement of its own: one that waits for the lock sees no key that was stored meanwhile.
 * Answers whether it was linked, or about to be.
 */
export async function unlinkSession(em: Pick<Em, 'getKysely'>, connection: string): Promise<boolean> {
  await LOCK_NUMBER.run(em.getKysely(), { connection });
  return (await UNLINK_SESSION.first(em.getKysely(), { connection })) !== undefined;
}
