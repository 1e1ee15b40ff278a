/** The next turn of each number that has a pace, over all of its connections. */
import { defineEntity, p } from '@mikro-orm/core';

const NumberTurnSchema = defineEntity({
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

/** The turns of one number. */
export class NumberTurn extends NumberTurnSchema.class {}
NumberTurnSchema.setClass(NumberTurn);
