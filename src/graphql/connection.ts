/** Relay connections over the pages of the verbs: forward only, `first` and `after`, as contract §6 has them. */
import type { ObjectRef, UnionRef } from '@pothos/core';
import { type Page, positionById } from '../db/page.ts';
import { encodeCursor } from '../kernel/cursor.ts';
import { builder, type Types } from './builder.ts';

/** The types `<name>Connection` and `<name>Edge`: `A page of <rows>.` and `<row> and its cursor.` */
export const connectionOf = <Row>(
  type: ObjectRef<Types, Row> | UnionRef<Types, Row>,
  name: string,
  rows: string,
  row: string,
) =>
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
