/** The next turn of each connection whose number has a pace. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';

const ConnectionTurnSchema = defineEntity({
  name: 'ConnectionTurn',
  tableName: 'connection_turns',
  properties: {
    connectionId: p.type(new IdType('con')).primary(),
    /** How long the turns of the last claim last. */
    takenMs: p.double(),
    nextAt: p.datetime(),
  },
});

/** The turns of one connection. */
export class ConnectionTurn extends ConnectionTurnSchema.class {}
ConnectionTurnSchema.setClass(ConnectionTurn);
