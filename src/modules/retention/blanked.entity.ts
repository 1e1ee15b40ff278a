/** How far texts are blanked, so that a day's run looks at a day's rows and not at all that were ever stored. */
import { defineEntity, p } from '@mikro-orm/core';

/** How far the rows of one table are blanked. */
export const Blanked = defineEntity({
  name: 'Blanked',
  tableName: 'blanked',
  properties: {
    /** The table. */
    name: p.text().primary(),
    /** Rows up to this id are blanked. */
    until: p.uuid(),
  },
});
