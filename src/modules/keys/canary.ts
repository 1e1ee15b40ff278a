/** The canary: a text that each start encrypts under its secret key, and the next start must decrypt. */
import type { Sql } from '../../db/statements/sql.ts';
import { statement } from '../../db/statements/statement.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { type Sealed, seal, unseal } from '../../kernel/crypto/sealed.ts';

const PURPOSE = 'canary';
const CONTEXT = 'secret_key';
const TEXT = 'This database belongs to the secret key that opens this.';

const READ_CANARY = statement('read canary', {
  gives: { key_id: 'varchar', sealed: 'text' },
  sql: () => 'select key_id, sealed from secret_key',
});

const SEAL_CANARY = statement('seal canary', {
  takes: { keyId: 'text', sealed: 'text' },
  gives: { id: 'int' },
  sql: p => `insert into secret_key (id, key_id, sealed, sealed_at) values (1, ${p.keyId}, ${p.sealed}, clock_timestamp())
    on conflict do nothing returning id`,
});

const REPLACE_CANARY = statement('replace canary', {
  takes: { keyId: 'text', sealed: 'text', before: 'text' },
  gives: { id: 'int' },
  sql: p => `update secret_key set key_id = ${p.keyId}, sealed = ${p.sealed}, sealed_at = clock_timestamp()
    where sealed = ${p.before} returning id`,
});

/** The canary of the database; null if no gateway has started on it yet. */
export async function readCanary(sql: Sql): Promise<Sealed | null> {
  const row = await READ_CANARY.first(sql);
  return row ? { keyId: row.key_id, sealed: row.sealed } : null;
}

/** Whether a key of the ring decrypts it. The key id alone is too short to prove that. */
export function opensCanary(keys: KeyRing, canary: Sealed): boolean {
  return unseal(keys, PURPOSE, canary, CONTEXT) === TEXT;
}

/** Encrypts the canary under the current key, replacing `before`. False if another process was first. */
export async function sealCanary(sql: Sql, keys: KeyRing, before: Sealed | null): Promise<boolean> {
  const { keyId, sealed } = seal(keys, PURPOSE, TEXT, CONTEXT);
  const rows = before
    ? await REPLACE_CANARY.run(sql, { keyId, sealed, before: before.sealed })
    : await SEAL_CANARY.run(sql, { keyId, sealed });
  return rows.length > 0;
}
