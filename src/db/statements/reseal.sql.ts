/** Seals stored texts under the current key, so that a former one can be given up. */
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../kernel/crypto/sealed.ts';
import { fromUuid, type IdPrefix, LEAST_UUID } from '../../kernel/ids.ts';
import type { Sql } from './sql.ts';
import { statement } from './statement.ts';

/** How many texts are sealed anew at a time. */
const CHUNK_SIZE = 500;

/** A column of sealed texts, each for the id of its row. */
interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The column of the ids of keys. */
  readonly keyColumn: string;
  /** The prefix of the ids of rows. */
  readonly prefix: IdPrefix;
  readonly purpose: string;
}

/** Seals anew the texts of former keys; a lost text stays, and one that was changed meanwhile. @throws the database's error */
type Reseal = (sql: Sql, keys: KeyRing) => Promise<void>;

/** Defines how the texts of a column are sealed anew. */
export function defineReseal({ table, column, keyColumn, prefix, purpose }: SealedColumn): Reseal {
  const findFormer = statement(`find former ${table}.${column}`, {
    takes: { after: 'uuid', keyIds: 'text[]', limit: 'int' },
    gives: { id: 'uuid', sealed: 'text', key_id: 'varchar' },
    sql: p => `select id, ${column} as sealed, ${keyColumn} as key_id from ${table}
      where id > ${p.after} and ${keyColumn} = any(${p.keyIds}) order by id limit ${p.limit}`,
  });
  const resealOne = statement(`reseal ${table}.${column}`, {
    takes: { id: 'uuid', before: 'text', sealed: 'text', keyId: 'text' },
    sql: p => `update ${table} set ${column} = ${p.sealed}, ${keyColumn} = ${p.keyId}
      where id = ${p.id} and ${column} = ${p.before}`,
  });
  return async (sql, keys) => {
    const keyIds = keys.ids.filter(id => id !== keys.currentId);
    for (let after = LEAST_UUID; keyIds.length > 0; ) {
      const rows = await findFormer.run(sql, { after, keyIds, limit: CHUNK_SIZE });
      for (const { id, sealed, key_id: keyId } of rows) {
        const text = unseal(keys, purpose, { keyId, sealed }, fromUuid(prefix, id));
        if (text === null) continue;
        await resealOne.run(sql, { id, before: sealed, ...seal(keys, purpose, text, fromUuid(prefix, id)) });
      }
      const last = rows.at(-1);
      if (!last || rows.length < CHUNK_SIZE) return;
      after = last.id;
    }
  };
}
