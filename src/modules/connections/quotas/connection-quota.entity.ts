/** The limits of the number of each connection whose provider sets them, as they were read last. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';

const ConnectionQuotaSchema = defineEntity({
  name: 'ConnectionQuota',
  tableName: 'connection_quotas',
  properties: {
    connectionId: p.type(new IdType('con')).primary(),
    /** As in `Quota` of the providers. */
    quality: p.enum(['green', 'yellow', 'red']).nullable(),
    reach: p.integer().nullable(),
    /** As `businesses` of `Quota`, and what is not told any more. */
    businessIds: p.array<string>().default([]),
    /** How many people the business wrote to within the 24 hours before, by the connections of this gateway. */
    used: p.integer(),
    readAt: p.datetime(),
    /** Since when a look is needed: the quality is red, or four fifths of the reach are used. Null: none is. */
    lowSince: p.datetime().nullable(),
  },
});

/** The limits of one connection. */
export class ConnectionQuota extends ConnectionQuotaSchema.class {}
ConnectionQuotaSchema.setClass(ConnectionQuota);
