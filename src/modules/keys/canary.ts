/** The canary: sealed under the secret key when a gateway starts, opened by every later start. */
import { runSql, type Sql } from '../../db/statements/sql.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../kernel/crypto/sealed.ts';

const PURPOSE = 'canary';
const CONTEXT = 'secret_key';
const TEXT = 'This database belongs to the secret key that opens this.';

/** The canary as it is stored. */
export interface Canary {
  readonly keyId: string;
  readonly sealed: string;
}

/** The canary of the database; null where no gateway has started on it yet. */
export async function readCanary(sql: Sql): Promise<Canary | null> {
  const [row] = await runSql<{ key_id: string; sealed: string }>(sql, 'select key_id, sealed from secret_key', []);
  return row ? { keyId: row.key_id, sealed: row.sealed } : null;
}

/** Whether a key of the ring opens it. That an id is alike is not enough: it is short. */
export function opensCanary(keys: KeyRing, canary: Canary): boolean {
  return unseal(keys, PURPOSE, canary, CONTEXT) === TEXT;
}

/**
 * Seals the canary under the current key, in the place of `before`. False where another process was first: whatever it has left there
 * must be looked at.
 */
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
