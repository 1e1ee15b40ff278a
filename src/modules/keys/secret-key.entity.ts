/** The canary: a text encrypted under the secret key of this database. One row at most. */
import { defineEntity, p } from '@mikro-orm/core';

/** The key that a database belongs to. */
export const SecretKey = defineEntity({
  name: 'SecretKey',
  tableName: 'secret_key',
  properties: {
    /** Always 1, so only one of several processes that start on a new database inserts the row. */
    id: p.integer().primary().autoincrement(false),
    /** The id of the key of the last start. */
    keyId: p.string().length(8),
    /** The encrypted text. */
    sealed: p.text(),
    /** When this key was first used. */
    sealedAt: p.datetime(),
  },
  checks: [{ name: 'secret_key_single_check', expression: 'id = 1' }],
});
