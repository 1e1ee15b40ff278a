/** The health of connections that are all well, for tables that a test makes. */
import type { ConnectionTableParts } from '../../../src/modules/connections/live/connection-table.ts';

/** None is sick. */
export const ALL_WELL: ConnectionTableParts['health'] = {
  sicknessOf: () => null,
  isTriedBy: () => false,
  refresh: async () => undefined,
};
