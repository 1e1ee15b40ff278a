/** The parts of texts that a provider takes and reports by themselves: a long SMS over SMPP. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';

/** One part. */
export const AttemptPart = defineEntity({
  name: 'AttemptPart',
  tableName: 'attempt_parts',
  properties: {
    connectionId: p.type(new IdType('con')).primary(),
    /** The provider's id of the part. */
    partId: p.text().primary(),
    attemptId: p.type(new IdType('att')),
    /** The status reported of the part; null: none yet. */
    status: p.text().nullable(),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'attempt_parts_attempt_id_index', properties: ['attemptId'] }],
});
