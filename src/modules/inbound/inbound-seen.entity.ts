/** Ids of the messages of providers that have come: a partitioned table can have no such key. A provider repeats for a day; a row is kept for a week. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';

/** One message of a provider that has come. */
export const InboundSeen = defineEntity({
  name: 'InboundSeen',
  tableName: 'inbound_seen',
  properties: {
    connectionId: p.type(new IdType('con')).primary(),
    /** The provider's own id of the message, or of a part of it. */
    providerMessageId: p.text().primary(),
    seenAt: p.datetime(),
  },
});
