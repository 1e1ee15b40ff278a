/** Seals what sessions are made of under the current key, so that a former one can be given up. */
import type { Database } from '../../../db/orm.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { openKey, sealKey } from './key-store.ts';
import { FIND_FORMER_KEYS, RESEAL_KEYS } from './keys.sql.ts';

/** How many are sealed anew at once. */
const PIECE = 500;

/** Seals anew what a former key sealed; what changed meanwhile was sealed by the current one. @throws errors of the database */
export async function resealSessions(database: Database, keys: KeyRing): Promise<void> {
  const former = keys.ids.filter(id => id !== keys.currentId);
  if (former.length === 0) return;
  for (;;) {
    const found = await FIND_FORMER_KEYS.run(database.sql(), { keyIds: former, limit: PIECE });
    const rows = found.flatMap(({ connection_id, kind, id, value: before, key_id: keyId }) => {
      const place = { connection: connection_id, kind, id };
      const opened = openKey(keys, { ...place, value: before, keyId });
      return opened === null ? [] : [{ connection_id, kind, id, before, ...sealKey(keys, place, opened) }];
    });
    if (rows.length === 0) return;
    await RESEAL_KEYS.run(database.sql(), { rows });
  }
}
