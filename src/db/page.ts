/** Keyset pages, newest first: a page starts after the key of the last row, so every page costs the same. */
import { z } from 'zod';
import { decodeCursor, encodeCursor } from '../kernel/cursor.ts';
import { invalidInput } from '../kernel/errors.ts';
import { fromUuid, type IdPrefix, toUuid, uuidFloor } from '../kernel/ids.ts';
import { wholeFrom } from '../kernel/input.ts';
import type { Sql } from './statements/sql.ts';

/** The largest page (contract §6). */
export const PAGE_SIZE_MAX = 200;

/** The size of a page if the caller sets none. */
export const PAGE_SIZE_DEFAULT = 50;

/** The fault of a page size. */
export const PAGE_SIZE_MESSAGE = `must be a whole number from 1 to ${PAGE_SIZE_MAX}`;

/** `first` in GraphQL, `limit` in REST. */
const pageSizeInput = wholeFrom(1, PAGE_SIZE_MAX, PAGE_SIZE_MESSAGE)
  .nullish()
  .meta({ description: `How many, 1 to ${PAGE_SIZE_MAX}; ${PAGE_SIZE_DEFAULT} where absent` });

/** `after` in GraphQL, `cursor` in REST. Validated when it is decoded. */
const pageCursorInput = z.string().nullish().meta({ description: 'The `endCursor` of the page before' });

/** The input of a page; lists add their filter to it. */
export const pageInput = z.strictObject({ first: pageSizeInput, after: pageCursorInput });

const time = z.date('must be a date and time').nullish();

/** The times of a filter, of what the list is sorted by. */
export const timeRange = {
  from: time.meta({ description: 'Only from this time on' }),
  to: time.meta({ description: 'Only before this time' }),
};

/** An input with the times of a list: one that ends before it begins would find nothing, and look as if nothing had happened. */
export function inOrder<Schema extends z.ZodType<{ from?: Date | null | undefined; to?: Date | null | undefined }>>(
  schema: Schema,
): Schema {
  return schema.refine(({ from, to }) => !from || !to || from <= to, {
    path: ['from'],
    message: 'must not be after to',
  });
}

type PageInput = z.infer<typeof pageInput>;

/** How entities of a list are found, without a copy that the ORM watches. */
export const NEWEST_FIRST = { orderBy: { id: 'desc' }, disableIdentityMap: true } as const;

/** Rows, newest first. */
export interface Page<Row> {
  readonly rows: Row[];
  /** The cursor that the next page goes on from; null if there are no rows and no next page. */
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
}

/** How many rows are fetched and made in one turn of the event loop: of the largest page, with the row behind it, a fourth. */
const SLICE_ROWS = 51;

/** Answers at most `limit` rows below the uuid `before` (null: the newest) by falling position. */
type Fetch<Row> = (before: string | null, limit: number) => Promise<Row[]>;

/**
 * Reads a page, few rows at a time: all else in the process waits while rows are made. @throws AppError `invalid_input` on `after`
 */
export function readPage<Row extends { readonly id: string }>(
  page: PageInput,
  fetch: Fetch<Row>,
  positionOf: (row: Row) => string = positionById,
): Promise<Page<Row>> {
  return readPageAtOnce(page, inSlices(fetch, positionOf), positionOf);
}

/** Fetches few rows at a time. */
export function inSlices<Row extends { readonly id: string }>(
  fetch: Fetch<Row>,
  positionOf: (row: Row) => string = positionById,
): Fetch<Row> {
  return async (before, limit) => {
    const rows: Row[] = [];
    for (let below = before; rows.length < limit; ) {
      const size = Math.min(SLICE_ROWS, limit - rows.length);
      const found = await fetch(below, size);
      rows.push(...found);
      const last = found.at(-1);
      if (!last || found.length < size) break;
      below = positionOf(last);
    }
    return rows;
  };
}

/** Finds rows by their ids, few at a time too. */
export async function byIds<Row>(ids: readonly string[], find: (ids: string[]) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < ids.length; at += SLICE_ROWS) rows.push(...(await find(ids.slice(at, at + SLICE_ROWS))));
  return rows;
}

/**
 * Reads a page by one call, for a `fetch` that looks at more rows than it answers. One more than shown tells whether there is a next page.
 * @throws AppError `invalid_input` on `after`
 */
export async function readPageAtOnce<Row extends { readonly id: string }>(
  { first, after }: PageInput,
  fetch: Fetch<Row>,
  positionOf: (row: Row) => string = positionById,
): Promise<Page<Row>> {
  const size = first ?? PAGE_SIZE_DEFAULT;
  const before = after == null ? null : decodeCursor(after);
  if (after != null && before === null) throw invalidInput('after', 'must be a cursor that an earlier page gave');
  const found = await fetch(before, size + 1);
  const rows = found.slice(0, size);
  const last = rows.at(-1);
  return { rows, endCursor: last ? encodeCursor(positionOf(last)) : null, hasNextPage: found.length > size };
}

/** The finds of a look, and where it ended before the list did; null: it did not. */
export interface Looked<Row> {
  readonly rows: Row[];
  readonly end: string | null;
}

/**
 * Reads a page by a look, which passes by so many rows at most. The page is short where the look ended before, and the next one goes on from there.
 * @throws AppError `invalid_input` on `after`
 */
export async function readPageByLook<Row extends { readonly id: string }>(
  page: PageInput,
  look: (before: string | null, limit: number) => Promise<Looked<Row>>,
  positionOf: (row: Row) => string = positionById,
): Promise<Page<Row>> {
  let end: string | null = null;
  const fetch: Fetch<Row> = async (before, limit) => {
    const looked = await look(before, limit);
    end = looked.end;
    return looked.rows;
  };
  const read = await readPageAtOnce(page, fetch, positionOf);
  return end === null ? read : { ...read, endCursor: encodeCursor(end), hasNextPage: true };
}

/** Makes the rows of what a look found, few at a time too. */
export function rowsBy<Row>(prefix: IdPrefix, find: (ids: string[]) => Promise<Row[]>) {
  return (found: readonly { readonly id: string }[]): Promise<Row[]> =>
    byIds(
      found.map(({ id }) => fromUuid(prefix, id)),
      find,
    );
}

/** The statements of a look: which rows pass, and the last one that was passed by. */
interface Look<Values, Found> {
  readonly list: { run(sql: Sql, values: Values & { readonly limit: number }): Promise<Found[]> };
  readonly end: { first(sql: Sql, values: Values): Promise<{ readonly id: string } | undefined> };
}

/** Looks once. @param rowsOf the rows of what was found */
export async function look<Values extends object, Found extends { readonly id: string }, Row>(
  sql: Sql,
  { list, end }: Look<Values, Found>,
  values: Values,
  limit: number,
  rowsOf: (found: readonly Found[]) => Promise<Row[]>,
): Promise<Looked<Row>> {
  const found = await list.run(sql, { ...values, limit });
  const last = found.length < limit ? await end.first(sql, values) : undefined;
  // New rows between both statements move `last` up; the next page must not list a row again.
  const [lower = null] = last ? [last.id, found.at(-1)?.id ?? last.id].sort() : [];
  return { rows: await rowsOf(found), end: lower };
}

/** The position of a row in a list sorted by id: the uuid of the id. */
export function positionById({ id }: { readonly id: string }): string {
  return toUuid(id);
}

/** The members of a filter that narrow: those that are given. */
export function given<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as never;
}

/** How far the time in the id of a row may be from its `createdAt`, where the database's statement takes that. */
export const ID_SLACK_MS = 60_000;

/** The uuids between which rows of these times have theirs; null: no bound. @param slackMs how far the time in an id may be from that of its row */
export function idBounds(
  from: Date | null | undefined,
  to: Date | null | undefined,
  slackMs = 0,
): [from: string | null, to: string | null] {
  return [
    from ? uuidFloor(new Date(from.getTime() - slackMs)) : null,
    to ? uuidFloor(new Date(to.getTime() + slackMs)) : null,
  ];
}

/** A `where` on rows whose `createdAt` is in these times. No row is older than 1970, and the year 0 of a caller is none of the database's. */
export function createdWithin(from: Date | null | undefined, to: Date | null | undefined) {
  const [$gte, $lt] = [from, to].map(time => time && new Date(Math.max(0, time.getTime())));
  return from || to ? { createdAt: given({ $gte, $lt }) } : {};
}

/** A `where` on keys between two times and below a cursor; null if nothing bounds it. */
export function keyRange(
  from: string | null,
  ...below: readonly (string | null)[]
): { id: { $gte?: string; $lt?: string } } | null {
  // Lower-case dashed uuids sort like their bytes.
  const [to] = below.filter(bound => bound !== null).sort();
  if (from === null && to === undefined) return null;
  return { id: { ...(from === null ? {} : { $gte: from }), ...(to === undefined ? {} : { $lt: to }) } };
}
