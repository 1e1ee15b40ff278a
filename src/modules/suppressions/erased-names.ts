/**
 * The names that erased people are suppressed by. A name is a keyed hash: a stop holds after the number is gone, and nobody reads the number from it. The key
 * is made once by chance and sealed under the secret key, so that names outlive its rotation.
 */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { Sql } from '../../db/statements/sql.ts';
import { statement } from '../../db/statements/statement.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../kernel/crypto/sealed.ts';
import { toUuid } from '../../kernel/ids.ts';

const PURPOSE = 'erasure';
const CONTEXT = 'erasure_key';
const KEY_BYTES = 32;

/** The start of each name. */
const MARK = 'erased:';

/** Whether a person of the list was erased. */
export const isErased = (person: string): boolean => person.startsWith(MARK);

/** The same as SQL. */
export const isErasedSql = (person: string): string => `starts_with(${person}, '${MARK}')`;

const READ_KEY = statement('read erasure key', {
  gives: { key_id: 'varchar', sealed: 'text' },
  sql: () => 'select key_id, sealed from erasure_key',
});

const KEEP_KEY = statement('keep erasure key', {
  takes: { keyId: 'text', sealed: 'text' },
  sql: p =>
    `insert into erasure_key (id, key_id, sealed) values (1, ${p.keyId}, ${p.sealed}) on conflict (id) do nothing`,
});

/** Gives up a key that is lost, where no name was made with it. The secret key that the database belongs to is not lost. */
const REPLACE_KEY = statement('replace erasure key', {
  takes: { keyId: 'text', sealed: 'text', before: 'text' },
  gives: { id: 'int' },
  sql: p => `update erasure_key set key_id = ${p.keyId}, sealed = ${p.sealed}
    where sealed = ${p.before} and not exists (select from suppressions where ${isErasedSql('person')})
      and not exists (select from secret_key where secret_key.key_id = erasure_key.key_id) returning id`,
});

const RESEAL_KEY = statement('reseal erasure key', {
  takes: { keyId: 'text', sealed: 'text', before: 'text' },
  sql: p => `update erasure_key set key_id = ${p.keyId}, sealed = ${p.sealed} where sealed = ${p.before}`,
});

/** The name of a person of an account. @param person a number in digits-only form, or the id that a channel has in its place */
type ErasedName = (accountId: string, person: string) => string;

/**
 * Opens the key, which the first start makes, and seals it under the current secret key. No gateway starts while names need a key
 * that is lost. Only the command that forgets a key opens a database of another one: its key by chance finds no name.
 */
export async function openErasedNames(sql: Sql, keys: KeyRing): Promise<ErasedName> {
  const fresh = randomBytes(KEY_BYTES).toString('base64');
  const made = seal(keys, PURPOSE, fresh, CONTEXT);
  await KEEP_KEY.run(sql, made);
  const row = await READ_KEY.first(sql);
  if (!row) throw new Error('the key of erased recipients was neither there nor made');
  const before = row.sealed;
  const opened = unseal(keys, PURPOSE, { keyId: row.key_id, sealed: before }, CONTEXT);
  if (opened === null) {
    const isReplaced = await REPLACE_KEY.first(sql, { ...made, before });
    // Another process has replaced it first: its key is the one.
    if (!isReplaced && (await READ_KEY.first(sql))?.sealed !== before) return openErasedNames(sql, keys);
  } else if (row.key_id !== keys.currentId)
    await RESEAL_KEY.run(sql, { ...seal(keys, PURPOSE, opened, CONTEXT), before });
  const key = createSecretKey(Buffer.from(opened ?? fresh, 'base64'));
  return (accountId, person) =>
    MARK +
    createHmac('sha256', key)
      .update(`${toUuid(accountId)} ${person}`)
      .digest('base64url');
}
