import { expect, test } from 'vitest';
import { toConnection } from '../../../src/graphql/connection.ts';
import { newId } from '../../../src/kernel/ids.ts';

/** How many edges of a page were told in each turn of the event loop. */
async function turnsOf(count: number): Promise<number[]> {
  const rows = Array.from({ length: count }, () => ({ id: newId('att') }));
  const turns = [0];
  const look = (): void => {
    turns.push(0);
    looking = setImmediate(look);
  };
  let looking = setImmediate(look);
  const ids: string[] = [];
  for await (const { node } of toConnection({ rows, endCursor: null, hasNextPage: false }).edges) {
    ids.push(node.id);
    turns.push((turns.pop() ?? 0) + 1);
  }
  clearImmediate(looking);
  expect(ids).toEqual(rows.map(({ id }) => id));
  return turns.filter(told => told > 0);
}

test.each([
  [50, [50]],
  [51, [50, 1]],
  [200, [50, 50, 50, 50]],
])('the rows of a page of %i are told in turns of %j', async (count, turns) => {
  expect(await turnsOf(count)).toEqual(turns);
});
