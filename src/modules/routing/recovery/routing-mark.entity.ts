/** The marks of processes: no message below the lowest of them is under way. */
import { defineEntity, p } from '@mikro-orm/core';

/** The mark of one process. */
export const RoutingMark = defineEntity({
  name: 'RoutingMark',
  tableName: 'routing_marks',
  properties: {
    process: p.uuid().primary(),
    /** The uuid of a message: no older one is under way in this process. */
    oldest: p.uuid(),
    /** When the process set it. One that was not heard of for a minute is forgotten. */
    seenAt: p.datetime(),
  },
});
