/** Relay connections over the pages of the verbs: forward only, `first` and `after`, as contract §6 has them. */
import type { Page } from '../db/page.ts';
import { encodeCursor } from '../kernel/cursor.ts';
import { toUuid } from '../kernel/ids.ts';

/** A page in the shape of a Relay connection. */
export function toConnection<Row extends { id: string }>(page: Page<Row>) {
  const edges = page.rows.map(node => ({ cursor: encodeCursor(toUuid(node.id)), node }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: false,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: page.endCursor,
    },
  };
}
