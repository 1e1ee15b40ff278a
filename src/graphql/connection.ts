/** Relay connections over the pages of the verbs: forward only, `first` and `after`, as contract §6 has them. */
import { setImmediate } from 'node:timers/promises';
import type { ObjectRef, UnionRef } from '@pothos/core';
import { type Page, positionById } from '../db/page.ts';
import { encodeCursor } from '../kernel/cursor.ts';
import { builder, type Types } from './builder.ts';

/** For the description of a list whose pages may end with a look. */
export const SHORT_PAGES =
  'Where rows that pass are rare, a page may have fewer of them than `first`, and go on all the same: `hasNextPage` says so.';

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

/** Rows that are resolved in one turn of the event loop. Each is a run of GraphQL over its fields, while all else waits. */
const SLICE_ROWS = 50;

/** A page in the shape of a Relay connection. `positionOf` is the one that the page was read with. */
export function toConnection<Row extends { id: string }>(page: Page<Row>, positionOf?: (row: Row) => string) {
  const { edges, pageInfo } = toEdges(page, positionOf);
  return { edges: edges.length > SLICE_ROWS ? inSlices(edges) : edges, pageInfo };
}

/** The same with all edges at hand. */
export function toEdges<Row extends { id: string }>(page: Page<Row>, positionOf: (row: Row) => string = positionById) {
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

/** Gives way after each slice. A document may ask for edges and for nodes, so it is read more than once. */
function inSlices<Edge>(edges: readonly Edge[]): AsyncIterable<Edge> {
  return {
    async *[Symbol.asyncIterator]() {
      for (const [index, edge] of edges.entries()) {
        if (index > 0 && index % SLICE_ROWS === 0) await setImmediate();
        yield edge;
      }
    },
  };
}
