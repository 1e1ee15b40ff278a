/** Databases of the bench, one for each run, and the count of the rows that a run left in it. */
import { databaseUrl, runSql, uniqueName } from '../../support/databases/postgres.ts';

/** Rows that are not what was answered. */
export class RowFault extends Error {}

/** Gives `use` an empty database, and drops it whatever happens. */
export async function withDatabase<Result>(clusterUrl: string, use: (url: string) => Promise<Result>): Promise<Result> {
  const name = uniqueName('heliograph_bench');
  await runSql(clusterUrl, `create database "${name}"`);
  try {
    return await use(databaseUrl(clusterUrl, name));
  } finally {
    await runSql(clusterUrl, `drop database if exists "${name}" with (force)`);
  }
}

/**
 * Counts rows. Each entry of `counts` names what is counted and holds what was answered, and the rows: what stands behind `from`.
 * @throws RowFault that names what differs.
 */
export async function checkRows(
  url: string,
  run: string,
  counts: Readonly<Record<string, readonly [answered: number, rows: string]>>,
): Promise<void> {
  const checked = Object.entries(counts);
  const columns = checked.map(([name, [, rows]]) => `(select count(*)::int from ${rows}) as "${name}"`);
  const [stored = {}] = await runSql(url, `select ${columns.join(', ')}`);
  const wrong = checked.filter(([name, [answered]]) => stored[name] !== answered);
  if (wrong.length === 0) return;
  const found = wrong.map(([name, [answered]]) => `${name}: answered ${answered}, but stored ${stored[name]}`);
  throw new RowFault(`${run}: ${found.join('; ')}`);
}

/** Counts what stands behind `from`. */
export async function countRows(url: string, rows: string): Promise<number> {
  const [row] = await runSql(url, `select count(*)::int as count from ${rows}`);
  return Number(row?.count);
}
