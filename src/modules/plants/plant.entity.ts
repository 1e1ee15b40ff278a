/** Plants: the rows of the documented sample endpoint. */
import { defineEntity, p } from '@mikro-orm/core';
import { ownerIn } from '../accounts/account.entity.ts';

const PlantSchema = defineEntity({
  name: 'Plant',
  tableName: 'plants',
  properties: {
    accountId: () => ownerIn('plants').primary(),
    /** A full int64, chosen by the caller. */
    id: p.bigint('bigint').primary(),
    name: p.text(),
    tag: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

/** One plant of one account. */
export class Plant extends PlantSchema.class {}
PlantSchema.setClass(Plant);
