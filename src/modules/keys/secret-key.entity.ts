/** The canary of the secret key: a text that is sealed under the key that this database belongs to. Never more than one row. */
import { defineEntity, p } from '@mikro-orm/core';

const SecretKeySchema = defineEntity({
  name: 'SecretKey',
  tableName: 'secret_key',
  properties: {
    /** Always 1: of processes that start at once on a new database with different keys, one gets the row. */
    id: p.integer().primary().autoincrement(false),
    /** The key that it is sealed under: the one that the last start was made with. */
    keyId: p.string().length(8),
    /** What only that key opens. */
    sealed: p.text(),
    /** When that key was first seen. */
    sealedAt: p.datetime(),
  },
  checks: [{ name: 'secret_key_single_check', expression: 'id = 1' }],
});

/** The key that a database belongs to. */
export class SecretKey extends SecretKeySchema.class {}
SecretKeySchema.setClass(SecretKey);
