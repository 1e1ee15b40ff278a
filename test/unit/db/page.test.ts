import { describe, expect, test } from 'vitest';
import { byIds, readPage, readPageAtOnce } from '../../../src/db/page.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';

/** Rows of a list, newest first. */
const rowsOf = (count: number): { readonly id: string }[] =>
  Array.from({ length: count }, () => ({ id: newId('att') })).sort((a, b) => (a.id < b.id ? 1 : -1));

/** Fetches from rows, and notes how many are asked for in each call. */
function fetchFrom(rows: readonly { readonly id: string }[]) {
  const limits: number[] = [];
  const fetch = async (before: string | null, limit: number): Promise<{ readonly id: string }[]> => {
    limits.push(limit);
    const from = before === null ? 0 : rows.findIndex(({ id }) => toUuid(id) === before) + 1;
    return rows.slice(from, from + limit);
  };
  return { fetch, limits };
}

describe('a page', () => {
  test.each([
    { rows: 300, first: 200, limits: [51, 51, 51, 48], hasNextPage: true },
    { rows: 200, first: 200, limits: [51, 51, 51, 48], hasNextPage: false },
    { rows: 60, first: 200, limits: [51, 51], hasNextPage: false },
    { rows: 102, first: 200, limits: [51, 51, 51], hasNextPage: false },
    { rows: 300, first: 50, limits: [51], hasNextPage: true },
  ])('of $first of $rows rows is fetched by $limits, each row once', async ({ rows, first, limits, hasNextPage }) => {
    const all = rowsOf(rows);
    const from = fetchFrom(all);
    const page = await readPage({ first }, from.fetch);
    expect([page.rows, page.hasNextPage]).toEqual([all.slice(0, first), hasNextPage]);
    expect(from.limits).toEqual(limits);
  });

  test('that looks for its rows is fetched by one call', async () => {
    const all = rowsOf(300);
    const from = fetchFrom(all);
    expect((await readPageAtOnce({ first: 200 }, from.fetch)).rows).toEqual(all.slice(0, 200));
    expect(from.limits).toEqual([201]);
  });
});

test('rows of many ids are found by 51 at a time', async () => {
  const ids = rowsOf(120).map(({ id }) => id);
  const sizes: number[] = [];
  const found = await byIds(ids, async some => {
    sizes.push(some.length);
    return [...some];
  });
  expect([found, sizes]).toEqual([ids, [51, 51, 18]]);
});
