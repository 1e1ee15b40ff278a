/** Looks, as SQL: a filter that no index has takes its rows from the newest ones that an index finds. */
import { LEAST_UUID } from '../../kernel/ids.ts';

/** Rows that one look passes by at most, so that it ends in time; the newest. */
export const LOOK = 100_000;

/** The rows that a look passes by, for a FROM clause. @param found a condition: what an index finds */
export const looked = (table: string, found: string): string =>
  `(select * from ${table} where ${found} order by id desc limit ${LOOK})`;

/** Lists the ids of the newest rows of a look that pass. @param passes a condition on a row `a` */
export const listLooked = (table: string, found: string, passes: string, limit: string): string =>
  `select id from ${looked(table, found)} a where ${passes} order by id desc limit ${limit}`;

/** Finds the row with which a look is as long as it may be; none where there are fewer. */
export const endOfLooked = (table: string, found: string): string =>
  `select id from ${table} where ${found} order by id desc offset ${LOOK - 1} limit 1`;

const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The parameters that bound a look. @param below the uuids that are too late; null bounds nothing */
export function lookBounds(from: string | null, ...below: readonly (string | null)[]) {
  const [to = HIGHEST] = below.filter(bound => bound !== null).sort();
  return { from: from ?? LEAST_UUID, to };
}
