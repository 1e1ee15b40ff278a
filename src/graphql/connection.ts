/** Relay connections over the pages of the verbs: forward only, `first` and `after`, as contract §6 has them. */
import type { InputFieldBuilder, ObjectRef } from '@pothos/core';
import { type Page, positionById } from '../db/page.ts';
import { encodeCursor } from '../kernel/cursor.ts';
import { builder, type Types } from './builder.ts';

/** The arguments of every list, beside its filter. */
export const PAGE_ARGS = builder.args(t => ({
  first: t.int({ description: 'How many, 1 to 200; 50 where absent.' }),
  after: t.string({ description: 'The `endCursor` of the page before.' }),
}));

/** The members `from` and `to` of a filter; `rows` is what they bound, such as `Entries made`. */
export const timeRange = (t: InputFieldBuilder<Types, 'InputObject'>, rows: string) => ({
  from: t.field({ type: 'DateTime', description: `${rows} at this time or later.` }),
  to: t.field({ type: 'DateTime', description: `${rows} before this time.` }),
});

/** The types `<name>Connection` and `<name>Edge`: `A page of <rows>.` and `<row> and its cursor.` */
export const connectionOf = <Row>(type: ObjectRef<Types, Row>, name: string, rows: string, row: string) =>
  builder.connectionObject(
    { type, name: `${name}Connection`, description: `A page of ${rows}.` },
    { name: `${name}Edge`, description: `${row} and its cursor.` },
  );

/** A page in the shape of a Relay connection. `positionOf` is the one that the page was read with. */
export function toConnection<Row extends { id: string }>(
  page: Page<Row>,
  positionOf: (row: Row) => string = positionById,
) {
  const edges = page.rows.map(node => ({ cursor: encodeCursor(positionOf(node)), node }));
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
