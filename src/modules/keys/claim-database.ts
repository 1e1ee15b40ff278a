/** Refuses to start with a wrong secret key, which verifies no code and signs no webhook; the canary proves the right one. */

import type { SecretKeySource } from '../../db/data-dir/prepare-secrets.ts';
import type { Database } from '../../db/orm.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { opensCanary, readCanary, sealCanary } from './canary.ts';
import { KeyRefusal } from './key-refusal.ts';
import { describeUses, findKeyUses, type KeyUse } from './key-uses.ts';

/**
 * Checks that the database belongs to the keys of this process, and stores a generated key. Without a canary these keys must have made all
 * stored data. @throws KeyRefusal if the database belongs to another key, or holds data of a missing one
 */
export async function claimDatabase(database: Database, keys: KeyRing, source: SecretKeySource): Promise<void> {
  try {
    await admit(database, keys, source.isGenerated);
  } catch (error) {
    // After any other error the database may have accepted the key, so keep it.
    if (error instanceof KeyRefusal) source.drop();
    throw error;
  }
  source.keep();
}

async function admit(database: Database, keys: KeyRing, isGenerated: boolean): Promise<void> {
  const sql = database.sql();
  for (;;) {
    const canary = await readCanary(sql);
    const isForeign = canary !== null && !opensCanary(keys, canary);
    const uses = await findKeyUses(sql, keys.ids);
    if (isForeign) throw foreign(keys, canary.keyId, uses, isGenerated);
    if (uses.length > 0) throw canary === null ? foreign(keys, null, uses, isGenerated) : missing(uses);
    if (canary?.keyId === keys.currentId || (await sealCanary(sql, keys, canary))) return;
  }
}

function foreign(keys: KeyRing, canaryId: string | null, uses: readonly KeyUse[], isGenerated: boolean): KeyRefusal {
  const ids = [...new Set([...(canaryId === null ? [] : [canaryId]), ...uses.map(use => use.key_id)])];
  const what = isGenerated
    ? `The database was made with another secret key (id ${ids.join(', ')}) than the one in DATA_DIR (secret.key, lost or replaced): put the former file back`
    : `The database was made with another SECRET_KEY (id ${ids.join(', ')}) than the one that is set (id ${keys.currentId}): set the former one again`;
  return new KeyRefusal(`${what}, or name it in SECRET_KEY_PREVIOUS to go over to the new one; ${wayOn(ids, uses)}`);
}

function missing(uses: readonly KeyUse[]): KeyRefusal {
  const ids = uses.map(use => use.key_id);
  return new KeyRefusal(
    `SECRET_KEY_PREVIOUS does not name the former key (id ${ids.join(', ')}) that ${describeUses(uses)} still need: name it there until they are over; ${wayOn(ids, uses)}`,
  );
}

/** The end of a refusal: the data that is lost with the keys, and how to go on without them. The command names the key's id to prevent accidents. */
function wayOn(ids: readonly string[], uses: readonly KeyUse[]): string {
  const commands = ids.map(id => `\`npx heliograph key forget ${id}\``).join(' and ');
  const lost = describeUses(uses);
  return `if it is lost for good, ${lost === null ? 'nothing else is' : `so is what needs it (${lost})`}, and ${commands} goes on without it.`;
}
