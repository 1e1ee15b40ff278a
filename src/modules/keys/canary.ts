/** The canary: a text that each start encrypts under its secret key, and the next start must decrypt. */
import { runSql, type Sql } from '../../db/statements/sql.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../kernel/crypto/sealed.ts';

const PURPOSE = 'canary';
const CONTEXT = 'secret_key';
const TEXT = 'This database belongs to the secret key that opens this.';

/** The stored canary. */
interface Canary {
  readonly keyId: string;
  readonly sealed: string;
}

/** The canary of the database; null if no gateway has started on it yet. */
export async function readCanary(sql: Sql): Promise<Canary | null> {
  const [row] = await runSql<{ key_id: string; sealed: string }>(sql, 'select key_id, sealed from secret_key', []);
  return row ? { keyId: row.key_id, sealed: row.sealed } : null;
}

/** Whether a key of the ring decrypts it. The key id alone is too short to prove that. */
export function opensCanary(keys: KeyRing, canary: Canary): boolean {
  return unseal(keys, PURPOSE, canary, CONTEXT) === TEXT;
}

/** Encrypts the canary under the current key, replacing `before`. False if another process was first. */
export async function sealCanary(sql: Sql, keys: KeyRing, before: Canary | null): Promise<boolean> {
  const { keyId, sealed } = seal(keys, PURPOSE, TEXT, CONTEXT);
  const rows = await runSql(
    sql,
    before
      ? `update secret_key set key_id = $1, sealed = $2, sealed_at = clock_timestamp() where sealed = $3 returning id`
      : `insert into secret_key (id, key_id, sealed, sealed_at) values (1, $1, $2, clock_timestamp())
         on conflict do nothing returning id`,
    before ? [keyId, sealed, before.sealed] : [keyId, sealed],
  );
  return rows.length > 0;
}
