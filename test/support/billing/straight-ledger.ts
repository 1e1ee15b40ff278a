import { expect } from 'vitest';
import { runSql } from '../databases/postgres.ts';

/** Expects that nothing is held any more, and that the entries of the ledger add up to the balances of all accounts. */
export async function expectStraightLedger(url: string): Promise<void> {
  const [row] = await runSql(
    url,
    `select (select sum(held)::int from accounts) as held,
       (select sum(credits)::int from ledger) - (select sum(credits + held)::int from accounts) as off`,
  );
  expect(row).toEqual({ held: 0, off: 0 });
}
