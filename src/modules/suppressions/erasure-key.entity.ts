/** The key of the names that erased people are suppressed by. One row at most. */
import { defineEntity, p } from '@mikro-orm/core';

/** The key of erased names. */
export const ErasureKey = defineEntity({
  name: 'ErasureKey',
  tableName: 'erasure_key',
  properties: {
    /** Always 1, so that of several processes one makes it. */
    id: p.integer().primary().autoincrement(false),
    /** The secret key that it is sealed under. */
    keyId: p.string().length(8),
    /** The sealed key. */
    sealed: p.text(),
  },
  checks: [{ name: 'erasure_key_single_check', expression: 'id = 1' }],
});
