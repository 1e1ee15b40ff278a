/** The next turn of each number that has a pace, over all of its connections. */
import { defineEntity, p } from '@mikro-orm/core';

/** The turns of one number. */
export const NumberTurn = defineEntity({
  name: 'NumberTurn',
  tableName: 'number_turns',
  properties: {
    /** The id of the provider, and its own of the number. */
    number: p.text().primary(),
    /** How long the turns of the last claim last. */
    takenMs: p.double(),
    nextAt: p.datetime(),
  },
});
